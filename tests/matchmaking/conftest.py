"""An arena with a matchmaking service; the tests' own worker plays what it asks for."""

import uuid
from contextlib import contextmanager
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from maumau.bot.package import pack_submission
from maumau.bots import folder
from maumau.client import Arena as Client
from maumau.v1 import matchmaking_pb2 as pb
from maumau.v1 import matchmaking_pb2_grpc, seek_pb2
from services.engine.app import bind as bind_engine
from services.matchmaking.app import bind as bind_matchmaking
from services.matchmaking.live.house import House
from services.matchmaking.live.matcher import Matcher
from services.matchmaking.live.ratings import Ratings
from services.matchmaking.metrics import Metrics
from services.matchmaking.store import LiveGames, Seeks
from services.matchmaking.store.house import HouseSeats
from services.registry.app import bind as bind_registry
from services.shared.connect import Database
from services.shared.redis import connect_aio
from services.tournament.app import bind as bind_tournament
from tests.kinds import both_kinds
from tests.tournament.arena import ADMIN, Arena, Calls, until


def pytest_generate_tests(metafunc):
    if "new_database" in metafunc.fixturenames:
        kinds = both_kinds(metafunc, "sqlite", "postgresql")
        metafunc.parametrize("new_database", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def new_database(request):
    if request.param == "sqlite":
        return lambda: ""
    return request.getfixturevalue("new_postgresql")


class Matchmaker(Arena):
    """Registry, tournament, engine and matchmaking on one address."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        own = {"engine_address": self.address, "matchmaking_address": self.address}
        self.settings = replace(self.settings, **own)

    def begin(self):
        self.start(bind_registry, bind_tournament, bind_engine, bind_matchmaking)
        return self

    def calls(self, token=ADMIN):
        return Calls(self.address, token, pb, matchmaking_pb2_grpc.MatchmakingServiceStub)

    def live_calls(self, token):
        return Calls(self.address, token, seek_pb2, matchmaking_pb2_grpc.MatchmakingServiceStub)

    def seeks(self, redis_url=""):
        """The seeks in Redis; to be used in the loop."""
        return Seeks(connect_aio(redis_url or self.settings.redis_url), 20)

    @property
    def house_seats(self):
        """Seats for house bots in Redis; to be used in the loop."""
        return HouseSeats(connect_aio(self.settings.redis_url))

    def matcher(self, redis_url, engine):
        """A replica's, without house bots."""
        house = House(HouseSeats(connect_aio(redis_url)), None, None)
        return Matcher(self.seeks(redis_url), house, engine, Metrics(CollectorRegistry()))

    def live_table(self, pool):
        """The ratings of a pool, made anew."""
        database = Database(self.settings.database("matchmaking"), "matchmaking")
        try:
            return Ratings(LiveGames(database)).table(pool)
        finally:
            database.close()

    def ladder(self, *bots, **fields):
        """A new ladder that these bots have joined; its name."""
        name = f"ladder-{uuid.uuid4().hex[:8]}"
        self.calls().CreateLadder(ladder={"name": name, "rules": {"name": "mau_mau"}, **fields})
        for bot in bots:
            self.calls().JoinLadder(ladder=name, bot_name=bot)
        return name

    def lines(self, name):
        return self.calls().GetLeaderboard(ladder=name).lines

    def pairings(self, name, **fields):
        return self.calls().ListPairings(ladder=name, **fields).pairings

    def leave(self, name):
        """Nobody is paired any more, so that other tests have the worker to themselves."""
        for line in self.lines(name):
            self.calls().LeaveLadder(ladder=name, bot_name=line.bot_name)

    def play(self, ready):
        """Plays what waits until this is so."""

        def step():
            if answer := ready():
                return answer
            if order := self.worker.claim():
                self.worker.report(order)
            return None

        return until(step, 60)


@pytest.fixture(scope="session")
def start(loop, new_database, valkey, tmp_path_factory):
    @contextmanager
    def started(**settings):
        folder = tmp_path_factory.mktemp("matchmaking")
        arena = Matchmaker(loop, folder, new_database(), valkey, **settings).begin()
        try:
            yield arena
        finally:
            arena.stop()

    return started


@pytest.fixture(scope="package")
def arena(start):
    with start(sweep=0.5) as arena:
        yield arena


@pytest.fixture(scope="package")
def house(arena):
    """The account of the house, with greedy."""
    token = arena.admin.create_account("house").token
    with Client(arena.address, arena.address, token) as house:
        version = house.submit("greedy", pack_submission(folder("greedy")).archive).version
        arena.pass_validation(version.id)
        house.activate(version.id)
