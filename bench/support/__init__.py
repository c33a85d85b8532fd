"""Helpers of benchmarks and tests, and the only part of `bench` that tests import."""
