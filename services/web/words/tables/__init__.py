"""Texts about live tables, play and reviews."""
