"""Ends before it has said hello."""

raise SystemExit(3)
