"""Conditions of a start: nonces of entrants (docs/reference/verify.md), or a sign of their authors."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import and_, or_, select
from sqlmodel import Session, col

from maumau.contest.seed import compute_commitment
from maumau.errors import BadNonce, EntriesStillOpen, NotEntered, WrongState
from services.shared.base.auth import HOUSE, Identity
from services.tournament.domain.event import EntriesClosed, EntryConfirmed, Event, NonceOpened
from services.tournament.models import NOT_OVER, Entry, Tournament
from services.tournament.store.blocks.queue import outbox


class Wait(NamedTuple):
    """The time for which a start waits for nonces.

    closed_at: when entries closed by themselves, 0 if they did not. opening: ms from then on. now: it waits
    for none. due_at: when it was seen to be due; None if it is made by hand.
    """

    closed_at: int
    opening: int
    now: bool = False
    due_at: int | None = None


class RevealedNonce(NamedTuple):
    """A nonce as revealed by an author."""

    bot_name: str
    nonce: str


def list_missing(entries: Sequence[Entry]) -> list[Entry]:
    """Return those that a start waits for: with a nonce to open, and an author who was not seen yet."""
    return [one for one in entries if one.commitment and not (one.nonce or one.confirmed_at or one.withdrawn)]


def waiting_words(entries: Sequence[Entry]) -> str:
    """Return why it does not start yet, or that nothing is in the way."""
    awaited = list_missing(entries)
    if not awaited:
        return "its entries are closed"
    authors = {one.account_name for one in entries if one.commitment and not one.withdrawn}
    left = len({one.account_name for one in awaited})
    verb = "has" if left == 1 else "have"
    names = ", ".join(one.bot_name for one in awaited)
    return (
        f"its entries are closed, and {left} of {len(authors)} authors still {verb} to confirm (for {names});"
        " any maumau command of theirs does it, or opening the arena's page while logged in"
    )


def close_entries(
    session: Session, tournament: Tournament, entries: Sequence[Entry], closed_at: int, until: int, at: int
) -> None:
    """Close entries and schedule the start; do nothing if they are closed already."""
    if tournament.closed_at:
        return
    tournament.closed_at, tournament.due_at = closed_at, until
    tournament.version += 1
    words = f"{tournament.name}: {waiting_words(entries)}, until {say_moment(until)}"
    part = EntriesClosed(until, [one.number for one in list_missing(entries)])
    session.add_all(outbox(tournament.id, [Event(at, "state", words, part=part)], at))


def take_nonce(
    session: Session,
    tournament: Tournament,
    entries: Sequence[Entry],
    told: RevealedNonce,
    at: int,
    *,
    closed: bool,
) -> Entry:
    """Store the nonce of an entry. closed: entries have closed by themselves.

    Raise EntriesStillOpen, WrongState, NotEntered or BadNonce if it cannot be taken.
    """
    entry = next((one for one in entries if one.bot_name == told.bot_name), None)
    if entry is None:
        raise NotEntered(f"{told.bot_name} is not in {tournament.name}.")
    if tournament.state in {"created", "open"} and not closed and not tournament.closed_at:
        raise EntriesStillOpen
    if tournament.state != "open":
        raise WrongState(f"{tournament.name} is {say_state(tournament)}: no nonce is opened now.")
    if entry.commitment != compute_commitment(told.nonce):
        raise BadNonce(f"This is not the nonce that {told.bot_name} was entered with.")
    if not entry.nonce:
        entry.nonce = told.nonce
        tournament.version += 1
        words, part = (
            f"{told.bot_name}: its author has confirmed, with a random number",
            NonceOpened(entry.number, told.bot_name),
        )
        session.add_all(outbox(tournament.id, [Event(at, "state", words, part=part)], at))
    return entry


def list_entered(session: Session, who: Identity) -> list[Tournament]:
    """Return the tournaments that are open and have a nonce to wait for that the caller answers for."""
    as_organiser = and_(col(Entry.account_name) == HOUSE, col(Tournament.organiser) == who.name)
    awaited = (
        or_(col(Entry.account_name).in_((who.name, who.owner)), as_organiser),
        col(Entry.commitment) != "",
        col(Entry.nonce) == "",
        col(Entry.confirmed_at) == 0,
        col(Entry.withdrawn).is_(False),
    )
    own = select(col(Entry.id)).where(col(Entry.tournament_id) == col(Tournament.id), *awaited)
    query = select(Tournament).where(NOT_OVER, col(Tournament.state) == "open", own.exists())
    return list(session.scalars(query))


def confirm_entries(
    session: Session, tournament: Tournament, entries: Sequence[Entry], who: Identity, at: int
) -> bool:
    """Wait no longer for entries that the caller answers for; return False if none was awaited."""
    own = [one for one in list_missing(entries) if answers_for(who, one, tournament.organiser)]
    for entry in own:
        entry.confirmed_at = at
        words = f"{tournament.name}: the author of {entry.bot_name} has confirmed"
        part = EntryConfirmed(entry.number, entry.bot_name)
        session.add_all(outbox(tournament.id, [Event(at, "state", words, part=part)], at))
    if own:
        tournament.version += 1
    return bool(own)


def answers_for(who: Identity, entry: Entry, organiser: str) -> bool:
    """Return True if the caller confirms an entry: its owner, for house bots the contest's organiser."""
    return who.owns(entry.account_name) or (entry.account_name == HOUSE and who.name == organiser)


def say_state(tournament: Tournament) -> str:
    """Return where it stands, for refusals: a start that waits is a state of its own."""
    return "starting" if tournament.state == "open" and tournament.closed_at else tournament.state


def say_moment(at: int) -> str:
    """Return a time in UTC, to the minute."""
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M} UTC"
