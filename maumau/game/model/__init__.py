"""The state of a deal, moves, chance, and the rules compiled for a number of players."""
