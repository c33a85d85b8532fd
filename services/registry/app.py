"""Assembly of the registry: the one place that knows all its parts."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from maumau.errors import MaumauError
from maumau.protocol.limit import UploadLimits
from maumau.protocol.runtime import RUNTIMES
from maumau.sandbox.files import offer
from maumau.v1 import login_pb2_grpc, registry_pb2, registry_pb2_grpc, team_pb2_grpc, webhook_pb2_grpc
from services.registry.intake import upload
from services.registry.intake.artifact import Artifacts
from services.registry.intake.build import Builds
from services.registry.intake.sources import Sources
from services.registry.intake.submission import Submissions
from services.registry.metrics import Queue, RegistryMetrics
from services.registry.models import (
    RegistryAction,
    RegistryBeat,
    RegistryChange,
    RegistryLeader,
    RegistryTable,
)
from services.registry.news import News
from services.registry.people import login
from services.registry.people.login import LoginServicer
from services.registry.queue import Waker
from services.registry.servicer import NEEDS, Registry
from services.registry.status import tell_status
from services.registry.store import (
    Accounts,
    Authors,
    Bots,
    Deletions,
    Groups,
    Invitations,
    PageCodes,
    Places,
    Quota,
    Quotas,
    TeamInvitations,
    Teams,
    Tokens,
    Trials,
    Validations,
)
from services.registry.store.bots.lease import extend_leases
from services.registry.store.bots.validation import ValidationLimits
from services.registry.store.people.login import Logins
from services.registry.store.people.registration import RegistrationBounds
from services.registry.teams import servicer as team_servicer
from services.registry.teams.servicer import TeamServicer
from services.registry.webhooks import app as webhooks
from services.registry.webhooks import servicer as webhook_servicer
from services.registry.wire import ServerInfo
from services.shared.base import clock, log
from services.shared.base.auth import Identity, Need
from services.shared.base.settings import Settings
from services.shared.process import tasks
from services.shared.process.background import add_leader, keep_calls
from services.shared.process.server import Server
from services.shared.store import migrate
from services.shared.store.common_clock import CommonClock
from services.shared.store.connect import Database
from services.shared.store.leader import Leader as Leadership
from services.shared.store.storage import Storage

MIGRATIONS = Path(__file__).parent / "migrations"
LATE = int(2000 * clock.EVERY)  # ms between two beats after which the service was away, or its time jumped
SERVICE = registry_pb2.DESCRIPTOR.services_by_name["RegistryService"]

Service = tuple[Any, Any, Any, Mapping[str, Need]]
"""A service: its descriptor, the function that registers it, its handlers, the needs of its calls."""

logger = log.get(__name__)


async def bind(server: Server, settings: Settings) -> None:
    """Bring tables and the arena's own accounts up to date, and add the service."""
    database = Database(settings.database("registry"), "registry")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, RegistryTable.metadata)
    steady = await asyncio.to_thread(CommonClock, database, RegistryBeat)
    extend = partial(extend_leases, late=LATE, kept=int(500 * settings.lease))
    beat = partial(steady.beat, extend)
    await asyncio.to_thread(beat)
    bounds = RegistrationBounds(settings.quota_accounts_hour, settings.quota_accounts_day)
    accounts = Accounts(database, steady, settings.token_days, bounds, settings.signup)
    await asyncio.to_thread(_own_accounts, accounts, settings)
    await asyncio.to_thread(upload.sweep_folder, settings.data / "uploads")
    storage = Storage(settings.stores()["artifacts"], "MAUMAU_ARTIFACTS")
    await asyncio.to_thread(storage.check)
    servicer = _build_servicer(server, settings, database, storage, accounts, steady)

    def identify(token: str) -> Identity:
        return servicer.groups.add_led(accounts.identify_caller(token))

    async def authenticate(token: str) -> Identity:
        return await asyncio.to_thread(identify, token)

    async def recognise(token: str) -> Identity | None:
        return await asyncio.to_thread(accounts.recognise_caller, token)

    leader = add_leader(server, database, RegistryLeader)
    told = webhooks.build_parts(server, settings, database, steady, servicer.metrics, leader)
    logins = LoginServicer(logins=Logins(database, steady, accounts))
    kept = keep_calls(server, database, leader, RegistryAction, RegistryChange)
    for service in _list_services(servicer, told.servicer, logins):
        server.add(*service, authenticate, *kept, recognise)
    servicer.news.add_listener(told.wake_dispatcher)
    server.add_status("registry", tell_status(servicer.validations), authenticate)
    server.needs.add_call("database", database.check)
    server.needs.add_call("broker", partial(tasks.check, servicer.waker.app), vital=False)
    server.background("clock of registry", clock.EVERY, partial(asyncio.to_thread, beat))
    server.background("uses of tokens", settings.sweep, partial(asyncio.to_thread, accounts.uses.write))
    server.background("outbox of registry", 0.0, servicer.waker.relay_messages)
    sweep = leader.only(partial(sweep_registry, servicer, told.wake_dispatcher))
    server.background("sweep of registry", settings.sweep, sweep, vital=True)
    server.on_stop(partial(_close_all, told, leader, database))
    server.on_stop(partial(_write_last_uses, accounts))
    logger.info(
        "registration", signup=settings.signup, house_only=settings.house_only, listen=settings.listen
    )


