"""Bots, their versions, and validations."""
