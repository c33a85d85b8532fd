"""Commands for those who run an arena: its start, its state, workers, tokens, admins."""
