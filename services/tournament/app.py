"""Builds the tournament service: the one place that knows all its parts."""

import asyncio
from asyncio import to_thread
from functools import partial
from pathlib import Path
from typing import NamedTuple

from maumau.v1 import job_pb2, job_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from services.shared import migrate, redis, tasks, tls
from services.shared.clock import SteadyClock
from services.shared.connect import Database
from services.shared.leader import Leader as Leadership
from services.shared.leader import add_leader
from services.shared.registry import TokenOwners
from services.shared.retention import keep_calls
from services.shared.server import Server
from services.shared.settings import Settings
from services.shared.storage import Storage
from services.tournament.archive import Archive
from services.tournament.auditor import Auditor
from services.tournament.bell import Bell, Signals
from services.tournament.boards import Boards
from services.tournament.client import Registry
from services.tournament.exports import MIB, Exports
from services.tournament.feed import Feeds
from services.tournament.job.record import JobRecords
from services.tournament.job.servicer import NEEDS as JOB_NEEDS
from services.tournament.job.servicer import JobServicer
from services.tournament.keeper import Keeper
from services.tournament.lease import Leases
from services.tournament.metrics import Metrics, Waiting
from services.tournament.models import Action, Change, Leader, Table
from services.tournament.mover import Mover
from services.tournament.organise.preview import Previewer
from services.tournament.organiser import Organiser
from services.tournament.record_file import RecordFiles
from services.tournament.replay import Replays
from services.tournament.servicer import NEEDS, Servicer
from services.tournament.status import StatusReader
from services.tournament.store.audit import Audits
from services.tournament.store.census import Census
from services.tournament.store.claim import Claims
from services.tournament.store.form import Forms
from services.tournament.store.job import Jobs
from services.tournament.store.live import Live
from services.tournament.store.queue import Queue
from services.tournament.store.reaper import Reaper, start_clock
from services.tournament.store.record import Records
from services.tournament.store.result import Results
from services.tournament.store.schedule import Schedule
from services.tournament.store.stream import Reader
from services.tournament.store.tournament import Tournaments
from services.tournament.store.trouble import Troubles
from services.tournament.store.watch import Streams
from services.tournament.store.worker import Workers
from services.tournament.suspension import suspend
from services.tournament.sweep import Follower, Sweeper, Teller
from services.tournament.turn import Turns
from services.tournament.watch import Watcher
from services.tournament.work.servicer import Lanes

STORE_NAMES = ("exports", "records")
SWEEPS_BETWEEN_MOVES = 12  # sweeps between two looks for records that are old enough to be moved
RING = 0.2  # seconds between two looks whether there is work for those who wait for it
MIGRATIONS = Path(__file__).parent / "migrations"
SERVICE = tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"]
JOB_SERVICE = job_pb2.DESCRIPTOR.services_by_name["JobService"]


class Outside(NamedTuple):
    """What the service shares with others: databases, neighbours, and the clock."""

    database: Database
    exports: Storage
    records: Storage
    registry: Registry
    owners: TokenOwners
    reader: Reader
    live: Live
    clock: SteadyClock


async def bind(server: Server, settings: Settings) -> None:
    """Brings the tables up to date and adds the service."""
    outside = await _open(server, settings)
    servicer = _servicer(server, settings, outside)
    leader = add_leader(server, outside.database, Leader)
    _add_services(server, outside, servicer, leader)
    await _beat(servicer)  # before anybody renews: what ran out while the service was away costs nobody
    server.needs.add_call("database", outside.database.check)
    server.needs.add("redis", outside.live.check, vital=False)
    server.needs.add_call("broker", partial(tasks.check, servicer.sweeper.app), vital=False)
    _add_background(server, settings.sweep, servicer, leader)
    _add_mover(server, settings, outside, servicer, leader)
    tell = partial(suspend, Forms(outside.database), outside.registry.suspend)
    server.background("suspension", settings.sweep, leader.only(tell))
    server.on_stop(partial(_close, outside, servicer, leader))


async def _open(server: Server, settings: Settings) -> Outside:
    database = Database(settings.database("tournament"), "tournament")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, Table.metadata)
    own = {"admin": settings.need("admin_token"), "worker": settings.need("worker_token")}
    own |= {"reader": settings.reader_token}
    address, roots = settings.need("registry_address"), tls.trusted(settings.tls_ca)
    stores = {one: Storage(settings.stores()[one], f"MAUMAU_{one.upper()}") for one in STORE_NAMES}
    for store in stores.values():
        await asyncio.to_thread(store.check)
    return Outside(
        database=database, **stores, registry=Registry(address, own["worker"], roots),
        owners=TokenOwners(address, own, roots, vouches=server.gate.are_hosts_certified),
        reader=Reader(redis.connect_reader(settings.need("redis_url"))),
        live=Live(redis.connect_hasty(settings.need("redis_url"))),
        clock=await asyncio.to_thread(start_clock, database),
    )  # fmt: skip


