"""Registry, tournament, engine and matchmaking on one address, and a worker that plays what they ask for."""

import copy
import uuid
from contextlib import contextmanager, suppress
from dataclasses import replace

from prometheus_client import CollectorRegistry

from maumau.errors import BlockDropped, NotActive, StaleFence
from maumau.v1 import job_pb2, matchmaking_pb2_grpc, seek_pb2
from maumau.v1 import matchmaking_pb2 as pb
from services.engine.app import bind as bind_engine
from services.matchmaking.app import bind as bind_matchmaking
from services.matchmaking.live.house import House
from services.matchmaking.live.matcher import Matcher
from services.matchmaking.live.ratings import Ratings
from services.matchmaking.metrics import MatchmakingMetrics
from services.matchmaking.store import LiveGames, Seeks
from services.matchmaking.store.live_tables.house import HouseSeats
from services.matchmaking.upkeep.take_back import GONE
from services.registry.app import bind as bind_registry
from services.shared.store.connect import Database
from services.shared.store.redis import connect_aio
from services.tournament.app import bind as bind_tournament
from tests.support.arenas.calls import Calls
from tests.support.arenas.tournament import ADMIN, Arena
from tests.support.waiting import free_port, until


class Matchmaker(Arena):
    """Registry, tournament, engine and matchmaking on one address."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        own = {"engine_address": self.address, "matchmaking_address": self.address}
        self.settings = replace(self.settings, **own)

    def begin(self):
        self.start(bind_registry, bind_tournament, bind_engine, bind_matchmaking)
        return self

    @contextmanager
    def second_matchmaking(self):
        """Yield the calls of a second matchmaking service on the same database, which does not lead."""
        address, database_url = f"127.0.0.1:{free_port()}", self.settings.database("matchmaking")
        second = copy.copy(self)
        second.settings = replace(self.settings, listen=address, database_url=database_url)
        server = self.loop.run(second._bind_services((bind_matchmaking,)))
        try:
            yield Calls(address, ADMIN, pb, matchmaking_pb2_grpc.MatchmakingServiceStub)
        finally:
            self.loop.run(server.stop(0.5))

    def calls(self, token=ADMIN):
        return Calls(self.address, token, pb, matchmaking_pb2_grpc.MatchmakingServiceStub)

    def live_calls(self, token):
        return Calls(self.address, token, seek_pb2, matchmaking_pb2_grpc.MatchmakingServiceStub)

    def seeks(self, redis_url=""):
        """Return the seeks in Redis; to be used in the loop."""
        return Seeks(connect_aio(redis_url or self.settings.redis_url), 20)

    @property
    def house_seats(self):
        """Seats for house bots in Redis; to be used in the loop."""
        return HouseSeats(connect_aio(self.settings.redis_url))

    def matcher(self, redis_url, engine):
        """Return a replica's matcher, without house bots."""
        house = House(HouseSeats(connect_aio(redis_url)), None, None)
        return Matcher(self.seeks(redis_url), house, engine, MatchmakingMetrics(CollectorRegistry()))

    def live_table(self, pool):
        """Return the ratings of a pool, made anew."""
        database = Database(self.settings.database("matchmaking"), "matchmaking")
        try:
            return Ratings(LiveGames(database)).compute_table(pool)
        finally:
            database.close()

    def ladder(self, *bots, **fields):
        """Return a new ladder that these bots have joined; its name."""
        name = f"ladder-{uuid.uuid4().hex[:8]}"
        self.calls().CreateLadder(ladder={"name": name, "rules": {"name": "mau_mau"}, **fields})
        for bot in bots:
            self.join(name, bot)
        return name

    def join(self, name, bot):
        """A bot that another ladder has suspended passes its validation first."""

        def has_joined():
            try:
                return self.calls().JoinLadder(ladder=name, bot_name=bot)
            except NotActive:
                self.pass_validation(self.version(bot).id, ["mau_mau"])

        until(has_joined)

    def lines(self, name):
        return self.calls().GetLeaderboard(ladder=name).lines

    def pairings(self, name, **fields):
        return self.calls().ListPairings(ladder=name, **fields).pairings

    def leave(self, name):
        """Remove all bots from the ladder, so that other tests have the worker to themselves."""
        for line in self.lines(name):
            self.calls().LeaveLadder(ladder=name, bot_name=line.bot_name)

    def play(self, ready):
        """Plays what waits until this is so."""

        def play_step():
            if answer := ready():
                return answer
            if order := self.worker.claim():
                with suppress(BlockDropped, StaleFence):  # the block was not needed, or the host too busy
                    self.worker.report(order)
            return None

        return until(play_step, 60)


def play_to_the_end(arena, name):
    """Play all pairings, whose bots have left the ladder, and count them once."""
    arena.play(lambda: all(one.state == job_pb2.JOB_STATE_OVER for one in arena.pairings(name)))
    pairings = arena.pairings(name)
    assert all(one.booked == one.sets or one.words == GONE for one in pairings)
