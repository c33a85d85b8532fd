"""A replica is stopped while somebody watches there: he goes on at another one, and misses nothing."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from msgspec.structs import replace

from bench.support.lab import ADMIN, Lab
from bench.support.patience import patient
from maumau.client.answer import LiveDeal, Tournament, TournamentEvent
from maumau.client.arena import Arena
from maumau.client.live import Tables
from tests.support.arenas.cup import OURS, Cup
from tests.support.host.cut import Proxy
from tests.support.waiting import until
from tests.tournament.test_live import told
from tests.tournament.two_replicas import LabArena, LiveTable

pytestmark = pytest.mark.long

LEAVES, STAYS = ("tournament", "engine"), ("tournament-2", "engine-2")
PATIENCE = 60


class Follower(threading.Thread):
    """The messages of a client's watch, in order."""

    def __init__(self, watch):
        super().__init__(daemon=True)
        self.watch, self.parts = watch, []
        self.start()

    def run(self):
        for part in self.watch:
            self.parts.append(part)

    def ended(self):
        self.join(patient(60))
        return not self.is_alive()


class Followers:
    """Watchers of a tournament, a match and a live table."""

    def __init__(self, arena, tables, cup, label, table):
        self.tournament = Follower(arena.watch(cup))
        self.match = Follower(arena.watch_match(cup, label))
        self.table = Follower(tables.watch(table))
        self.all = (self.tournament, self.match, self.table)

    @property
    def events(self):
        """Of the tournament; how its match stands is said as it stands when the event is told."""
        told = [part for part in self.tournament.parts if isinstance(part, TournamentEvent)]
        return [replace(one, match=one.match and one.match.label) for one in told]

    @property
    def deals(self):
        return [part for part in self.match.parts if isinstance(part, LiveDeal)]

    @property
    def moves(self):
        """The events at the table, however many of them came in one message."""
        lines = [json.loads(part.line) for part in self.table.parts if part.kind == "news"]
        return [event for line in lines for event in line["events"]]

    def comings(self):
        """Return the number of starts of each watch, which begins with the present state."""
        pictures = sum(isinstance(part, Tournament) for part in self.tournament.parts)
        tables = [part.table.state for part in self.table.parts if part.kind == "table"]
        return pictures, sum(state not in {"over", "void"} for state in tables)


@pytest.fixture
def lab(tmp_path):
    beside = ("registry", "engine", "engine-2")
    with Lab("postgresql", tmp_path / "lab", replicas=2, beside=beside, LEASE=3600, **OURS) as lab:
        yield lab


@pytest.fixture
def lead(lab):
    """Addresses that lead to one replica, and then to another; and a client of each kind by given ones."""
    with ExitStack() as stack:
        proxies = [Proxy(lab.addresses[name]) for name in LEAVES]
        for proxy in proxies:
            stack.callback(proxy.close)

        def clients(tournament, engine):
            arena = Arena(lab.addresses["registry"], tournament, ADMIN, patience=patient(PATIENCE))
            tables = Tables(engine, ADMIN, patience=patient(PATIENCE))
            return stack.enter_context(arena), stack.enter_context(tables)

        yield proxies, clients


def go_on(cup, table, order, number):
    """Something happens that each watcher is told of."""
    shown = {"block_id": order.block_id, "fence": order.fence, "deals": [told(order, number)]}
    cup.workers[STAYS[0]].ReportDeals(**shown)
    assert cup.play(2, STAYS[0])
    table.move()


def test_who_watches_at_a_replica_that_is_stopped_is_told_what_those_elsewhere_are(lab, lead, undisturbed):
    proxies, clients = lead
    cup, table = Cup(lab), LiveTable(LabArena(lab))
    order = cup.workers[STAYS[0]].claim(wait=5.0)
    watched = cup.id, order.label, table.table.id
    goes = Followers(*clients(*[proxy.address for proxy in proxies]), *watched)
    stays = Followers(*clients(*[lab.addresses[name] for name in STAYS]), *watched)
    until(lambda: all(one.parts for one in (*goes.all, *stays.all)), 60)

    go_on(cup, table, order, 0)
    until(lambda: goes.deals and goes.moves and "block_done" in {one.kind for one in goes.events}, 60)
    for proxy, name in zip(proxies, STAYS, strict=True):
        proxy.lead_to(lab.addresses[name])
    with ThreadPoolExecutor() as pool:
        codes = pool.map(lab.stop, LEAVES)
        go_on(cup, table, order, 1)
        assert list(codes) == [0, 0]
    go_on(cup, table, order, 2)
    cup.report(cup.workers[STAYS[0]], order)
    cup.play(1000, STAYS[0])
    table.finish(f"{lab.redis}/0")
    assert all(one.ended() for one in (*goes.all, *stays.all))
    assert min(goes.comings()) > 1
    assert stays.comings() == (1, 1)
    assert goes.events == stays.events
    assert [deal.set for deal in goes.deals] == [order.first_set + number for number in range(3)]
    assert goes.deals == stays.deals
    assert goes.moves == stays.moves
    assert cup.compared(STAYS[0]) == undisturbed
