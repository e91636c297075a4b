"""Every door of errsage: command line, chat page and what serves them."""
