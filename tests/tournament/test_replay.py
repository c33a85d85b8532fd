"""Some of what a worker reports is played again before it is booked: invented deals do not count."""

from contextlib import suppress

import psutil
import pytest

from maumau.errors import BadReport
from tests.support.arenas.calls import refused
from tests.support.arenas.play import play_order
from tests.support.arenas.tournament import CUP, SeatingWorker, Worker
from tests.support.waiting import until

DATABASES = ["sqlite"]  # reports are refused before the database is asked


@pytest.fixture(scope="module")
def replaying(start):
    """Yield an arena that replays one of a block's five sets."""
    with start(replay=0.04) as arena:
        yield arena


def invented(order, lies=slice(None)):
    """Return played sets with another result of each deal in `lies`, also in its record."""
    sets = play_order(order)
    for deal in (deal for one in sets[lies] for deal in one.deals):
        places, points = list(deal.places), list(deal.points)
        deal.places[:], deal.points[:] = places[::-1], points[::-1]
        said, told = (
            "result places {} {} points {} {}".format(*pair, *score)
            for pair, score in ((places, points), (deal.places, deal.points))
        )
        assert said in deal.record
        deal.record = deal.record.replace(said, told)
    return sets


def test_who_invents_deals_books_nothing_and_is_given_no_more(replaying):
    name = replaying.begin("first", "random", block=5, cap=5)
    liar = Worker(replaying.address, "liar")
    order = until(liar.claim)
    with refused(BadReport, "when it was played again"):
        liar.report(order, invented(order))
    (found,) = [one for one in replaying.admin.workers() if one.name == "liar"]
    assert found.state == "suspended"
    assert found.words.startswith("match 1.1.1, deals that were not played as reported: set ")
    assert replaying.metric("blocks_total", outcome="refused") == 1
    liar.RenewLease(block_id=order.block_id, fence=order.fence, give_back=True)
    replaying.end_rest(order.block_id)
    liar.ReportTest(worker="liar", unfit="")
    assert liar.claim() is None
    replaying.finish(name)
    assert replaying.admin.tournament(name).state == "finished"


@pytest.mark.long
def test_who_invents_a_seating_is_found_when_it_is_joined_and_not_who_played_the_other(replaying):
    liar, honest = (SeatingWorker(replaying.address, name) for name in ("wrong-1", "right-1"))
    name = replaying.begin("first", "random", block=5, cap=5)
    for worker in (honest, liar):  # both have asked for work
        order = until(worker.claim)
        worker.RenewLease(block_id=order.block_id, fence=order.fence, give_back=True)
    order = liar.claim()
    assert liar.report(order, invented(order)).stored
    assert honest.report(honest.claim()).stored  # it is kept, and the other one is played again
    states = {one.name: one.state for one in replaying.admin.workers() if one.name in {"wrong-1", "right-1"}}
    assert states == {"wrong-1": "suspended", "right-1": "present"}
    replaying.end_rest(order.block_id)
    again = until(honest.claim)
    assert list(again.seatings) == list(order.seatings)
    assert honest.report(again).stored
    assert [block.state for block in replaying.blocks(name)] == ["done"]


@pytest.mark.long
def test_in_a_bracket_a_single_invented_set_is_found(replaying):
    name = replaying.begin("first", "random", "first", "random", **CUP)
    for number in range(5):
        liar = Worker(replaying.address, f"liar-{number}")
        order = until(liar.claim)
        with refused(BadReport, f"set {order.first_set + number}: "):
            liar.report(order, invented(order, slice(number, number + 1)))
        liar.RenewLease(block_id=order.block_id, fence=order.fence, give_back=True)
        replaying.end_rest(order.block_id)
    replaying.finish(name)
    assert replaying.admin.tournament(name).state == "finished"


@pytest.mark.long
def test_what_was_played_is_booked_though_the_process_that_plays_it_again_is_killed(replaying):
    replaying.finish(replaying.begin("first", "crash", block=5, cap=10))
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # others end meanwhile
            if "maumau.process.spread" in process.cmdline():
                process.kill()
    name = replaying.begin("first", "random", block=5, cap=5)
    replaying.finish(name)
    assert replaying.admin.tournament(name).state == "finished"