def _list_services(servicer: Registry, hooks: Any, logins: LoginServicer) -> Iterator[Service]:
    """Yield the services of the registry."""
    register: Any = registry_pb2_grpc.add_RegistryServiceServicer_to_server
    yield SERVICE, register, servicer, NEEDS
    register = team_pb2_grpc.add_TeamServiceServicer_to_server
    teams = TeamServicer(people=servicer, invitations=TeamInvitations(servicer.teams))
    yield team_servicer.SERVICE, register, teams, team_servicer.NEEDS
    register = webhook_pb2_grpc.add_WebhookServiceServicer_to_server
    yield webhook_servicer.SERVICE, register, hooks, webhook_servicer.NEEDS
    register = login_pb2_grpc.add_LoginServiceServicer_to_server
    yield login.SERVICE, register, logins, login.NEEDS


async def _close_all(told: webhooks.Parts, leader: Leadership, database: Database) -> None:
    await told.close()
    await leader.resign()
    await asyncio.to_thread(database.close)


async def sweep_registry(servicer: Registry, stir: Callable[[], None]) -> None:
    """Resume work that was left: what failed on this replica, or was committed by another one."""
    stir()
    await servicer.waker.sweep_messages()


async def _write_last_uses(accounts: Accounts) -> None:
    try:
        await asyncio.to_thread(accounts.uses.write)
    except MaumauError as err:
        logger.warning("the last uses of tokens are not written", words=str(err))


def _build_servicer(
    server: Server,
    settings: Settings,
    database: Database,
    storage: Storage,
    accounts: Accounts,
    steady: CommonClock,
) -> Registry:
    metrics, news = RegistryMetrics(server.registry), News()
    house_only = settings.house_only
    bots = Bots(database, steady, Quotas(_build_quota(settings), steady))
    validations = Validations(database, steady, _build_terms(settings), house_only=house_only)
    server.registry.register(Queue(validations))
    artifacts = Artifacts(storage)
    limits = UploadLimits(packed=settings.upload_mib * upload.MIB)
    folder, why_not = settings.data / "uploads", _find_missing(settings)
    submissions = Submissions(
        bots, artifacts, folder, limits, metrics, house_only=house_only, missing=why_not
    )
    runtimes = tuple(name for name in RUNTIMES if not why_not(name))
    quota, address = _build_quota(settings), settings.services_url
    info = ServerInfo(settings.signup, house_only, runtimes, limits, quota, address, settings.page_url)
    trials = Trials(database, steady, _build_terms(settings), house_only=house_only)
    broker = tasks.celery_app(settings.need("broker_url"))
    waker = Waker(validations, trials, broker, metrics, news.notify_listeners)
    return Registry(
        accounts=accounts,
        tokens=Tokens(database, steady),
        page_codes=PageCodes(database, steady),
        groups=Groups(database, steady),
        invitations=Invitations(database, steady, settings.signup),
        teams=Teams(database, steady, settings.quota_bots),
        authors=Authors(database),
        deletions=Deletions(database, steady),
        bots=bots,
        validations=validations,
        trials=trials,
        places=Places(database, steady),
        submissions=submissions,
        builds=Builds(validations, artifacts, folder, limits),
        artifacts=artifacts,
        sources=Sources(artifacts, limits),
        waker=waker,
        metrics=metrics,
        news=news,
        info=info,
        page_url=settings.page_url,
        stopping=server.stopping,
    )


def _find_missing(settings: Settings) -> Callable[[str], str]:
    """Return a function for the reason why a runtime is missing: by the setting, else on this machine."""
    offered = settings.runtimes.split()
    if offered:
        return lambda name: offer.missing_among(name, offered)
    return lambda name: offer.explain_missing(name, own_user=False)


def _own_accounts(accounts: Accounts, settings: Settings) -> None:
    admin, worker = settings.need("admin_token"), settings.need("worker_token")
    accounts.ensure_account("admin", "admin", admin)
    accounts.ensure_account("worker", "worker", worker)
    if reader := settings.reader_token:
        accounts.ensure_account("reader", "reader", reader)
    accounts.ensure_host(settings.host_name, settings.host_token)


def _build_quota(settings: Settings) -> Quota:
    return Quota(
        bots=settings.quota_bots,
        versions=settings.quota_versions,
        waiting=settings.quota_waiting,
        mib=settings.quota_mib,
        minutes=settings.quota_validation_minutes,
    )


def _build_terms(settings: Settings) -> ValidationLimits:
    seconds = (settings.lease, settings.validation_limit, settings.validation_wait)
    lease, limit, wait = (int(1000 * one) for one in seconds)
    return ValidationLimits(lease, limit, wait, settings.attempts)
