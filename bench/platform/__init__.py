"""Benchmarks of whole arenas: at work, at rest, and while they start."""
