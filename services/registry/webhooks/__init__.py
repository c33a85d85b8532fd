"""Webhooks: which addresses may be told, how one is told, and by whom."""
