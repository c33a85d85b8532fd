"""This core's pace, for all commands that play programs locally; tests may handicap it."""

from __future__ import annotations

import os

from maumau.errors import BadHandicap
from maumau.referee.pace import Pace

VARIABLE = "MAUMAU_HANDICAP"
MAX_HANDICAP = 100.0


def own_pace() -> Pace:
    """Return this core's pace, with clocks MAUMAU_HANDICAP times as fast (docs/explanation/time.md)."""
    return Pace(read_handicap(os.environ.get(VARIABLE, "")))


def read_handicap(text: str) -> float:
    """Return the handicap, 1 by default; raise BadHandicap for anything but a number in the range."""
    try:
        handicap = float(text or 1)
    except ValueError:
        handicap = 0.0
    if not 1 <= handicap <= MAX_HANDICAP:
        raise BadHandicap(f"{VARIABLE} is a number from 1 to {MAX_HANDICAP:g}, not {text[:40]!r}.")
    return handicap
