"""Changes of a tournament's entries within a transaction, and what they require."""

from collections.abc import Collection, Sequence

from sqlmodel import Session

from maumau.errors import AlreadyEntered, EntriesClosed, QuotaReached, WrongState
from services.tournament.domain.event import BotEntered, Event
from services.tournament.models import Entry, Tournament
from services.tournament.store.blocks.queue import outbox
from services.tournament.store.contests.nonce import waiting_words


def check_open(tournament: Tournament, entries: Sequence[Entry], seen: str) -> None:
    """Raise WrongState if the spec is another one than was seen, EntriesClosed if bots cannot enter."""
    name = tournament.name
    if tournament.spec != seen:
        raise WrongState(f"The spec of {name} has just changed: look at it and try again.")
    if tournament.state == "created":
        raise EntriesClosed(f"{name} takes no entries yet: its organiser has to open it.")
    if tournament.state != "open":
        raise EntriesClosed(f"{name} takes no entries: it is {tournament.state}.")
    if tournament.closed_at:
        raise EntriesClosed(f"{name} takes no entries: {waiting_words(entries)}.")


def check_account(
    tournament: Tournament, entry: Entry, others: list[Entry], most: int, related: Collection[str]
) -> None:
    """Raise if an owner enters one program under several names, or more bots than allowed."""
    owners = {entry.account_name, *related}
    own = [one for one in others if one.account_name in owners and one.bot_name != entry.bot_name]
    for other in own:
        if other.sha256 == entry.sha256:
            words = f"{entry.bot_name} is the same program as {other.bot_name}, which has entered."
            raise AlreadyEntered(words)
    if len(own) >= most:
        names = ", ".join(other.bot_name for other in own)
        words = f"{tournament.name} takes {most} bots of an account; you have entered {names}."
        raise QuotaReached(words, quota=f"entries in {tournament.name}")


def replace_entry(session: Session, tournament: Tournament, old: Entry, new: Entry, at: int) -> Entry:
    """Enter another version of a bot that has entered, under its number."""
    if old.version_id == new.version_id:
        raise AlreadyEntered(f"{old.bot_name} has entered {tournament.name} already.")
    old.version_id, old.sha256, old.account_name = new.version_id, new.sha256, new.account_name
    old.built_sha256, old.built_platform, old.entered_at = new.built_sha256, new.built_platform, at
    old.commitment = new.commitment or old.commitment
    tournament.version += 1
    words = f"{old.bot_name}, number {old.number}, enters with another version"
    session.add_all(outbox(tournament.id, [build_entered(old, words, at, replaced=True)], at))
    return old


def build_entered(entry: Entry, words: str, at: int, *, replaced: bool = False) -> Event:
    """Return the event of an entry."""
    named = entry.number, entry.bot_name, entry.account_name, entry.version_id
    return Event(at, "state", words, part=BotEntered(*named, replaced))


def close_gap(session: Session, entries: list[Entry], gone: Entry) -> None:
    """Delete an entry; those after it move up by one number."""
    session.delete(gone)
    session.flush()
    for entry in entries[gone.number :]:
        entry.number -= 1
        session.flush()  # one at a time: numbers are unique at every moment
