"""Nonces of entrants: what a start waits for (docs/verify.md)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from sqlmodel import Session

from maumau.contest.seed import commitment
from maumau.errors import BadNonce, EntriesStillOpen, NotEntered, WrongState
from services.tournament.event import EntriesClosed, Event, NonceOpened
from services.tournament.models import Entry, Tournament
from services.tournament.store.queue import outbox


class Wait(NamedTuple):
    """closed_at: when entries closed by themselves, 0 if they did not. opening: ms from then on."""

    closed_at: int
    opening: int


class Told(NamedTuple):
    """A nonce as an author opens it."""

    bot_name: str
    nonce: str


def missing(entries: Sequence[Entry]) -> list[Entry]:
    """Those whose nonce is still to be opened."""
    return [one for one in entries if one.commitment and not one.nonce and not one.withdrawn]


def waiting_words(entries: Sequence[Entry]) -> str:
    """Why it does not start yet."""
    names = ", ".join(one.bot_name for one in missing(entries))
    return f"its entries are closed, and the start waits for the nonces of {names or 'nobody'}"


def close(
    session: Session, tournament: Tournament, entries: Sequence[Entry], closed_at: int, until: int, at: int
) -> None:
    """Nobody enters any more, and it starts by itself. Nothing new if that is so already."""
    if tournament.closed_at:
        return
    tournament.closed_at, tournament.due_at = closed_at, until
    tournament.version += 1
    words = f"{tournament.name}: {waiting_words(entries)}, until {say_moment(until)}"
    part = EntriesClosed(until, [one.number for one in missing(entries)])
    session.add_all(outbox(tournament.id, [Event(at, "state", words, part=part)], at))


def take_nonce(
    session: Session, tournament: Tournament, entries: Sequence[Entry], told: Told, at: int, *, closed: bool
) -> Entry:
    """Keeps the nonce of an entry. closed: entries have closed by themselves."""
    entry = next((one for one in entries if one.bot_name == told.bot_name), None)
    if entry is None:
        raise NotEntered(f"{told.bot_name} is not in {tournament.name}.")
    if tournament.state in {"created", "open"} and not closed and not tournament.closed_at:
        raise EntriesStillOpen
    if tournament.state != "open":
        raise WrongState(f"{tournament.name} is {tournament.state}: no nonce is opened now.")
    if entry.commitment != commitment(told.nonce):
        raise BadNonce(f"This is not the nonce that {told.bot_name} was entered with.")
    if not entry.nonce:
        entry.nonce = told.nonce
        tournament.version += 1
        words, part = f"the nonce of {told.bot_name} is opened", NonceOpened(entry.number, told.bot_name)
        session.add_all(outbox(tournament.id, [Event(at, "state", words, part=part)], at))
    return entry


def say_moment(at: int) -> str:
    """In UTC, to the minute."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(" ", "minutes")
