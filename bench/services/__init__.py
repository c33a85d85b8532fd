"""Benchmarks of single services under the load of simulated clients."""
