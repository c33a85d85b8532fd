"""Cards, actions and events as they are written."""