def _add_services(server: Server, outside: Outside, servicer: Servicer, leader: Leadership) -> None:
    """That of tournaments, and that of all other jobs."""
    kept = keep_calls(server, outside.database, leader, Action, Change)
    calls = outside.owners.authenticate, *kept
    register = tournament_pb2_grpc.add_TournamentServiceServicer_to_server
    server.add(SERVICE, register, servicer, NEEDS, *calls)
    jobs = JobServicer(
        jobs=servicer.sweeper.jobs, registry=outside.registry, follower=servicer.follower,
        clock=outside.clock, signals=servicer.signals,
        records=JobRecords(servicer.sweeper.jobs, servicer.archive.results, servicer.archive.files),
        exports=servicer.exports, lane=servicer.lanes.exports, stopping=server.stopping,
    )  # fmt: skip
    server.add(JOB_SERVICE, job_pb2_grpc.add_JobServiceServicer_to_server, jobs, JOB_NEEDS, *calls)


async def _close(outside: Outside, servicer: Servicer, leader: Leadership) -> None:
    await leader.resign()
    await servicer.follower.close()
    await servicer.teller.close()
    for each in (outside.registry, outside.owners, outside.live, outside.reader):
        await each.close()
    servicer.leases.replays.close()
    await asyncio.to_thread(servicer.lanes.close)
    await asyncio.to_thread(outside.database.close)


def _add_background(server: Server, every: float, servicer: Servicer, leader: Leadership) -> None:
    """What the service does by itself; every: seconds between two sweeps."""
    sweeper, schedule = servicer.sweeper, servicer.lanes.schedule
    sweep, look_on = (partial(schedule, body) for body in (sweeper.sweep, sweeper.note_throughput))
    audit = partial(schedule, servicer.leases.auditor.look)
    server.background("beat", sweeper.keeper.every, partial(_beat, servicer))
    server.background("sweep of tournament", every, leader.only(sweep, look_on), vital=True)
    server.background("bell", RING, partial(_ring, servicer))
    server.background("audit", every, leader.only(audit))


def _add_mover(
    server: Server, settings: Settings, outside: Outside, servicer: Servicer, leader: Leadership
) -> None:
    """Moves old records to files, if the settings say so."""
    files, days = servicer.archive.files, settings.move_records_days
    mover = Mover(Records(outside.database), files, outside.clock, files.metrics, days)

    async def move() -> None:
        await servicer.lanes.records(mover.move_due, server.stopping.is_set)

    if days:
        server.background("move of records", SWEEPS_BETWEEN_MOVES * settings.sweep, leader.only(move))


async def _beat(servicer: Servicer) -> None:
    await servicer.lanes.leases(servicer.sweeper.keeper.beat)


async def _ring(servicer: Servicer) -> None:
    """Whoever waits for a block asks again when there may be one."""
    if waiting := len(servicer.bell):
        servicer.bell.ring(await servicer.lanes.leases(servicer.sweeper.count_waiting, waiting))


def _servicer(server: Server, settings: Settings, outside: Outside) -> Servicer:
    database, clock, metrics = outside.database, outside.clock, Metrics(server.registry)
    house_only, turns = settings.house_only, Turns()
    tournaments, schedule, results = Tournaments(database), Schedule(database), Results(database)
    queue, workers = Queue(database, turns, house_only=house_only), Workers(database)
    census = Census(database, house_only=house_only)
    streams = Streams(database, redis.connect(settings.need("redis_url")))
    server.registry.register(Waiting(census, workers, streams, clock))
    status = StatusReader(census, workers, streams, clock, clock())
    server.add_status("tournament", partial(to_thread, status.read_figures), outside.owners.authenticate)
    boards = Boards(tournaments, schedule, results, workers, clock, house_only=house_only)
    archive = Archive(schedule, results, RecordFiles(outside.records, metrics))
    organiser = Organiser(
        tournaments, schedule, boards, archive, clock, metrics, settings.look_ahead, house_only=house_only
    )
    auditor = Auditor(Audits(database), workers, schedule, clock, metrics, settings.audit)
    claims, replays = Claims(database, turns, house_only=house_only), Replays(settings.replay)
    app = tasks.celery_app(settings.need("broker_url"))
    keeper = _keeper(settings, outside, metrics)
    sweeper = Sweeper(organiser, Jobs(database), queue, keeper, streams, app, clock, metrics)
    lanes, folder = Lanes(), settings.data / "tournament" / "exports"
    feeds = Feeds(outside.reader, server.stopping)
    return Servicer(
        organiser=organiser, previewer=Previewer(boards, results), boards=boards, archive=archive,
        leases=Leases(queue, claims, workers, replays, auditor, clock, metrics, settings.lease),
        sweeper=sweeper, follower=Follower(sweeper.follow, lanes.schedule), teller=Teller(sweeper.progress),
        watcher=Watcher(tournaments, schedule, streams, outside.live, feeds), live=outside.live,
        registry=outside.registry, workers=workers, bell=Bell(), signals=Signals(), lanes=lanes,
        stopping=server.stopping, exports=Exports(outside.exports, folder, settings.exports_mib * MIB),
    )  # fmt: skip


def _keeper(settings: Settings, outside: Outside, metrics: Metrics) -> Keeper:
    reaper, troubles = Reaper(outside.database, settings.attempts), Troubles(outside.database)
    now = outside.database.now
    return Keeper(reaper, troubles, outside.clock, now, metrics, settings.sweep, settings.lease)
