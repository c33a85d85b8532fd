"""The history of play: the archive, exports, and records that moved to files."""
