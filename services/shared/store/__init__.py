"""Databases, Redis and stored files, the leader among replicas, and what is kept of calls."""
