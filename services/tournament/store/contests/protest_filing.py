"""Protests filed while a tournament is decided, and the answers to them; each has a link of the chain."""

from typing import NamedTuple

from sqlmodel import Session

from maumau.contest.export.chain import Answering, Protesting
from maumau.contest.export.protest import digest_text
from maumau.errors import NotEntered, QuotaReached, UnknownProtest, WrongState
from services.shared.store.connect import Database
from services.tournament.domain.event import Event, ProtestAnswered, ProtestFiled
from services.tournament.models import Entry, Protest, Tournament
from services.tournament.store.blocks.queue import outbox
from services.tournament.store.contests.nonce import say_moment, say_state
from services.tournament.store.contests.protest import list_protests
from services.tournament.store.contests.tournament import contest_of, entries_of, find_tournament
from services.tournament.store.outcomes.link import add_link

MOST_PROTESTS = 3
"""The number of protests that an entrant may file against the result of a tournament."""
ANSWERED_IN = ("running", "paused", "decided")


class Answer(NamedTuple):
    """An answer to a protest. account: its author's. more: ms that the result then waits, at least."""

    account: str
    accepted: bool
    text: str
    more: int


def file_protest(database: Database, key: str, bot_name: str, text: str, at: int) -> Protest:
    """Add a protest for an entrant, also for one that has gone; raise WrongState outside the time for it."""
    with database.write() as session:
        tournament = find_tournament(session, key, lock=True)
        _check_time(tournament, at)
        entry = find_entry(tournament, entries_of(session, tournament.id), bot_name)
        others = list_protests(session, tournament.id)
        own = [one for one in others if one.entrant == entry.number]
        if waiting := next((one for one in own if one.state == "open"), None):
            raise WrongState(
                f"Protest {waiting.number} of {bot_name} is still open; file the next one after it has been"
                " answered."
            )
        if len(own) >= MOST_PROTESTS:
            words = f"{bot_name} has filed {len(own)} protests, the most allowed in {tournament.name}."
            raise QuotaReached(words, quota=f"protests of {bot_name}")
        protest = Protest(
            tournament_id=tournament.id,
            number=len(others) + 1,
            entrant=entry.number,
            bot_name=bot_name,
            account_name=entry.account_name,
            text=text,
            at=at,
        )
        _note_protest(session, tournament, protest, at)
        return protest


def find_entry(tournament: Tournament, entries: list[Entry], bot_name: str) -> Entry:
    """Return the entry of a bot; raise NotEntered if there is none."""
    entry = next((one for one in entries if one.bot_name == bot_name), None)
    if entry is None:
        raise NotEntered(f"{bot_name} is not in {tournament.name}.")
    return entry


def _check_time(tournament: Tournament, at: int) -> None:
    if tournament.state != "decided":
        raise WrongState(
            f"{tournament.name} is {say_state(tournament)}: a protest can be filed when it is decided, until"
            " its result is final."
        )
    if tournament.due_at <= at:
        raise WrongState(
            f"The time for protests of {tournament.name} ended at {say_moment(tournament.due_at)}."
        )


def _note_protest(session: Session, tournament: Tournament, protest: Protest, at: int) -> None:
    session.add(protest)
    tournament.version += 1
    named = protest.number, protest.entrant, protest.bot_name
    digest = digest_text(protest.account_name, protest.at, protest.text)
    link = add_link(session, contest_of(session, tournament.id), Protesting(*named[:2], digest))
    said = f"{tournament.name}: {protest.bot_name} protests ({protest.number}): {protest.text}"
    event = Event(at, "alert", said, chain=link, part=ProtestFiled(*named, protest.text))
    session.add_all(outbox(tournament.id, [event], at))


def answer_protest(database: Database, key: str, number: int, given: Answer, at: int) -> Protest:
    """Accept or reject a protest. After one that is accepted the organiser has time to act on it."""
    with database.write() as session:
        tournament = find_tournament(session, key, lock=True)
        found = list_protests(session, tournament.id)
        protest = next((one for one in found if one.number == number), None)
        if protest is None:
            words = f"{tournament.name} has no protest {number}; it has {len(found)}."
            raise UnknownProtest(words, thing=str(number))
        if tournament.state not in ANSWERED_IN:
            raise WrongState(
                f"{tournament.name} is {tournament.state}: its protests can no longer be answered."
            )
        if protest.state != "open":
            raise WrongState(f"Protest {number} is {protest.state} already, by {protest.answered_by}.")
        protest.state = "accepted" if given.accepted else "rejected"
        protest.answer, protest.answered_by = given.text, given.account
        protest.answered_at = max(at, protest.at)  # another replica's clock may be ahead
        if given.accepted and tournament.state == "decided":
            tournament.due_at = max(tournament.due_at, at + given.more)
        _note_answer(session, tournament, protest, at)
        return protest


def _note_answer(session: Session, tournament: Tournament, protest: Protest, at: int) -> None:
    tournament.version += 1
    digest = digest_text(protest.answered_by, protest.answered_at, protest.answer)
    answering = Answering(protest.number, protest.state, digest)
    link = add_link(session, contest_of(session, tournament.id), answering)
    of_whom = f"{tournament.name}: protest {protest.number} of {protest.bot_name}"
    said = f"{of_whom} is {protest.state}: {protest.answer}"
    named = protest.number, protest.entrant, protest.bot_name
    part = ProtestAnswered(*named, protest.state == "accepted", protest.answer)
    session.add_all(outbox(tournament.id, [Event(at, "state", said, chain=link, part=part)], at))
