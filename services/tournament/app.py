"""Assembly of the tournament service: the one place that knows all its parts."""

import asyncio
from asyncio import to_thread
from functools import partial
from pathlib import Path
from typing import NamedTuple

from maumau.v1 import job_pb2, job_pb2_grpc, tournament_pb2, tournament_pb2_grpc
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
from services.shared.store.storage import Storage
from services.tournament.domain.turn import Turns
from services.tournament.history.archive import Archive
from services.tournament.history.exports import MIB, Exports
from services.tournament.history.fairness import Fairness
from services.tournament.history.job_record import JobRecords
from services.tournament.history.mover import Mover
from services.tournament.history.record_file import RecordFiles
from services.tournament.metrics import TournamentMetrics, WaitingGauges
from services.tournament.models import (
    TournamentAction,
    TournamentBeat,
    TournamentChange,
    TournamentLeader,
    TournamentTable,
)
from services.tournament.organising.boards import Boards
from services.tournament.organising.organiser import Organiser
from services.tournament.organising.preview import Previewer
from services.tournament.organising.suspension import report_suspensions
from services.tournament.organising.sweep import Follower, Sweeper, Teller
from services.tournament.play.auditor import Auditor
from services.tournament.play.isolator import Isolator
from services.tournament.play.keeper import Keeper
from services.tournament.play.lease import Leases
from services.tournament.play.replay import Replays
from services.tournament.rpc.job_servicer import NEEDS as JOB_NEEDS
from services.tournament.rpc.job_servicer import JobServicer
from services.tournament.rpc.servicer import NEEDS, TournamentServicer
from services.tournament.rpc.work_servicer import Lanes
from services.tournament.status import StatusReader
from services.tournament.store.blocks.audit import Audits
from services.tournament.store.blocks.claim import Claims
from services.tournament.store.blocks.isolation import Isolations
from services.tournament.store.blocks.queue import Queue
from services.tournament.store.blocks.reaper import Reaper
from services.tournament.store.blocks.worker import Workers
from services.tournament.store.broadcast.live import Live
from services.tournament.store.broadcast.stream import Reader
from services.tournament.store.broadcast.watch import Streams
from services.tournament.store.contests.job import Jobs
from services.tournament.store.contests.notice import ContestNotices
from services.tournament.store.contests.schedule import Schedule
from services.tournament.store.contests.tournament import Tournaments
from services.tournament.store.outcomes.form import Forms
from services.tournament.store.outcomes.result import Results
from services.tournament.store.upkeep.census import Census
from services.tournament.store.upkeep.record import Records
from services.tournament.store.upkeep.trouble import Troubles
from services.tournament.watching.bell import Bell, Signals
from services.tournament.watching.feed import Feeds
from services.tournament.watching.watch import Watcher

STORE_NAMES = ("exports", "records")
SWEEPS_BETWEEN_MOVES = 12  # sweeps between two searches for records that are old enough to be moved
RING = 0.2  # seconds between two checks for work on behalf of waiting workers
MIGRATIONS = Path(__file__).parent / "migrations"
SERVICE = tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"]
JOB_SERVICE = job_pb2.DESCRIPTOR.services_by_name["JobService"]


class Outside(NamedTuple):
    """Dependencies that the service shares with others: databases, neighbours, and the clock."""

    database: Database
    exports: Storage
    records: Storage
    registry: Versions
    owners: TokenOwners
    reader: Reader
    live: Live
    clock: CommonClock


async def bind(server: Server, settings: Settings) -> None:
    """Bring the tables up to date and add the service."""
    outside = await _open_neighbours(server, settings)
    servicer = _build_servicer(server, settings, outside)
    leader = add_leader(server, outside.database, TournamentLeader)
    _add_services(server, outside, servicer, leader)
    await _record_beat(servicer)  # before any renewal: leases that ran out while it was away are excused
    server.needs.add_call("database", outside.database.check)
    server.needs.add("redis", outside.live.check_redis, vital=False)
    server.needs.add_call("broker", partial(tasks.check, servicer.sweeper.app), vital=False)
    _add_background(server, settings.sweep, servicer, leader)
    _add_mover(server, settings, outside, servicer, leader)
    _add_notices(server, outside, servicer, leader)
    tell = partial(report_suspensions, Forms(outside.database), outside.registry.suspend)
    server.background("suspension", settings.sweep, servicer.sweeper.skip_when_idle(leader.only(tell)))
    server.on_stop(partial(_close_all, outside, servicer, leader))


