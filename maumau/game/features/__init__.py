"""Effects of cards, calls, and what only some variants have."""
