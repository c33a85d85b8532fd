"""Measured numbers: rows, the pace beside which they were measured, the page of benchmarks."""
