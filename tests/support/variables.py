"""Environments for the programs that tests start."""

from __future__ import annotations

import os

ENGINE = "MAUMAU_ENGINE"
"""The setting that tests keep: without it, programs would compile the engine in the background."""


def without_settings(*others: str) -> dict[str, str]:
    """Return this process's environment without settings, nor names that begin with one of `others`."""
    left_out = ("MAUMAU_", *others)
    return {key: value for key, value in os.environ.items() if key == ENGINE or not key.startswith(left_out)}
