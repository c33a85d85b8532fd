"""Two services on one PostgreSQL, each with several threads, claim and book at the same time."""

import multiprocessing
from collections import Counter

import pytest
from sqlalchemy import func, select
from sqlmodel import col

from bench.support.patience import Deadline, patient
from maumau.contest.export.chain import Booking, add_link
from services.tournament.models import BlockResult, Contest, Job, Outbox
from tests.support.stores.tournament import Store
from tests.tournament.rival import BOTH, run_rival

ALONE = 60
SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def store(postgresql_url):
    store = Store(postgresql_url)
    for block in ("12", "13", "14", "23", "24", "34"):
        store.end(block)
    store.url = postgresql_url
    yield store
    store.database.close()


@pytest.mark.long
def test_two_services_at_once_claim_each_block_once_and_book_it_once(store):
    store.add_contest("both", BOTH)
    store.add_contest("alone", ALONE)
    for number in range(BOTH):
        store.claim(f"both-{number}", "w")
    shared, played = compete(store)
    claimed = Counter((block, fence) for block, fence, _ in played)
    again = {f"alone-{number}" for number in range(0, ALONE, 5)}
    assert claimed == Counter(
        [(f"alone-{n}", 1) for n in range(ALONE)] + [(block, 2) for block in again]
    )  # fmt: skip
    for block, fence, answers in played:
        assert answers == (["stale", "stale"] if block in again and fence == 1 else [True, False])
    assert Counter(shared) == Counter((f"both-{n}", stored) for n in range(BOTH) for stored in (True, False))
    check_chain(store, "alone", ALONE)
    check_chain(store, "both", BOTH)


def compete(store):
    """Return the answers to two processes about shared blocks, and about those that each claimed."""
    start, answers = SPAWN.Barrier(2), SPAWN.Queue()
    rivals = [
        SPAWN.Process(target=run_rival, args=(store.url, name, store.now, start, answers)) for name in "ab"
    ]
    for rival in rivals:
        rival.start()
    try:
        told = [answer_of(rivals, answers) for _ in rivals]
    finally:
        for rival in rivals:
            rival.join(patient(10))
            rival.kill()
    return [one for shared, _ in told for one in shared], [one for _, played in told for one in played]


def answer_of(rivals, answers):
    """Return the next answer; raise an error at once if a process without one has failed."""
    last = Deadline(90)
    while answers.empty():
        assert not any(rival.exitcode for rival in rivals), "a rival failed"
        assert not last.has_passed(), "a rival does not answer"
        last.pause()
    return answers.get(timeout=patient(10))


def check_chain(store, name, count):
    """Check that every block has one result, linked and published once, and the sums of contest and job."""
    with store.database.read() as session:
        contest, job = session.get_one(Contest, name), session.get_one(Job, name)
        booked = select(BlockResult).where(col(BlockResult.block_id).startswith(f"{name}-"))
        results = session.scalars(booked.order_by(col(BlockResult.booking))).all()
        told = session.scalar(select(func.count()).where(col(Outbox.contest_id) == name))
    chain = contest.root
    for one in results:
        chain = add_link(chain, Booking(job.label, job.take, int(one.digest), one.digest))
        assert one.chain == chain
    assert [one.booking for one in results] == list(range(1, count + 1))
    assert {one.block_id for one in results} == {f"{name}-{number}" for number in range(count)}
    assert (contest.booked, contest.chain, contest.changes) == (count, chain, count)
    assert (job.changed, job.started_at, told) == (count, store.now, count)
