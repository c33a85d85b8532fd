"""Submissions: packages, builds, conformance checks and validation."""
