"""Live tables: seeks, seats of house bots, games, and their pods."""
