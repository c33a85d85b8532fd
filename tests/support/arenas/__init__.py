"""Arenas for tests, their clients, and what is played in them."""
