"""Assembly of the matchmaking service: the one place that knows all its parts."""

import asyncio
from functools import partial
from pathlib import Path
from typing import NamedTuple

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


class Outside(NamedTuple):
    """Dependencies that the service shares with others: database, neighbours, seeks and the clock."""

    database: Database
    owners: TokenOwners
    versions: Versions
    core: Core
    engine: Engine
    seeks: Seeks
    house: House
    clock: CommonClock


async def bind(server: Server, settings: Settings) -> None:
    """Bring the tables up to date and add the service."""
    outside = await _open_neighbours(server, settings)
    database, versions, steady = outside.database, outside.versions, outside.clock
    leader = add_leader(server, database, MatchmakingLeader)
    servicer, keeper = _build_servicer(server, settings, outside, leader)
    kept = keep_calls(server, database, leader, MatchmakingAction, MatchmakingChange)
    register = matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server
    server.add(SERVICE, register, servicer, NEEDS, outside.owners.authenticate, *kept)
    _add_status(server, outside)
    server.background("clock of matchmaking", clock.EVERY, partial(asyncio.to_thread, steady.agree))
    _add_tasks(server, keeper, leader, servicer.matcher)
    numbering = Numbering(VersionNumbers(database), versions)
    server.background("numbers of versions", NUMBER, leader.only(numbering.add_numbers))
    relay = Relay(LadderNotices(database), versions.channel, versions.address, leader.leads)
    keeper.heard = relay.stir
    server.background("notices of matchmaking", 0.0, relay.look)
    server.on_stop(partial(_close_all, keeper, leader, outside))


async def _open_neighbours(server: Server, settings: Settings) -> Outside:
    database = Database(settings.database("matchmaking"), "matchmaking")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, MatchmakingTable.metadata)
    steady = await asyncio.to_thread(CommonClock, database, MatchmakingBeat)
    await asyncio.to_thread(steady.agree)
    token, roots = settings.need("worker_token"), tls.trusted(settings.tls_ca)
    versions = Versions(settings.need("registry_address"), token, roots)
    state, broker = redis.connect_aio(settings.need("redis_url")), settings.need("broker_url")
    return Outside(
        database=database,
        owners=_token_owners(server, settings, roots),
        versions=versions,
        core=Core(settings.need("tournament_address"), token, roots),
        engine=Engine(settings.need("engine_address"), token, roots),
        seeks=Seeks(state, settings.quota_seeks),
        house=House(HouseSeats(state), versions, tasks.celery_app(broker)),
        clock=steady,
    )


def _build_servicer(
    server: Server, settings: Settings, outside: Outside, leader: Leadership
) -> tuple[MatchmakingServicer, Keeper]:
    """Return the service, and the keeper of ladders and practice that it wakes."""
    database, versions, core, steady = outside.database, outside.versions, outside.core, outside.clock
    metrics = MatchmakingMetrics(server.registry)
    history, games = LadderHistory(database, UNITS), LiveGames(database)
    ladders, practices = Ladders(database, UNITS, leader.guard), Practices(database)
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
        matcher=Matcher(outside.seeks, outside.house, outside.engine, metrics),
        house=outside.house,
        wake=keeper.wake,
        wake_ladder=keeper.wake_ladder,
        take_back_gone=keeper.take_back_gone,
    )
    return servicer, keeper


def _token_owners(server: Server, settings: Settings, roots: bytes) -> TokenOwners:
    own = {"admin": settings.need("admin_token"), "worker": settings.need("worker_token")}
    own["reader"] = settings.reader_token  # so that the page works while the registry is down
    vouches = server.gate.are_hosts_certified
    return TokenOwners(settings.need("registry_address"), own, roots, vouches=vouches)


def _add_status(server: Server, outside: Outside) -> None:
    """Add the answers to GetStatus and the checks of what the service needs."""
    status = StatusReader(Census(outside.database), outside.seeks, outside.clock)
    server.add_status("matchmaking", status.read_figures, outside.owners.authenticate)
    server.needs.add_call("database", outside.database.check)
    server.needs.add("redis", outside.seeks.check_redis)


def _add_tasks(server: Server, keeper: Keeper, leader: Leadership, matcher: Matcher) -> None:
    """Add the periodic tasks of ladders and live tables."""
    server.background("keeper", KEEP, leader.only(keeper.keep_contests, keeper.cancel_tasks), vital=True)
    server.background("tend", TEND, matcher.tend_followed)
    server.background("match", MATCH, matcher.match_seeks, vital=True)
    server.background("seats", SWEEP, matcher.sweep_seeks)


async def _close_all(keeper: Keeper, leader: Leadership, outside: Outside) -> None:
    await keeper.cancel_tasks()
    await leader.resign()
    for each in (outside.core, outside.versions, outside.owners, outside.engine, outside.seeks):
        await each.close()
    await asyncio.to_thread(outside.database.close)
