"""Databases, Redis and records with contents for tests."""
