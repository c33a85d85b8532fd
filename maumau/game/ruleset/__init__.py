"""Variants and rule sets: clauses, options, custom variants, and rules that players add."""
