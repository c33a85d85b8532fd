"""An arena with a matchmaking service; the tests' own worker plays what it asks for."""

import uuid
from contextlib import contextmanager

import pytest

from maumau.v1 import matchmaking_pb2 as pb
from maumau.v1 import matchmaking_pb2_grpc
from services.matchmaking.app import bind as bind_matchmaking
from services.registry.app import bind as bind_registry
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
    """All three services on one address."""

    def begin(self):
        self.start(bind_registry, bind_tournament, bind_matchmaking)
        return self

    def calls(self, token=ADMIN):
        return Calls(self.address, token, pb, matchmaking_pb2_grpc.MatchmakingServiceStub)

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


@pytest.fixture(scope="session")
def arena(start):
    with start(sweep=0.5) as arena:
        yield arena
