"""Assembly of the registry: the one place that knows all its parts."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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
from services.registry.store.bots.lease import extend_validation_leases
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
from services.shared.rpc.gate import Authenticate, Recognise
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


class RegistryData(NamedTuple):
    """Stores of the service: the database, artifacts and accounts; and the common clock."""

    database: Database
    artifacts: Storage
    accounts: Accounts
    clock: CommonClock


async def bind(server: Server, settings: Settings) -> None:
    """Bring tables and the arena's own accounts up to date, and add the service."""
    database = Database(settings.database("registry"), "registry")
    await asyncio.to_thread(migrate.upgrade, database, MIGRATIONS, RegistryTable.metadata)
    steady = await asyncio.to_thread(CommonClock, database, RegistryBeat)
    extend = partial(extend_validation_leases, late=LATE, kept=int(500 * settings.lease))
    beat = partial(steady.beat, extend)
    await asyncio.to_thread(beat)
    accounts = await asyncio.to_thread(_open_accounts, settings, database, steady)
    await asyncio.to_thread(upload.sweep_folder, settings.data / "uploads")
    storage = Storage(settings.stores()["artifacts"], "MAUMAU_ARTIFACTS")
    await asyncio.to_thread(storage.check)
    servicer = _build_servicer(server, settings, RegistryData(database, storage, accounts, steady))
    authenticate, recognise = _build_authentication(servicer)
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


def _open_accounts(settings: Settings, database: Database, steady: CommonClock) -> Accounts:
    """Return the accounts, those of the arena itself among them."""
    bounds = RegistrationBounds(settings.quota_accounts_hour, settings.quota_accounts_day)
    accounts = Accounts(database, steady, settings.token_days, bounds, settings.signup)
    accounts.ensure_account("admin", "admin", settings.need("admin_token"))
    accounts.ensure_account("worker", "worker", settings.need("worker_token"))
    if reader := settings.reader_token:
        accounts.ensure_account("reader", "reader", reader)
    accounts.ensure_host(settings.host_name, settings.host_token)
    return accounts


def _build_authentication(
    servicer: Registry,
) -> tuple[Authenticate, Recognise]:
    """Return the functions that find whose a token is: of a caller, and of a former one."""

    def identify_caller(token: str) -> Identity:
        return servicer.groups.add_led(servicer.accounts.identify_caller(token))

    async def authenticate(token: str) -> Identity:
        return await asyncio.to_thread(identify_caller, token)

    async def recognise(token: str) -> Identity | None:
        return await asyncio.to_thread(servicer.accounts.recognise_caller, token)

    return authenticate, recognise


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


def _build_servicer(server: Server, settings: Settings, data: RegistryData) -> Registry:
    database, storage, accounts, steady = data
    metrics, news = RegistryMetrics(server.registry), News()
    house_only = settings.house_only
    bots = Bots(database, steady, Quotas(_build_quota(settings), steady))
    validations = Validations(database, steady, _build_terms(settings), house_only=house_only)
    server.registry.register(Queue(validations))
    artifacts = Artifacts(storage)
    limits = UploadLimits(packed=settings.upload_mib * upload.MIB)
    folder, missing = settings.data / "uploads", _find_missing(settings)
    submissions = Submissions(
        bots, artifacts, folder, limits, metrics, house_only=house_only, missing=missing
    )
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
        info=_build_info(settings, limits, missing),
        page_url=settings.page_url,
        stopping=server.stopping,
    )


def _build_info(settings: Settings, limits: UploadLimits, missing: Callable[[str], str]) -> ServerInfo:
    runtimes, quota = tuple(name for name in RUNTIMES if not missing(name)), _build_quota(settings)
    own = settings.services_url, settings.page_url
    return ServerInfo(settings.signup, settings.house_only, runtimes, limits, quota, *own)


def _find_missing(settings: Settings) -> Callable[[str], str]:
    """Return a function for the reason why a runtime is missing: by the setting, else on this machine."""
    offered = settings.runtimes.split()
    if offered:
        return lambda name: offer.missing_among(name, offered)
    return lambda name: offer.explain_missing(name, own_user=False)


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
