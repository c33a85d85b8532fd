"""Builds the registry: the one place that knows all its parts."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from maumau.bot import offer
from maumau.bot.limit import UploadLimits
from maumau.errors import MaumauError
from maumau.v1 import registry_pb2, registry_pb2_grpc
from services.registry import upload
from services.registry.artifact import Artifacts
from services.registry.build import Builds
from services.registry.metrics import Metrics, Queue
from services.registry.models import Action, Change, Leader, Table
from services.registry.news import News
from services.registry.queue import Waker
from services.registry.servicer import NEEDS, Registry
from services.registry.status import tell_status
from services.registry.store import Accounts, Bots, PageCodes, Places, Quota, Quotas, Tokens, Validations
from services.registry.store.validation import Terms
from services.registry.submission import Submissions
from services.registry.wire import ServerInfo
from services.shared import clock, log, migrate, tasks
from services.shared.auth import Identity
from services.shared.clock import SteadyClock
from services.shared.connect import Database
from services.shared.leader import add_leader
from services.shared.retention import keep_calls
from services.shared.server import Server
from services.shared.settings import Settings
from services.shared.storage import Storage

MIGRATIONS = Path(__file__).parent / "migrations"
SERVICE = registry_pb2.DESCRIPTOR.services_by_name["RegistryService"]

logger = log.get(__name__)


async def bind(server: Server, settings: Settings) -> None:
    """Brings tables and the arena's own accounts up to date, and adds the service."""
    database = Database(settings.database("registry"), "registry")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, Table.metadata)
    steady = SteadyClock(await asyncio.to_thread(database.now))
    accounts = Accounts(database, steady, settings.token_days, open_to_all=settings.open)
    await asyncio.to_thread(_own_accounts, accounts, settings)
    await asyncio.to_thread(upload.sweep, settings.data / "uploads")
    storage = Storage(settings.stores()["artifacts"], "MAUMAU_ARTIFACTS")
    await asyncio.to_thread(storage.check)
    servicer = _servicer(server, settings, database, storage, accounts, steady)

    async def authenticate(token: str) -> Identity:
        return await asyncio.to_thread(accounts.identify, token)

    async def follow() -> None:
        steady.follow(await asyncio.to_thread(database.now))

    async def close() -> None:
        await leader.resign()
        await asyncio.to_thread(database.close)

    register = registry_pb2_grpc.add_RegistryServiceServicer_to_server
    leader = add_leader(server, database, Leader)
    kept = keep_calls(server, database, leader, Action, Change)
    server.add(SERVICE, register, servicer, NEEDS, authenticate, *kept)
    server.add_status("registry", tell_status(servicer.validations), authenticate)
    server.needs.add_call("database", database.check)
    server.needs.add_call("broker", partial(tasks.check, servicer.waker.app), vital=False)
    server.background("clock of registry", clock.EVERY, follow)
    server.background("uses of tokens", settings.sweep, partial(asyncio.to_thread, accounts.uses.write))
    server.background("outbox of registry", 0.0, servicer.waker.relay)
    server.background("sweep of registry", settings.sweep, leader.only(servicer.waker.sweep), vital=True)
    server.on_stop(close)
    server.on_stop(partial(_write_last_uses, accounts))
    logger.info("registration", open=settings.open, house_only=settings.house_only, listen=settings.listen)


async def _write_last_uses(accounts: Accounts) -> None:
    try:
        await asyncio.to_thread(accounts.uses.write)
    except MaumauError as err:
        logger.warning("the last uses of tokens are not written", words=str(err))


def _servicer(
    server: Server, settings: Settings, database: Database, storage: Storage, accounts: Accounts,
    steady: SteadyClock,
) -> Registry:  # fmt: skip
    metrics, news = Metrics(server.registry), News()
    house_only = settings.house_only
    bots = Bots(database, steady, Quotas(_quota(settings), steady))
    validations = Validations(database, steady, _terms(settings), house_only=house_only)
    server.registry.register(Queue(validations))
    artifacts = Artifacts(storage)
    limits = UploadLimits(packed=settings.upload_mib * upload.MIB)
    folder, why_not = settings.data / "uploads", _missing(settings)
    submissions = Submissions(
        bots, artifacts, folder, limits, metrics, house_only=house_only, missing=why_not
    )
    runtimes = tuple(name for name in offer.NAMES if not why_not(name))
    info = ServerInfo(settings.open, house_only, runtimes, limits, _quota(settings))
    waker = Waker(validations, tasks.celery_app(settings.need("broker_url")), metrics, news.tell)
    return Registry(
        accounts=accounts, tokens=Tokens(database, steady), page_codes=PageCodes(database, steady),
        bots=bots, validations=validations,
        places=Places(database), submissions=submissions,
        builds=Builds(validations, artifacts, folder, limits), artifacts=artifacts,
        waker=waker, metrics=metrics, news=news, info=info, page_url=settings.page_url,
        stopping=server.stopping,
    )  # fmt: skip


def _missing(settings: Settings) -> Callable[[str], str]:
    """Why a runtime is not offered: by the setting, or else by what this machine has, as its workers will."""
    offered = settings.runtimes.split()
    if offered:
        return lambda name: offer.missing_among(name, offered)
    return lambda name: offer.explain_missing(name, own_user=False)


def _own_accounts(accounts: Accounts, settings: Settings) -> None:
    admin, worker = settings.need("admin_token"), settings.need("worker_token")
    accounts.ensure("admin", "admin", admin)
    accounts.ensure("worker", "worker", worker)
    if reader := settings.reader_token:
        accounts.ensure("reader", "reader", reader)


def _quota(settings: Settings) -> Quota:
    return Quota(
        bots=settings.quota_bots, versions=settings.quota_versions, waiting=settings.quota_waiting,
        mib=settings.quota_mib, minutes=settings.quota_validation_minutes,
    )  # fmt: skip


def _terms(settings: Settings) -> Terms:
    seconds = (settings.lease, settings.validation_limit, settings.validation_wait)
    lease, limit, wait = (int(1000 * one) for one in seconds)
    return Terms(lease, limit, wait, settings.attempts)
