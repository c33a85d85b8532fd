"""Live play: who seeks a table and with whom, results and their ratings, house bots at tables."""
