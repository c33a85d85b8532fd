"""Starts that were due and could not be made."""

from typing import NamedTuple

from services.tournament.domain.event import Event, StartPutOff
from services.tournament.models import Outbox, Tournament, TournamentNotice
from services.tournament.store.blocks.queue import outbox


class Late(NamedTuple):
    """A start that could not be made.

    until: when it is tried again, 0 for never. said: watchers have been told the reason.
    """

    until: int
    why: str
    said: bool


def put_off(row: Tournament, late: Late, at: int) -> list[Outbox | TournamentNotice]:
    """Set the time of the next attempt to start; return the event for watchers, if there is one."""
    row.due_at = late.until
    row.version += 1
    if late.said:
        return []
    given_up = "does not try again: an organiser can start it"
    then = "tries again by itself" if late.until else given_up
    words = f"{row.name} could not start and {then}: {late.why}"
    return outbox(row.id, [Event(at, "alert", words, part=StartPutOff(late.until, late.why))], at)