async def _open_neighbours(server: Server, settings: Settings) -> Outside:
    database = Database(settings.database("tournament"), "tournament")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, TournamentTable.metadata)
    own = {"admin": settings.need("admin_token"), "worker": settings.need("worker_token")}
    own |= {"reader": settings.reader_token}
    address, roots = settings.need("registry_address"), tls.trusted(settings.tls_ca)
    stores = {one: Storage(settings.stores()[one], f"MAUMAU_{one.upper()}") for one in STORE_NAMES}
    for store in stores.values():
        await asyncio.to_thread(store.check)
    return Outside(
        database=database,
        **stores,
        registry=Versions(address, own["worker"], roots),
        owners=TokenOwners(address, own, roots, vouches=server.gate.are_hosts_certified),
        reader=Reader(redis.connect_reader(settings.need("redis_url"))),
        live=Live(redis.connect_hasty(settings.need("redis_url"))),
        clock=await asyncio.to_thread(CommonClock, database, TournamentBeat),
    )


def _add_services(server: Server, outside: Outside, servicer: TournamentServicer, leader: Leadership) -> None:
    """Add the service of tournaments, and that of all other jobs."""
    kept = keep_calls(server, outside.database, leader, TournamentAction, TournamentChange)
    calls = outside.owners.authenticate, *kept
    register = tournament_pb2_grpc.add_TournamentServiceServicer_to_server
    server.add(SERVICE, register, servicer, NEEDS, *calls)
    jobs = JobServicer(
        jobs=servicer.sweeper.jobs,
        registry=outside.registry,
        follower=servicer.follower,
        clock=outside.clock,
        signals=servicer.signals,
        records=JobRecords(servicer.sweeper.jobs, servicer.archive.results, servicer.archive.files),
        exports=servicer.exports,
        lane=servicer.lanes.exports,
        watcher=servicer.watcher,
        stopping=server.stopping,
    )
    server.add(JOB_SERVICE, job_pb2_grpc.add_JobServiceServicer_to_server, jobs, JOB_NEEDS, *calls)


async def _close_all(outside: Outside, servicer: TournamentServicer, leader: Leadership) -> None:
    await leader.resign()
    await servicer.follower.close()
    await servicer.teller.close()
    for each in (outside.registry, outside.owners, outside.live, outside.reader):
        await each.close()
    servicer.leases.replays.close()
    await asyncio.to_thread(servicer.lanes.close)
    await asyncio.to_thread(outside.database.close)


def _add_background(server: Server, every: float, servicer: TournamentServicer, leader: Leadership) -> None:
    """Add the periodic tasks; every: seconds between two sweeps."""
    sweeper, schedule = servicer.sweeper, servicer.lanes.schedule
    sweep, look_on = (partial(schedule, body) for body in (sweeper.sweep_contests, sweeper.note_throughput))
    audit = partial(schedule, servicer.leases.auditor.judge_audits)
    server.background("beat", sweeper.keeper.every, partial(_record_beat, servicer))
    server.background("sweep of tournament", every, leader.only(sweep, look_on), vital=True)
    server.background("bell", RING, partial(_wake_workers, servicer))
    server.background("audit", every, sweeper.skip_when_idle(leader.only(audit)))
    isolator = servicer.leases.auditor.isolator
    server.background("isolation", every, sweeper.skip_when_idle(partial(schedule, isolator.order_due)))
    compare = leader.only(partial(schedule, isolator.compare_played))
    server.background("comparison", every, sweeper.skip_when_idle(compare))


def _add_notices(server: Server, outside: Outside, servicer: TournamentServicer, leader: Leadership) -> None:
    """Add the task that sends the registry notices for webhooks whenever events are published."""
    registry = outside.registry
    relay = Relay(ContestNotices(outside.database), registry.channel, registry.address, leader.leads)
    servicer.sweeper.heard = relay.stir
    server.background("notices of tournament", 0.0, relay.look)


