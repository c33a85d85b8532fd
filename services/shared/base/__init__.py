"""Plumbing without a database and without gRPC: settings, logs, clocks, ids, callers and their addresses."""
