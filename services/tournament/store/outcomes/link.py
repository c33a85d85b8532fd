"""Links of a contest's chain that are not of blocks (maumau/contest/export/chain.py).

A contest that began with version 3 has links of blocks alone, and ends so. An event's link is made in the
transaction in which it happens. A replica of an earlier release makes none: what it left out is linked at
the end, before the last link.
"""

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from maumau.contest.export.chain import (
    Answering,
    Asking,
    Decision,
    Disqualification,
    End,
    Entering,
    Event,
    Protesting,
    Retaking,
    Withdrawal,
    link_events,
    list_departures,
    read_event,
    write_event,
)
from maumau.contest.export.line import result_digest
from maumau.contest.seed import BOOKINGS_ALONE
from maumau.errors import BadResult, WrongState
from services.shared.store.bulk import insert_rows
from services.shared.store.connect import Database
from services.tournament.domain.board import entrant_of
from services.tournament.domain.match_row import read_verdict
from services.tournament.models import ChainLink, Contest, Entry, Match, Tournament

KINDS = {
    Decision: "match",
    Retaking: "match",
    Withdrawal: "departure",
    Disqualification: "departure",
    Protesting: "protest",
    Answering: "protest",
    Entering: "entrant",
    Asking: "job",
    End: "end",
}
EVENTS = select(col(ChainLink.number), col(ChainLink.event)).where(
    col(ChainLink.contest_id) == bindparam("contest")
)
OF_KIND = EVENTS.where(col(ChainLink.kind) == bindparam("kind"))
TAKES = (
    select(col(Match.label), col(Match.take), col(Match.state))
    .where(col(Match.tournament_id) == bindparam("tournament"), col(Match.state) != "playing")
    .order_by(col(Match.stage), col(Match.round), col(Match.number), col(Match.take))
)
VERDICT = select(col(Match.verdict)).where(
    col(Match.tournament_id) == bindparam("tournament"),
    col(Match.label) == bindparam("label"),
    col(Match.take) == bindparam("take"),
)


def chain_of(contest: Contest) -> str:
    """Return the number of the last link, a space and the link; "" before the first."""
    return f"{contest.booked} {contest.chain}" if contest.chain else ""


def check_chain(tournament: Tournament, contest: Contest, seen: str) -> None:
    """Raise WrongState if the chain has gone on since its last link was seen. seen: "" allows any."""
    if seen not in ("", chain_of(contest)):
        raise WrongState(
            f"The result of {tournament.name} has changed since you looked at it: look at it again before you"
            " confirm it."
        )


def add_links(session: Session, contest: Contest, events: Sequence[Event]) -> list[str]:
    """Append to the chain of a locked contest; each link as watchers are told it, "" up to version 3."""
    if contest.version == BOOKINGS_ALONE:
        return [""] * len(events)
    found = list(link_events(contest.chain or contest.root, events))
    numbered = list(enumerate(found, start=contest.booked + 1))
    rows = [
        {"contest_id": contest.id, "number": number, "kind": KINDS[type(event)], "event": write_event(event)}
        for number, (event, _) in numbered
    ]
    if found:
        contest.booked, contest.chain = numbered[-1][0], found[-1][1]
        contest.linked += len(found)
        contest.changes += len(found)
        session.flush()
    insert_rows(session, ChainLink, rows)
    return [f"{number} {link}" for number, (_, link) in numbered]


def add_link(session: Session, contest: Contest, event: Event) -> str:
    """Append one link, as `add_links` does."""
    return add_links(session, contest, [event])[0]


def link_departures(session: Session, contest: Contest, entries: Iterable[Entry]) -> str:
    """Make the links of entrants who have gone and have none; the last one, "" if there is none to make.

    Before the start there is no root yet for the first link: those who go then are linked with it.
    """
    gone = list(list_departures(map(entrant_of, entries)))
    if contest.version == BOOKINGS_ALONE or not contest.root or not gone:
        return ""
    known = read_keys(session, contest.id, "departure")
    told = add_links(session, contest, [event for event in gone if event.key not in known])
    return told[-1] if told else ""


def link_end(session: Session, contest: Contest, entries: Iterable[Entry], compared: str) -> str:
    """Make the last link, and before it those that an earlier release left out."""
    if contest.version == BOOKINGS_ALONE or not compared:
        return ""
    link_departures(session, contest, entries)
    known = read_keys(session, contest.id, "match")
    for label, take, state in session.execute(TAKES, {"tournament": contest.id}).all():
        if state == "withdrawn" and Retaking(label, take).key not in known:
            add_link(session, contest, Retaking(label, take))
        elif state == "decided" and Decision(label, take, "").key not in known:
            named = {"tournament": contest.id, "label": label, "take": take}
            verdict = read_verdict(session.scalars(VERDICT, named).one())
            add_link(session, contest, Decision(label, take, result_digest(verdict, contest.version)))
    return add_link(session, contest, End(compared))


def seal_chain(database: Database, tournament_id: str, entries: Iterable[Entry], compared: str) -> None:
    """End the chain of a tournament that a replica of an earlier release finished."""
    with database.write() as session:
        row = session.get_one(Tournament, tournament_id, with_for_update=True)
        if not row.compared:
            contest = session.get_one(Contest, tournament_id, with_for_update={"key_share": True})
            link_end(session, contest, entries, compared)
            row.compared = compared
            row.version += 1


def read_links(session: Session, contest_id: str) -> dict[int, Event]:
    """Return the events that are not of blocks, by the numbers of their links."""
    return dict(_read_events(session, contest_id))


def read_keys(session: Session, contest_id: str, kind: str) -> set[str]:
    """Return the keys of the events of a kind that have links."""
    return {event.key for _, event in _read_events(session, contest_id, kind)}


def _read_events(session: Session, contest_id: str, kind: str = "") -> Iterator[tuple[int, Event]]:
    asked = {"contest": contest_id, "kind": kind} if kind else {"contest": contest_id}
    for number, text in session.execute(OF_KIND if kind else EVENTS, asked):
        if (event := read_event(text)) is None:
            raise BadResult(f"Link {number} of {contest_id} is of no event: {text!r}.")
        yield number, event
