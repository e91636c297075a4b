"""Results as safe HTML: pure functions, apart from any web framework."""
