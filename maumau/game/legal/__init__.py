"""Decisions: the seat that is asked next, and its legal actions."""
