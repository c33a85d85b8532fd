"""Plumbing that every service needs and that knows no cards: servers, tokens, databases, tasks, metrics.

Owns nothing, calls nobody; each service imports what it needs.
"""
