"""Calls: who is admitted, at which rate and over which connections, and what an error says."""
