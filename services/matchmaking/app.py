"""Builds the matchmaking service: the one place that knows all its parts."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from maumau.contest.score import UNITS
from maumau.v1 import matchmaking_pb2, matchmaking_pb2_grpc
from services.matchmaking.client import Core
from services.matchmaking.history import Historian
from services.matchmaking.keeper import Keeper
from services.matchmaking.live.client import Engine
from services.matchmaking.live.house import House
from services.matchmaking.live.matcher import Matcher
from services.matchmaking.live.ratings import Ratings
from services.matchmaking.metrics import Metrics
from services.matchmaking.models import Action, Change, Leader, Table
from services.matchmaking.servicer import NEEDS, Servicer
from services.matchmaking.status import StatusReader
from services.matchmaking.store import History, Ladders, LiveGames, Practices, Seeks
from services.matchmaking.store.census import Census
from services.matchmaking.store.house import HouseSeats
from services.shared import clock, migrate, redis, tasks, tls
from services.shared.clock import SteadyClock
from services.shared.connect import Database
from services.shared.leader import Leader as Leadership
from services.shared.leader import add_leader
from services.shared.registry import TokenOwners, Versions
from services.shared.retention import keep_calls
from services.shared.server import Server
from services.shared.settings import Settings

MIGRATIONS = Path(__file__).parent / "migrations"
SERVICE = matchmaking_pb2.DESCRIPTOR.services_by_name["MatchmakingService"]
KEEP = 1.0  # seconds between two looks at ladders and practice
TEND, MATCH, SWEEP = 0.5, 0.25, 1.0  # seconds between two looks at the seeks of this replica, and at all


async def bind(server: Server, settings: Settings) -> None:
    """Brings the tables up to date and adds the service."""
    database = Database(settings.database("matchmaking"), "matchmaking")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, Table.metadata)
    steady = SteadyClock(await asyncio.to_thread(database.now))
    token = settings.need("worker_token")
    own, roots = {"admin": settings.need("admin_token"), "worker": token}, tls.trusted(settings.tls_ca)
    own |= {"reader": settings.reader_token}  # the page goes on while the registry is silent
    vouches = server.gate.are_hosts_certified
    owners = TokenOwners(settings.need("registry_address"), own, roots, vouches=vouches)
    versions = Versions(settings.need("registry_address"), token, roots)
    core = Core(settings.need("tournament_address"), token, roots)
    practices = Practices(database)
    metrics, history, games = Metrics(server.registry), History(database, UNITS), LiveGames(database)
    state, broker = redis.connect_aio(settings.need("redis_url")), settings.need("broker_url")
    seeks, engine = Seeks(state, settings.quota_seeks), Engine(settings.need("engine_address"), token, roots)
    house = House(HouseSeats(state), versions, tasks.celery_app(broker))
    matcher = Matcher(seeks, house, engine, metrics)
    leader = add_leader(server, database, Leader)
    ladders = Ladders(database, UNITS, leader.guard)
    keeper = Keeper(ladders, practices, versions, core, steady, metrics, Historian(history))
    servicer = Servicer(
        ladders=ladders, history=history, practices=practices, versions=versions, core=core, clock=steady,
        metrics=metrics, stopping=server.stopping, games=games, ratings=Ratings(games), matcher=matcher,
        house=house,
    )  # fmt: skip

    kept = keep_calls(server, database, leader, Action, Change)
    register = matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server
    server.add(SERVICE, register, servicer, NEEDS, owners.authenticate, *kept)
    status = StatusReader(Census(database), seeks, steady)
    server.add_status("matchmaking", status.read_figures, owners.authenticate)
    server.needs.add_call("database", database.check)
    server.needs.add("redis", seeks.check)
    server.background("clock of matchmaking", clock.EVERY, partial(_follow, steady, database))
    server.background("keeper", KEEP, leader.only(keeper.keep, keeper.rest), vital=True)
    _add_live(server, matcher)
    server.on_stop(partial(_close, keeper, leader, database, (core, versions, owners, engine, seeks)))


def _add_live(server: Server, matcher: Matcher) -> None:
    """What live tables need by themselves."""
    server.background("tend", TEND, matcher.tend)
    server.background("match", MATCH, matcher.match, vital=True)
    server.background("seats", SWEEP, matcher.sweep)


async def _follow(steady: SteadyClock, database: Database) -> None:
    steady.follow(await asyncio.to_thread(database.now))


async def _close(keeper: Keeper, leader: Leadership, database: Database, neighbours: Sequence[Any]) -> None:
    await keeper.rest()
    await leader.resign()
    for each in neighbours:
        await each.close()
    await asyncio.to_thread(database.close)
