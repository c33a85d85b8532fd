"""Matches that a contest left undecided when it was cancelled, as shown to readers.

The arena keeps their state as it was then, `playing`; nothing of them is played any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import structs

from maumau.client.answer import Match, Round, Tournament
from maumau.client.standing.swiss import SwissStage

STOPPED: Final = "stopped"


def mark_stopped(contest: Tournament, match: Match) -> Match:
    """Return a match as it is shown: `stopped` if its contest was cancelled before its decision."""
    if contest.state == "cancelled" and match.state == "playing":
        return structs.replace(match, state=STOPPED)
    return match


def mark_matches(contest: Tournament, matches: Iterable[Match]) -> tuple[Match, ...]:
    """Return matches as they are shown."""
    return tuple(mark_stopped(contest, match) for match in matches)


def mark_rounds(contest: Tournament, rounds: Iterable[Round]) -> tuple[Round, ...]:
    """Return rounds with their matches as they are shown."""
    return tuple(structs.replace(one, matches=mark_matches(contest, one.matches)) for one in rounds)


def mark_stages(contest: Tournament, stages: Sequence[SwissStage]) -> tuple[SwissStage, ...]:
    """Return Swiss stages with their matches as they are shown."""
    return tuple(structs.replace(one, rounds=mark_rounds(contest, one.rounds)) for one in stages)
