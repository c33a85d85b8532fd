"""Builds the tournament service: the one place that knows all its parts."""

import asyncio
from functools import partial
from pathlib import Path

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
from services.tournament.bell import Bell
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
from services.tournament.organise.preview import Previewer
from services.tournament.organiser import Organiser
from services.tournament.replay import Replays
from services.tournament.servicer import NEEDS, Servicer
from services.tournament.store.audit import Audits
from services.tournament.store.claim import Claims
from services.tournament.store.form import Forms
from services.tournament.store.job import Jobs
from services.tournament.store.live import Live
from services.tournament.store.queue import Queue
from services.tournament.store.reaper import Reaper, start_clock
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

RING = 0.2  # seconds between two looks whether there is work for those who wait for it
MIGRATIONS = Path(__file__).parent / "migrations"
SERVICE = tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"]
JOB_SERVICE = job_pb2.DESCRIPTOR.services_by_name["JobService"]


async def bind(server: Server, settings: Settings) -> None:
    """Brings the tables up to date and adds the service."""
    database = Database(settings.database("tournament"), "tournament")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, Table.metadata)
    own = {"admin": settings.need("admin_token"), "worker": settings.need("worker_token")}
    own |= {"reader": settings.reader_token}
    address, roots = settings.need("registry_address"), tls.trusted(settings.tls_ca)
    registry, owners = Registry(address, own["worker"], roots), TokenOwners(address, own, roots)
    reader = redis.connect_reader(settings.need("redis_url"))
    live = Live(redis.connect_hasty(settings.need("redis_url")))
    steady = await asyncio.to_thread(start_clock, database)
    storage = Storage(settings.stores()["exports"], "MAUMAU_EXPORTS")
    await asyncio.to_thread(storage.check)
    servicer = _servicer(server, settings, database, storage, registry, Reader(reader), live, steady)

    async def close() -> None:
        await leader.resign()
        await servicer.follower.close()
        await servicer.teller.close()
        await registry.close()
        await owners.close()
        await live.close()
        await reader.aclose()
        servicer.leases.replays.close()
        await asyncio.to_thread(servicer.lanes.close)
        await asyncio.to_thread(database.close)

    leader = add_leader(server, database, Leader)
    calls = owners.authenticate, *keep_calls(server, database, leader, Action, Change)
    server.add(
        SERVICE, tournament_pb2_grpc.add_TournamentServiceServicer_to_server, servicer, NEEDS, *calls
    )  # fmt: skip
    jobs = JobServicer(
        jobs=servicer.sweeper.jobs, registry=registry, follower=servicer.follower, clock=steady,
        records=JobRecords(servicer.sweeper.jobs, servicer.archive.results), exports=servicer.exports,
        lane=servicer.lanes.exports, stopping=server.stopping,
    )  # fmt: skip
    register_jobs = job_pb2_grpc.add_JobServiceServicer_to_server
    server.add(JOB_SERVICE, register_jobs, jobs, JOB_NEEDS, *calls)
    await _beat(servicer)  # before anybody renews: what ran out while the service was away costs nobody
    server.needs.add_call("database", database.check)
    server.needs.add("redis", live.check, vital=False)
    server.needs.add_call("broker", partial(tasks.check, servicer.sweeper.app), vital=False)
    _add_background(server, settings.sweep, servicer, leader)
    server.background(
        "suspension", settings.sweep, leader.only(partial(suspend, Forms(database), registry.suspend))
    )
    server.on_stop(close)


def _add_background(server: Server, every: float, servicer: Servicer, leader: Leadership) -> None:
    """What the service does by itself; every: seconds between two sweeps."""
    sweeper, schedule = servicer.sweeper, servicer.lanes.schedule
    sweep, look_on = (partial(schedule, body) for body in (sweeper.sweep, sweeper.note_throughput))
    audit = partial(schedule, servicer.leases.auditor.look)
    server.background("beat", sweeper.keeper.every, partial(_beat, servicer))
    server.background("sweep", every, leader.only(sweep, look_on), vital=True)
    server.background("bell", RING, partial(_ring, servicer))
    server.background("audit", every, leader.only(audit))


async def _beat(servicer: Servicer) -> None:
    await servicer.lanes.leases(servicer.sweeper.keeper.beat)


async def _ring(servicer: Servicer) -> None:
    """Whoever waits for a block asks again when there may be one."""
    if waiting := len(servicer.bell):
        servicer.bell.ring(await servicer.lanes.leases(servicer.sweeper.count_waiting, waiting))


def _servicer(
    server: Server,
    settings: Settings,
    database: Database,
    storage: Storage,
    registry: Registry,
    reader: Reader,
    live: Live,
    clock: SteadyClock,
) -> Servicer:
    metrics = Metrics(server.registry)
    house_only = settings.uploads == "house"
    tournaments, schedule = Tournaments(database), Schedule(database)
    turns = Turns()
    queue = Queue(database, turns, house_only=house_only)
    claims = Claims(database, turns, house_only=house_only)
    workers = Workers(database)
    streams = Streams(database, redis.connect(settings.need("redis_url")))
    server.registry.register(Waiting(queue, workers, streams, tournaments, clock))
    results = Results(database)
    boards = Boards(tournaments, schedule, results, workers, clock, house_only=house_only)
    archive = Archive(schedule, results)
    organiser = Organiser(
        tournaments, schedule, boards, archive, clock, metrics, settings.look_ahead, house_only=house_only
    )
    app = tasks.celery_app(settings.need("broker_url"))
    reaper, troubles = Reaper(database, settings.attempts), Troubles(database)
    keeper = Keeper(reaper, troubles, clock, database.now, metrics, settings.sweep, settings.lease)
    auditor = Auditor(Audits(database), workers, schedule, clock, metrics, settings.audit)
    sweeper = Sweeper(organiser, Jobs(database), queue, keeper, streams, app, clock, metrics)
    exports = Exports(storage, settings.data / "tournament" / "exports", settings.exports_mib * MIB)
    lanes = Lanes()
    return Servicer(
        organiser=organiser,
        previewer=Previewer(boards, results),
        boards=boards,
        leases=Leases(
            queue, claims, workers, Replays(settings.replay), auditor, clock, metrics, settings.lease
        ),
        archive=archive,
        sweeper=sweeper,
        follower=Follower(sweeper.follow, lanes.schedule),
        teller=Teller(sweeper.progress),
        watcher=Watcher(tournaments, schedule, streams, live, Feeds(reader, server.stopping)),
        live=live,
        registry=registry,
        workers=workers,
        bell=Bell(),
        exports=exports,
        stopping=server.stopping,
        lanes=lanes,
    )
