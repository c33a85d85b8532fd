"""Figures and deals to be drawn: coordinates, paths, and the events of a deal in order."""
