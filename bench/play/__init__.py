"""Benchmarks of deals, of the programs that play them, and of the table at which they sit."""
