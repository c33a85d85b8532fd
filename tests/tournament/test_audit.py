"""Booked blocks are played again by other workers, and compared."""

import pytest
from sqlalchemy import text

from maumau import wire
from services.shared.connect import Database
from tests.tournament.arena import Worker, play_set, until

DATABASES = ["sqlite"]  # what is compared does not depend on it
CUP = {"block": 1, "cap": 3, "top": 'secret = "one-secret-for-both-runs"'}
FIELD = ("first", "second", "random", "third")  # different programs: what is not random plays the first card
NAMES = ("test", "host-1", "host-2")


@pytest.fixture(scope="module")
def auditing(start):
    """All that is booked is played again."""
    with start(audit=1, sweep=0.1) as arena:
        yield arena


@pytest.fixture(scope="module")
def workers(auditing):
    """Three that claim, on a host each; the first is the arena's own."""
    made = [auditing.worker, *(Worker(auditing.address, name) for name in NAMES[1:])]
    for worker in made:
        worker.ReportTest(worker=worker.name, unfit="")
    return made


def rows(arena, words):
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.read() as session:
        found = [tuple(row) for row in session.execute(text(words))]
    database.close()
    return found


def outcomes(arena):
    return [outcome for (outcome,) in rows(arena, "SELECT outcome FROM audit")]


def settle(arena, workers, given=lambda order: None):
    """Whoever may plays again what waits, until all is compared; given: the sets that are reported."""

    def play():
        for (block_id,) in rows(arena, "SELECT id FROM block WHERE state = 'queued' AND barred <> ''"):
            for worker in workers:
                if order := worker.claim(block_id):
                    worker.report(order, given(order))
                    break
        return "open" not in outcomes(arena)

    until(play, 60)


def with_other_moves(order):
    """Legal deals from these seeds, but with moves that no program of the order makes."""
    names = tuple("first" if one.name.startswith("random") else "random" for one in order.entrants)
    sets = (
        play_set(order.rules.name, names, order.first_set + i, seed) for i, seed in enumerate(order.seeds)
    )
    return list(map(wire.set_message, sets))


def played_deals(arena, name):
    """What an export says of deals and results, without the tournament's name."""
    lines = arena.export(name).splitlines()
    return [
        line
        for line in lines
        if line.startswith((b'{"kind":"record"', b'{"kind":"result"', b'{"kind":"table"'))
    ]


@pytest.fixture(scope="module")
def undisturbed(auditing, workers):
    """A cup whose blocks were all played as they were ordered, and audited."""
    auditing.finish(name := auditing.begin(*FIELD, **CUP))
    settle(auditing, workers)
    return name


def test_what_is_played_alike_is_audited_once_and_never_by_the_same_worker(auditing, undisturbed):
    assert set(outcomes(auditing)) == {"same"}
    assert len(outcomes(auditing)) == len(auditing.blocks(undisturbed, "done"))
    pairs = (
        "SELECT a.worker, b.worker FROM audit JOIN block a ON a.id = block_id JOIN block b ON b.id = second"
    )
    assert all(booked != again for booked, again in rows(auditing, pairs))
    until(lambda: rows(auditing, "SELECT state FROM contest WHERE purpose = 'audit'") == [("over",)])
    assert auditing.metric("audits_total", outcome="same") == len(outcomes(auditing))


def test_a_worker_that_plays_by_itself_is_suspended_and_its_open_matches_begin_again(
    auditing, undisturbed, workers
):
    liar = Worker(auditing.address, "liar-1")
    name = auditing.begin(*FIELD, **CUP)
    for block in auditing.queued(name):
        if block.number < 2:  # the third keeps its match open
            order = liar.claim(block.id)
            liar.report(order, with_other_moves(order))
    settle(auditing, workers)

    def state(worker):
        return next(one for one in auditing.admin.workers() if one.name == worker)

    until(lambda: state("liar-1").state == "suspended")
    assert "too often for chance" in state("liar-1").words
    assert {state(worker.name).state for worker in workers}.isdisjoint({"suspended"})
    assert liar.claim() is None
    auditing.finish(name)
    assert played_deals(auditing, name) == played_deals(auditing, undisturbed) != []
