"""Bounds of practice matches."""

from typing import Final

MAX_SETS: Final = 500
"""The most deal sets of a practice match."""
