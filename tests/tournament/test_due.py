"""Automatic steps that are no longer due when they are taken, since somebody else has moved them."""

from types import SimpleNamespace

import pytest
from sqlalchemy import select
from sqlmodel import col

from maumau.errors import WrongState
from services.shared.base.auth import Identity
from services.shared.base.clock import DAY
from services.shared.rpc.registry import PlayableVersion
from services.tournament.models import Outbox
from services.tournament.organising.organiser import Organiser
from services.tournament.store.contests import tournament as module
from services.tournament.store.contests.tournament import Tournaments
from tests.support.arenas.calls import refused
from tests.support.arenas.nonce import NONCE, OTHER, commit_nonce
from tests.support.arenas.tournament import DEFAULTS, SPEC
from tests.support.meanwhile import do_after, do_before

ADMIN = Identity("a", "admin", frozenset({"admin", "author"}))
ADA = Identity("b", "ada", frozenset({"author"}))
STARTS = "[schedule]\nstarts = 1972-10-{:02}T00:00:00Z"  # the store's clock shows 27 September
OCTOBER = 1004 * DAY


def a_spec(day):
    return SPEC.format(**DEFAULTS | {"name": "due", "top": STARTS.format(day)})


class Replica(Organiser):
    """An organiser on these stores, with the tournament `due` that starts on 1 October."""

    def __init__(self, store):
        self.store = store
        boards = SimpleNamespace(get_view=self._view)
        archive = SimpleNamespace(read_compared=lambda _: "")
        tournaments = Tournaments(store.database)
        super().__init__(tournaments, None, boards, archive, lambda: store.now, None, 1)

    def _view(self, _):
        return SimpleNamespace(board=SimpleNamespace(tournament=self.row))

    @property
    def row(self):
        return self.tournaments.find_tournament("due")

    @property
    def due(self):
        return self.row.state, self.row.due_at

    def move_start(self, day):
        self.edit_spec("due", a_spec(day), ADMIN)

    def enter(self, bot, version="v1", commitment="", who=ADMIN, account="admin"):
        described = PlayableVersion(version, bot, account, f"{bot}{version}", frozenset(), frozenset())
        return self.enter_bot("due", who, described, commitment)

    def decide(self):
        """Decide it, or decide it anew; the time for protests ends tomorrow."""
        with self.store.database.write() as session:
            row = module.find_tournament(session, "due")
            row.state, row.version = "decided", row.version + 1
            module.decide_tournament(session, row.id, self.store.now, self.store.now + DAY)

    def list_alerts(self):
        with self.store.database.read() as session:
            told = session.scalars(select(col(Outbox.event)).where(col(Outbox.contest_id) == self.row.id))
            return [event for event in told if b"could not start" in event]


@pytest.fixture
def replica(store):
    replica = Replica(store)
    replica.create_tournament(a_spec(1), ADMIN)
    replica.open_entries("due")
    return replica


def test_a_start_is_made_when_it_is_due(store, replica):
    replica.enter("one")
    replica.enter("two")
    store.now = OCTOBER
    replica.run_schedule()
    assert replica.due == ("running", OCTOBER)


@pytest.mark.parametrize("bots", [0, 2])
def test_a_start_that_an_organiser_moves_just_then_waits_until_it_is_due(store, replica, monkeypatch, bots):
    """Neither is it made, nor is it put off."""
    for number in range(bots):
        replica.enter(f"bot-{number}")
    store.now = OCTOBER
    do_after(monkeypatch, Tournaments, "list_due", lambda: replica.move_start(3))
    replica.run_schedule()
    assert replica.due == ("open", OCTOBER + 2 * DAY)
    assert replica.list_alerts() == []


def test_a_start_for_which_a_bot_enters_just_then_is_not_put_off(store, replica, monkeypatch):
    replica.enter("one")
    store.now = OCTOBER
    do_before(monkeypatch, Tournaments, "put_off", lambda: replica.enter("two"))
    replica.run_schedule()
    assert replica.due == ("open", OCTOBER)
    replica.run_schedule()
    assert replica.row.state == "running"


