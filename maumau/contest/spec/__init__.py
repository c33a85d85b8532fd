"""Specs of contests: their keys, bounds, and changes."""
