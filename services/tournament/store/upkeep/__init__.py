"""Statements across all tables: counts, records that move to files, attribution of failures."""