def test_two_replicas_put_a_start_off_once(store, replica, monkeypatch):
    store.now = OCTOBER
    do_after(monkeypatch, Tournaments, "list_due", Replica(store).run_schedule)
    replica.run_schedule()
    assert replica.due == ("open", OCTOBER + 60_000)
    assert len(replica.list_alerts()) == 1


def test_a_result_that_is_decided_anew_just_then_can_be_protested(store, replica, monkeypatch):
    replica.decide()
    store.now += DAY
    do_after(monkeypatch, Tournaments, "list_due", replica.decide)
    replica.run_schedule()
    assert replica.due == ("decided", store.now + DAY)
    store.now += DAY
    replica.run_schedule()
    assert replica.due == ("finished", 0)


def test_an_organiser_confirms_no_result_that_is_decided_anew_just_then(store, replica, monkeypatch):
    replica.decide()
    store.now += 1
    do_after(monkeypatch, replica.archive, "read_compared", replica.decide)
    with refused(WrongState, "changed meanwhile"):
        replica.confirm_result("due", "")
    assert replica.due == ("decided", store.now + DAY)
    replica.confirm_result("due", "")
    assert replica.due == ("finished", 0)


def test_a_late_start_is_tried_when_a_bot_enters(store, replica):
    put_off(store, replica)
    replica.enter("one")
    assert replica.due == ("open", store.now)


def put_off(store, replica):
    """Let nobody enter until an hour after the start was due."""
    store.now = OCTOBER + DAY // 24
    replica.run_schedule()
    assert replica.due == ("open", store.now + DAY // 24)


def test_a_start_that_is_moved_while_a_bot_enters_is_not_hastened(store, replica, monkeypatch):
    put_off(store, replica)
    do_after(monkeypatch, Tournaments, "enter_bot", lambda: replica.move_start(3))
    replica.enter("one")
    assert replica.due == ("open", OCTOBER + 2 * DAY)


def test_a_start_that_waits_for_nonces_is_not_hastened_by_the_last_entry(store, replica, monkeypatch):
    replica.enter("one", commitment=commit_nonce(NONCE))
    put_off(store, replica)
    do_after(monkeypatch, Tournaments, "enter_bot", lambda: replica.start_tournament("due"))
    replica.enter("two")
    assert replica.due == ("open", store.now + 600_000)


def test_another_spec_with_the_same_start_leaves_a_start_as_late_as_it_is(store, replica, monkeypatch):
    store.now = OCTOBER
    do_after(monkeypatch, Tournaments, "find_tournament", replica.run_schedule)
    replica.edit_spec("due", a_spec(1).replace("cap = 20", "cap = 40"), ADMIN)
    assert "cap = 40" in replica.row.spec
    assert replica.due == ("open", OCTOBER + 60_000)


def test_an_admin_who_enters_a_bot_leaves_the_commitment_that_its_author_gives_just_then(
    replica, monkeypatch
):
    ada = {"account": "ada"}
    replica.enter("fox", "v1", commit_nonce(NONCE), ADA, **ada)
    newer = "fox", "v2", commit_nonce(OTHER), ADA
    do_before(monkeypatch, Tournaments, "enter_bot", lambda: replica.enter(*newer, **ada))
    entry = replica.enter("fox", "v3", **ada)
    assert (entry.version_id, entry.commitment) == ("v3", commit_nonce(OTHER))


def test_an_admin_who_enters_a_bot_anew_gives_a_commitment_where_there_is_none(replica):
    replica.enter("fox", "v1", "", ADA, "ada")
    assert replica.enter("fox", "v2", commit_nonce(NONCE), account="ada").commitment == commit_nonce(NONCE)
    assert replica.enter("fox", "v3", commit_nonce(OTHER), account="ada").commitment == commit_nonce(NONCE)
