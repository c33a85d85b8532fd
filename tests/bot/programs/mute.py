"""Starts, reads, and never says hello."""

import sys

for _ in sys.stdin:
    pass
