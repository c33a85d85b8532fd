"""Webhooks, their notices and deliveries."""
