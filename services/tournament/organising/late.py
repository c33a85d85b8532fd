"""Retries of a start that was due and could not be made. Times are ms."""

from maumau.contest.spec.spec import Spec
from services.tournament.models import Tournament

FIRST_PAUSE, LONGEST_PAUSE = 60_000, 3_600_000
"""A pause is as long as the start is late by then, within these bounds: each is twice the one before it."""
END = 7 * 86_400_000
"""The delay after which a start is given up."""


def find_pause(late: int) -> int:
    """Return the pause before the next try of a start that is late by so much; 0 if there is none."""
    return 0 if late >= END else min(max(late, FIRST_PAUSE), LONGEST_PAUSE)


def find_due_time(row: Tournament, spec: Spec) -> int:
    """Return when a start was due in the first place; 0 if it had no date."""
    if row.closed_at:  # it waited for nonces
        return row.closed_at + 60_000 * spec.entries.opening_minutes
    return int(1000 * spec.schedule.starts.timestamp()) if spec.schedule.starts else 0
