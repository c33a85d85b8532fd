"""Blocks in workers' hands: leases, reports and their checks, audits, recovery."""
