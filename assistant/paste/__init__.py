"""The reader of pastes."""
