"""Plumbing shared by all services, with no knowledge of cards: servers, tokens, databases, tasks, metrics.

Owns nothing and calls no service; each service imports what it needs.
"""
