"""Webhooks and what they are told."""
