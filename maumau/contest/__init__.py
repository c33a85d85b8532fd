"""Contests: specs, seeds, sequential tests, formats, ratings, tables, exports and their verification.

Everything a stranger needs to check a result. Pure: no service, no clock, no thread; the only file touched is
the export that is written or read.
"""
