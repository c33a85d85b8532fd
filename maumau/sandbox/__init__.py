"""Sandboxes, in which programs start with no right but to think, and leave nothing behind."""
