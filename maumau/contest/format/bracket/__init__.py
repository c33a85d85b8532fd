"""Brackets at tables of more than two: who sits where in the next round."""
