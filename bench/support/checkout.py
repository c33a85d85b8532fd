"""The checkout whose code is measured and tested."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
