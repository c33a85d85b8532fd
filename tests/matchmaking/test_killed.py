"""Real matchmaking services, killed while they book results (`make test-long`)."""

import pytest
from sqlalchemy import delete, text, update

from maumau.v1 import matchmaking_pb2 as pb
from maumau.v1 import matchmaking_pb2_grpc
from services.engine.app import bind as bind_engine
from services.matchmaking.models import Epoch, Meeting, Result
from services.matchmaking.store import Ladders
from services.registry.app import bind as bind_registry
from services.shared.store.connect import Database
from services.shared.store.leader import identify
from services.tournament.app import bind as bind_tournament
from tests.support.arenas.calls import Calls
from tests.support.arenas.matchmaker import Matchmaker, play_to_the_end
from tests.support.arenas.replica import Replica
from tests.support.arenas.tournament import ADMIN, WORKER
from tests.support.waiting import until

pytestmark = pytest.mark.long

KILLS = 6


class SeparateMatchmaker(Matchmaker):
    """The matchmaking service is a process, all others are here."""

    def begin_apart(self, folder):
        self.start(bind_registry, bind_tournament, bind_engine)
        self.service = self.spawn(folder)
        return self

    def spawn(self, folder):
        """Start a replica."""
        addresses = {f"MAUMAU_{name}_ADDRESS": self.address for name in ("REGISTRY", "TOURNAMENT", "ENGINE")}
        return Replica(
            folder, self.redis_url, "matchmaking", **addresses, MAUMAU_ADMIN_TOKEN=ADMIN,
            MAUMAU_WORKER_TOKEN=WORKER, MAUMAU_DATA=str(self.settings.data),
            MAUMAU_BROKER_URL=self.settings.broker_url, MAUMAU_DATABASE_URL=self.settings.database_url,
        )  # fmt: skip

    def calls(self, token=ADMIN):
        return Calls(self.service.address, token, pb, matchmaking_pb2_grpc.MatchmakingServiceStub)


@pytest.fixture
def arena(loop, new_database, valkey, tmp_path):
    (tmp_path / "core").mkdir()
    arena = SeparateMatchmaker(loop, tmp_path / "core", new_database(), valkey, sweep=0.3)
    arena.begin_apart(tmp_path / "matchmaking")
    yield arena
    arena.service.kill()
    arena.stop()


@pytest.fixture
def ladders(arena):
    database = Database(arena.settings.database("matchmaking"), "matchmaking")
    yield Ladders(database, {"win": 4})
    database.close()


def test_who_is_killed_while_it_books_counts_everything_once(arena, ladders):
    """And a recompute from the core's log gives the same statistics to the last bit."""
    name = arena.ladder(*arena.field("first", "random", "first"))
    for _ in range(KILLS):
        arena.worker.report(until(arena.worker.claim, 30))
        arena.service.kill()
        arena.service.start()
    arena.leave(name)
    play_to_the_end(arena, name)
    assert ladders.read_pool(name).played.sets >= 5 * KILLS
    check_counted_again(arena, ladders, name)


def check_counted_again(arena, ladders, name):
    """Read again from its beginning, the core's log gives the same to the last bit."""
    before, numbers = ladders.read_pool(name), numbers_of(ladders, name)
    arena.service.kill()
    with ladders.database.write() as session:
        session.execute(delete(Result))
        session.execute(delete(Meeting))
        session.execute(update(Epoch).values(cursor=0))
    assert not ladders.read_pool(name).played.sets
    arena.service.start()
    until(lambda: ladders.read_pool(name).played.sets >= before.played.sets, 30)
    assert ladders.read_pool(name).played == before.played
    assert numbers_of(ladders, name) == numbers


def numbers_of(ladders, name):
    """Return every bit of the ratings."""
    posterior = ladders.read_pool(name).compute_posterior()
    return posterior.theta.tobytes(), posterior.covariance.tobytes()


def find_leader(ladders, *replicas):
    """Return the leading replica."""
    with ladders.database.read() as session:
        holder = session.execute(text("SELECT holder FROM leader")).scalar()
    return {identify(one.address): one for one in replicas}.get(holder)


def test_when_the_leader_is_killed_the_other_counts_everything_once(loop, new_postgresql, valkey, tmp_path):
    (tmp_path / "core").mkdir()
    arena = SeparateMatchmaker(loop, tmp_path / "core", new_postgresql(), valkey, sweep=0.3)
    arena.begin_apart(tmp_path / "one")
    pair = [arena.service, arena.spawn(tmp_path / "two")]
    ladders = Ladders(Database(arena.settings.database("matchmaking"), "matchmaking"), {"win": 4})
    try:
        name = arena.ladder(*arena.field("first", "random", "first"))
        for _ in range(KILLS // 2):
            arena.worker.report(until(arena.worker.claim, 30))
        leader = until(lambda: find_leader(ladders, *pair), 30)
        (arena.service,) = (one for one in pair if one is not leader)
        leader.kill()
        for _ in range(KILLS // 2):
            arena.worker.report(until(arena.worker.claim, 60))
        until(lambda: find_leader(ladders, *pair) is arena.service, 60)
        arena.leave(name)
        play_to_the_end(arena, name)
        assert ladders.read_pool(name).played.sets >= 5 * KILLS
        check_counted_again(arena, ladders, name)
    finally:
        for one in pair:
            one.kill()
        ladders.database.close()
        arena.stop()
