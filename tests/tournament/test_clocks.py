"""A lease ends by one time, though replicas started before and after the database's clock was set."""

import pytest
from prometheus_client import CollectorRegistry

from services.shared.store.common_clock import SET_BACK, CommonClock
from services.tournament.metrics import TournamentMetrics
from services.tournament.models import TournamentBeat
from services.tournament.play.keeper import Keeper
from services.tournament.store.blocks.claim import Asker
from services.tournament.store.blocks.renewal import Renewal
from tests.support.stores.tournament import LEASE

SWEEP, MINUTE, HOUR = 5.0, 60_000, 3_600_000
PATIENCE = 20_000  # ms without progress after which a lease is not renewed


class Replicas:
    """Two replicas; the database's clock is set by `step` ms between their starts. passed: ms since."""

    def __init__(self, store, monkeypatch, step):
        self.store, self.passed = store, 0
        start = store.now
        monkeypatch.setattr(store.database, "now", lambda: start + self.passed)
        self.keepers = [self.start()]
        monkeypatch.setattr(store.database, "now", lambda: start + self.passed + step)
        self.keepers.append(self.start())
        self.every = round(1000 * self.keepers[0].every)

    def start(self):
        store, metrics = self.store, TournamentMetrics(CollectorRegistry())
        clock = CommonClock(store.database, TournamentBeat, lambda: self.passed)
        keeper = Keeper(store.reaper, store.troubles, clock, metrics, SWEEP, LEASE / 1000)
        keeper.record_beat()
        return keeper

    def claim(self, block_id, clock):
        return self.store.claims.claim_block(block_id, Asker("w", 0), clock(), clock() + LEASE)

    def is_claimed(self, block_id):
        return self.store.state(block_id)[0] == "claimed"

    def pass_beat(self, leader):
        self.passed += self.every
        for keeper in self.keepers:
            keeper.record_beat()
        leader.reap_blocks()


STEPS = (0, 15_000, MINUTE, 10 * MINUTE, -MINUTE, -10 * MINUTE, -2 * SET_BACK)


@pytest.mark.sample(6)
@pytest.mark.parametrize("claims", [0, 1])
@pytest.mark.parametrize("leads", [0, 1])
@pytest.mark.parametrize("step", STEPS)
def test_a_dead_workers_block_is_free_after_a_lease_and_a_half(store, monkeypatch, step, leads, claims):
    replicas = Replicas(store, monkeypatch, step)
    replicas.claim("12", replicas.keepers[claims].clock)
    while replicas.is_claimed("12") and replicas.passed < HOUR:
        replicas.pass_beat(replicas.keepers[leads])
    assert replicas.passed <= 1.5 * LEASE


@pytest.mark.sample(4)
@pytest.mark.parametrize("leads", [0, 1])
@pytest.mark.parametrize("step", STEPS)
def test_a_worker_at_work_keeps_its_block_whichever_replica_it_asks(store, monkeypatch, step, leads):
    replicas = Replicas(store, monkeypatch, step)
    claim = replicas.claim("12", replicas.keepers[0].clock)
    for beat in range(40):
        replicas.pass_beat(replicas.keepers[leads])
        now = replicas.keepers[beat % 2].clock()
        assert store.renewals.renew_lease(Renewal("12", claim.block.fence, beat, now, now + LEASE, 10**9))


@pytest.mark.parametrize("step", [30_000, 8 * HOUR])
def test_a_worker_keeps_its_block_when_the_host_has_slept(store, monkeypatch, step):
    """Nor is it said to make no progress: its deals stood still, too."""
    replicas = Replicas(store, monkeypatch, 0)
    claim = replicas.claim("12", replicas.keepers[0].clock)
    monkeypatch.setattr(store.database, "now", lambda: store.now + replicas.passed + step)
    for keeper in replicas.keepers:
        replicas.pass_beat(keeper)
        now = keeper.clock()
        assert now - store.now >= step
        assert store.renewals.renew_lease(Renewal("12", claim.block.fence, 0, now, now + LEASE, PATIENCE))


@pytest.mark.parametrize("step", [2 * MINUTE, 8 * HOUR])
def test_no_lease_is_ended_before_every_replica_has_heard_of_a_jump(store, monkeypatch, step):
    """The replica that has not beaten yet still gives leases by the old time; they cost nobody."""
    replicas = Replicas(store, monkeypatch, step)
    old, new = replicas.keepers
    claim = replicas.claim("12", old.clock)
    replicas.passed += 1000
    new.reap_blocks()
    assert replicas.is_claimed("12")
    for _ in range(4):
        replicas.pass_beat(new)
    now = old.clock()
    assert store.renewals.renew_lease(Renewal("12", claim.block.fence, 1, now, now + LEASE, 10**9))
    assert store.runs() == []


@pytest.mark.parametrize("step", [-15_000, -10 * MINUTE])
def test_a_start_while_the_clock_is_behind_prolongs_no_lease(store, monkeypatch, step):
    """A replica that starts every 25 seconds keeps no dead worker's block."""
    replicas = Replicas(store, monkeypatch, step)
    replicas.claim("12", replicas.keepers[0].clock)
    while replicas.is_claimed("12") and replicas.passed < HOUR:
        replicas.pass_beat(replicas.keepers[0])
        if replicas.passed % 25_000 == 0:
            replicas.keepers[1] = replicas.start()
    assert replicas.passed <= 1.5 * LEASE