def _add_mover(
    server: Server, settings: Settings, outside: Outside, servicer: TournamentServicer, leader: Leadership
) -> None:
    """Add the task that moves old records to files, if the settings enable it."""
    files, days = servicer.archive.files, settings.move_records_days
    mover = Mover(Records(outside.database), files, outside.clock, files.metrics, days)

    async def move() -> None:
        await servicer.lanes.records(mover.move_due, server.stopping.is_set)

    if days:
        server.background("move of records", SWEEPS_BETWEEN_MOVES * settings.sweep, leader.only(move))


async def _record_beat(servicer: TournamentServicer) -> None:
    await servicer.lanes.leases(servicer.sweeper.keeper.record_beat)


async def _wake_workers(servicer: TournamentServicer) -> None:
    """Wake as many waiting workers as there may be blocks for; wait while none waits."""
    await servicer.bell.wait_for_waiter()
    servicer.bell.wake_waiters(
        await servicer.lanes.leases(servicer.sweeper.count_waiting, len(servicer.bell))
    )


def _build_servicer(server: Server, settings: Settings, outside: Outside) -> TournamentServicer:
    database, clock, metrics = outside.database, outside.clock, TournamentMetrics(server.registry)
    house_only, turns = settings.house_only, Turns()
    tournaments, schedule, results = Tournaments(database), Schedule(database), Results(database)
    queue, workers = Queue(database, turns, house_only=house_only), Workers(database)
    census = Census(database, house_only=house_only)
    streams = Streams(database, redis.connect(settings.need("redis_url")))
    _add_figures(server, census, workers, streams, outside)
    boards = Boards(tournaments, schedule, results, workers, clock, house_only=house_only)
    archive = Archive(schedule, results, RecordFiles(outside.records, metrics))
    organiser = Organiser(
        tournaments, schedule, boards, archive, clock, metrics, settings.look_ahead, house_only=house_only
    )
    isolator = Isolator(Isolations(database), clock, metrics, settings.isolation)
    auditor = Auditor(Audits(database), workers, schedule, isolator, clock, metrics, settings.audit)
    claims, replays = Claims(database, turns, house_only=house_only), Replays(settings.replay)
    app = tasks.celery_app(settings.need("broker_url"))
    keeper = _build_keeper(settings, outside, metrics)
    sweeper = Sweeper(organiser, Jobs(database), queue, keeper, streams, app, clock, metrics)
    lanes, folder = Lanes(), settings.data / "tournament" / "exports"
    return TournamentServicer(
        organiser=organiser,
        previewer=Previewer(boards, results),
        boards=boards,
        archive=archive,
        leases=Leases(queue, claims, workers, replays, auditor, clock, metrics, settings.lease),
        sweeper=sweeper,
        follower=Follower(sweeper.follow_change, lanes.schedule),
        teller=Teller(sweeper.publish_progress),
        watcher=Watcher(tournaments, schedule, streams, outside.live, Feeds(outside.reader, server.stopping)),
        live=outside.live,
        registry=outside.registry,
        workers=workers,
        bell=Bell(),
        signals=Signals(),
        lanes=lanes,
        stopping=server.stopping,
        fairness=Fairness(results, archive.files),
        exports=Exports(outside.exports, folder, settings.exports_mib * MIB),
    )


def _add_figures(
    server: Server, census: Census, workers: Workers, streams: Streams, outside: Outside
) -> None:
    """Register the gauges of waiting work and the answers to GetStatus."""
    clock = outside.clock
    server.registry.register(WaitingGauges(census, workers, streams, clock))
    status = StatusReader(census, workers, streams, clock, clock())
    server.add_status("tournament", partial(to_thread, status.read_figures), outside.owners.authenticate)


def _build_keeper(settings: Settings, outside: Outside, metrics: TournamentMetrics) -> Keeper:
    reaper, troubles = Reaper(outside.database, settings.attempts), Troubles(outside.database)
    return Keeper(reaper, troubles, outside.clock, metrics, settings.sweep, settings.lease)
