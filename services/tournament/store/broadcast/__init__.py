"""Streams in Redis that watchers read: of tournaments, and of deals being played."""
