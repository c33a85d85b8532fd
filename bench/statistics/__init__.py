"""Benchmarks of rankings, on invented players of known strength."""
