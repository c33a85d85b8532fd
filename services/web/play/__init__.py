"""The pages on which people play: a choice of game and opponents, and the table with their own hand."""
