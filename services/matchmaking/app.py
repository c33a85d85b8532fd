"""Assembly of the matchmaking service: the one place that knows all its parts."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from maumau.contest.score import UNITS
from maumau.v1 import matchmaking_pb2, matchmaking_pb2_grpc
from services.matchmaking.client import Core
from services.matchmaking.live.client import Engine
from services.matchmaking.live.house import House
from services.matchmaking.live.matcher import Matcher
from services.matchmaking.live.ratings import Ratings
from services.matchmaking.metrics import MatchmakingMetrics
from services.matchmaking.models import (
    MatchmakingAction,
    MatchmakingBeat,
    MatchmakingChange,
    MatchmakingLeader,
    MatchmakingTable,
)
from services.matchmaking.servicer import NEEDS, MatchmakingServicer
from services.matchmaking.status import StatusReader
from services.matchmaking.store import LadderHistory, Ladders, LiveGames, Practices, Seeks
from services.matchmaking.store.census import Census
from services.matchmaking.store.live_tables.house import HouseSeats
from services.matchmaking.store.overtaken import LadderNotices
from services.matchmaking.store.version_number import VersionNumbers
from services.matchmaking.upkeep.history import Historian
from services.matchmaking.upkeep.keeper import Keeper
from services.matchmaking.upkeep.numbering import Numbering
from services.shared.base import clock
from services.shared.base.settings import Settings
from services.shared.process import tasks
from services.shared.process.background import add_leader, keep_calls
from services.shared.process.server import Server
from services.shared.rpc import tls
from services.shared.rpc.notice import Relay
from services.shared.rpc.registry import TokenOwners, Versions
from services.shared.store import migrate, redis
from services.shared.store.common_clock import CommonClock
from services.shared.store.connect import Database
from services.shared.store.leader import Leader as Leadership

MIGRATIONS = Path(__file__).parent / "migrations"
SERVICE = matchmaking_pb2.DESCRIPTOR.services_by_name["MatchmakingService"]
KEEP = 1.0  # seconds between two looks at ladders and practice
NUMBER = 60.0  # seconds between two looks for versions without a number
TEND, MATCH, SWEEP = 0.5, 0.25, 1.0  # seconds between two looks at the seeks of this replica, and at all


async def bind(server: Server, settings: Settings) -> None:
    """Bring the tables up to date and add the service."""
    database = Database(settings.database("matchmaking"), "matchmaking")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, MatchmakingTable.metadata)
    steady = await asyncio.to_thread(CommonClock, database, MatchmakingBeat)
    await asyncio.to_thread(steady.agree)
    token = settings.need("worker_token")
    roots = tls.trusted(settings.tls_ca)
    owners = _token_owners(server, settings, roots)
    versions = Versions(settings.need("registry_address"), token, roots)
    core = Core(settings.need("tournament_address"), token, roots)
    metrics = MatchmakingMetrics(server.registry)
    history, games = LadderHistory(database, UNITS), LiveGames(database)
    state, broker = redis.connect_aio(settings.need("redis_url")), settings.need("broker_url")
    seeks, engine = Seeks(state, settings.quota_seeks), Engine(settings.need("engine_address"), token, roots)
    house = House(HouseSeats(state), versions, tasks.celery_app(broker))
    matcher = Matcher(seeks, house, engine, metrics)
    leader, practices = add_leader(server, database, MatchmakingLeader), Practices(database)
    ladders = Ladders(database, UNITS, leader.guard)
    rests = settings.ladders == "rest"
    keeper = Keeper(ladders, practices, versions, core, steady, metrics, Historian(history), rests=rests)
    keeper.leads = leader.leads
    servicer = MatchmakingServicer(
        ladders=ladders,
        history=history,
        practices=practices,
        versions=versions,
        core=core,
        clock=steady,
        metrics=metrics,
        stopping=server.stopping,
        games=games,
        ratings=Ratings(games),
        matcher=matcher,
        house=house,
        wake=keeper.wake,
        wake_ladder=keeper.wake_ladder,
        take_back_gone=keeper.take_back_gone,
    )
    kept = keep_calls(server, database, leader, MatchmakingAction, MatchmakingChange)
    register = matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server
    server.add(SERVICE, register, servicer, NEEDS, owners.authenticate, *kept)
    _add_status(server, database, seeks, steady, owners)
    server.background("clock of matchmaking", clock.EVERY, partial(asyncio.to_thread, steady.agree))
    _add_tasks(server, keeper, leader, matcher)
    numbering = Numbering(VersionNumbers(database), versions)
    server.background("numbers of versions", NUMBER, leader.only(numbering.add_numbers))
    relay = Relay(LadderNotices(database), versions.channel, versions.address, leader.leads)
    keeper.heard = relay.stir
    server.background("notices of matchmaking", 0.0, relay.look)
    server.on_stop(partial(_close_all, keeper, leader, database, (core, versions, owners, engine, seeks)))


def _token_owners(server: Server, settings: Settings, roots: bytes) -> TokenOwners:
    own = {"admin": settings.need("admin_token"), "worker": settings.need("worker_token")}
    own["reader"] = settings.reader_token  # so that the page works while the registry is down
    vouches = server.gate.are_hosts_certified
    return TokenOwners(settings.need("registry_address"), own, roots, vouches=vouches)


def _add_status(
    server: Server, database: Database, seeks: Seeks, steady: CommonClock, owners: TokenOwners
) -> None:
    """Add the answers to GetStatus and the checks of what the service needs."""
    status = StatusReader(Census(database), seeks, steady)
    server.add_status("matchmaking", status.read_figures, owners.authenticate)
    server.needs.add_call("database", database.check)
    server.needs.add("redis", seeks.check_redis)


def _add_tasks(server: Server, keeper: Keeper, leader: Leadership, matcher: Matcher) -> None:
    """Add the periodic tasks of ladders and live tables."""
    server.background("keeper", KEEP, leader.only(keeper.keep_contests, keeper.cancel_tasks), vital=True)
    server.background("tend", TEND, matcher.tend_followed)
    server.background("match", MATCH, matcher.match_seeks, vital=True)
    server.background("seats", SWEEP, matcher.sweep_seeks)


async def _close_all(
    keeper: Keeper, leader: Leadership, database: Database, neighbours: Sequence[Any]
) -> None:
    await keeper.cancel_tasks()
    await leader.resign()
    for each in neighbours:
        await each.close()
    await asyncio.to_thread(database.close)
