"""Benchmarks of pages: their weight, their time, their streams."""
