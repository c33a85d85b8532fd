"""Webhooks: permitted addresses, deliveries, and the programs that make them."""
