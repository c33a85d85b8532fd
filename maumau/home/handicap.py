"""The pace of this core for every command that plays programs at home, handicapped where a test says so."""

from __future__ import annotations

import os

from maumau.bot.pace import Pace
from maumau.errors import BadHandicap

VARIABLE = "MAUMAU_HANDICAP"
MAX_HANDICAP = 100.0


def own_pace() -> Pace:
    """Its clocks of programs run as many times as fast as MAUMAU_HANDICAP says (docs/time.md)."""
    return Pace(read_handicap(os.environ.get(VARIABLE, "")))


def read_handicap(text: str) -> float:
    """1 without a text; BadHandicap if it is no number in the range."""
    try:
        handicap = float(text or 1)
    except ValueError:
        handicap = 0.0
    if not 1 <= handicap <= MAX_HANDICAP:
        raise BadHandicap(f"{VARIABLE} is a number from 1 to {MAX_HANDICAP:g}, not {text[:40]!r}.")
    return handicap
