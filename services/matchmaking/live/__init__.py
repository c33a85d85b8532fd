"""Live play: seeks, results and their ratings, house bots at tables."""
