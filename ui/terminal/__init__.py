"""Results and records as plain text for a terminal."""
