"""Rows that two transactions at once find missing: each has its row, and nobody an error of the database.

SQLite has one writer at a time.
"""

import threading

import pytest
from sqlalchemy import text
from sqlmodel import Session

from services.tournament.models import Contest, Form, Match
from services.tournament.store.blocks.audit import Audits
from services.tournament.store.contests.job import Jobs
from services.tournament.store.outcomes.form import note_form
from services.tournament.store.upkeep import trouble
from tests.support.stores.tournament import TERMS, Store
from tests.support.waiting import until

LOCKED = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"


@pytest.fixture
def store(postgresql_url):
    store = Store(postgresql_url)
    yield store
    store.database.close()


def do_after_looking_for(monkeypatch, model, step):
    """Take this step once, when a transaction has looked for a row of this table."""
    get = Session.get

    def get_then(session, entity, *asked, **fields):
        found = get(session, entity, *asked, **fields)
        if entity is model and found is None:
            monkeypatch.setattr(Session, "get", get)
            step()
        return found

    monkeypatch.setattr(Session, "get", get_then)


def add_form(store):
    """Add the form of v1, as another tournament does."""
    with store.database.write() as session:
        session.add(Form(version_id="v1", faulty=2))


def read_form(store):
    with store.database.read() as session:
        form = session.get_one(Form, "v1")
        return form.faulty, form.words


def test_a_bot_is_taken_out_of_two_tournaments_at_once(store, monkeypatch):
    assert store.fail("12", "w")
    monkeypatch.setattr(trouble, "attribute_failures", lambda *_: 1)
    do_after_looking_for(monkeypatch, Form, lambda: add_form(store))
    words = store.troubles.take_out("cup", store.now)
    assert words.startswith("bot-1 is out of cup")
    assert read_form(store) == (2, words)


def test_two_matches_of_a_version_are_decided_at_once(store, monkeypatch):
    do_after_looking_for(monkeypatch, Form, lambda: add_form(store))
    with store.database.write() as session:
        note_form(session, session.get_one(Match, "m12"), DECIDED, store.now)
    assert read_form(store) == (0, "")


class DECIDED:
    counted = 10


def test_two_blocks_of_a_contest_are_drawn_for_audits_at_once(store, monkeypatch):
    audits = Audits(store.database)
    for name in ("w1", "other-1"):
        store.claim("34", name)
        store.workers.record_self_test(name, "", store.now)
    with store.database.write() as session:
        for block in ("12", "13"):
            session.execute(text("UPDATE block SET worker = 'w1' WHERE id = :id"), {"id": block})
    do_after_looking_for(monkeypatch, Contest, lambda: audits.order_audit("13", store.now))
    assert audits.order_audit("12", store.now)
    copies = [play.block.contest_id for found in audits.list_open() for play in found.plays[1:]]
    assert len(copies) == 2
    assert len(set(copies)) == 1


def test_a_contest_that_is_asked_for_twice_at_once_is_opened_once(store, monkeypatch):
    jobs, opened = Jobs(store.database), []
    scalars = Session.scalars

    def ask(ident):
        fields = {"purpose": "ladder", "author": "ada", "score": "win", "deal_ms": 100, "memory": 512}
        asked = Contest(id=ident, request="one", seats=2, **fields, **TERMS)
        opened.append(jobs.open_contest(asked).id)

    other = threading.Thread(target=ask, args=("second",))

    def scalars_then(session, *asked, **fields):
        found = scalars(session, *asked, **fields)
        monkeypatch.setattr(Session, "scalars", scalars)
        other.start()
        until(lambda: not other.is_alive() or count_waiting(store))
        return found

    monkeypatch.setattr(Session, "scalars", scalars_then)
    ask("first")
    other.join()
    assert opened == ["first", "first"]


def count_waiting(store):
    with store.database.read() as session:
        return session.scalar(text(LOCKED))
