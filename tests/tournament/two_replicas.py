"""Two replicas of every service, as processes, with a ladder and a live table beside the cup."""

import threading
import urllib.request

from bench.support.lab import ADMIN, Lab
from bench.support.patience import patient
from maumau.errors import DatabaseUnavailable
from maumau.v1 import (
    engine_pb2,
    engine_pb2_grpc,
    matchmaking_pb2,
    matchmaking_pb2_grpc,
    registry_pb2,
    registry_pb2_grpc,
)
from services.shared.base.clock import HOUR
from tests.support.arenas.calls import Calls
from tests.support.arenas.cup import OURS, QUICK, insist_on
from tests.support.arenas.engine import make_table
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.arenas.replica import check_told_once
from tests.support.arenas.seat import Player, first_action
from tests.support.arenas.tournament import SeatingWorker
from tests.support.waiting import until

OTHERS = ("registry", "engine", "matchmaking", "web")


def start_lab(folder):
    """Return a lab to be entered, with all replicas running."""
    beside = [name + number for number in ("", "-2") for name in OTHERS]
    told = {"READER_TOKEN": "mm_the-reader-of-these-tests", "AUDIT": "0", **OURS, **QUICK}
    return Lab("postgresql", folder, replicas=2, beside=beside, **told)


def service_of(name):
    return name.partition("-")[0]


def other_of(name):
    """Return the second replica of the same service."""
    return service_of(name) if "-" in name else f"{name}-2"


def calls(service, address, token):
    messages, stub = {
        "registry": (registry_pb2, registry_pb2_grpc.RegistryServiceStub),
        "matchmaking": (matchmaking_pb2, matchmaking_pb2_grpc.MatchmakingServiceStub),
        "engine": (engine_pb2, engine_pb2_grpc.EngineServiceStub),
    }[service]
    return Calls(address, token, messages, stub)


class LabArena(Matchmaker):
    """The test arena's interface to the services in a lab: to any replica that answers."""

    def __init__(self, lab):
        self.lab, self.admin, self.bots = lab, lab.admin, {}
        self.worker = SeatingWorker(lab.client_address("tournament"), "w-ladder")

    def registry(self, token):
        return calls("registry", self.lab.client_address("registry"), token)

    def calls(self, token=ADMIN):
        return calls("matchmaking", self.lab.client_address("matchmaking"), token)

    def ask(self, name):
        """Return the calls of one replica."""
        return calls(service_of(name), self.lab.addresses[name], ADMIN)

    def page(self, name, path):
        with urllib.request.urlopen(f"http://{self.lab.addresses[name]}{path}", timeout=patient(20)) as said:
            return said.read().decode()


class LiveTable:
    """Two seats, which come back to the other replica when one is gone; a move is made when it is let."""

    def __init__(self, arena):
        self.replicas = [arena.ask(name) for name in ("engine", "engine-2")]
        self.table, tokens = make_table(self.replicas[0], "mau_mau", 2, {"bank_ms": HOUR})
        self._let = threading.Semaphore(0)
        self.players = [Player(self.replicas, token, self._choose) for token in tokens]

    def _choose(self, told):
        self._let.acquire()
        return first_action(told)

    def move(self):
        """Make one move, which is accepted."""
        before = self._taken()
        self._let.release()
        until(lambda: self._taken() > before, 60)

    def _taken(self):
        return sum(player.taken for player in self.players)

    def _is_answered(self):
        """Return True once the second replica answers: a connection that its Redis closed fails one call."""
        try:
            return self.replicas[1].GetTable(table_id=self.table.id)
        except DatabaseUnavailable:
            return False

    def finish(self, redis_url):
        """Finish, and check that nothing was lost or published twice."""
        self._let.release(10_000)
        assert all(player.ended() for player in self.players)
        self.replicas[1].redis_url = redis_url
        until(self._is_answered, 30)
        check_told_once(self.replicas[1], self.table, self.players)


def check_the_other(arena, cup, ladder, table, killed):
    """Run requests to the remaining replica while the other one is down."""
    other = other_of(killed)
    asked = {
        "registry": lambda: len(arena.ask(other).ListBots().bots) == 2,
        "tournament": lambda: cup.play(1, other),
        "engine": lambda: table.move() is None,
        "matchmaking": lambda: len(arena.ask(other).GetLeaderboard(ladder=ladder).lines) == 2,
        "web": lambda: "random-1" in arena.page(other, "/contests/random"),
    }
    assert insist_on(asked[service_of(killed)])
