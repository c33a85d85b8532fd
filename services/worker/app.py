"""Assembly and start of a worker from its settings: one Celery process with one child, the slot."""

import logging
import mmap
import os
import signal
import sys
import threading
import warnings
from functools import partial
from typing import Any

from celery import Celery, signals

from maumau.client.live import Tables
from maumau.errors import BadSetting, ExpiredToken, MaumauError, NotAllowed, SandboxUnavailable
from maumau.process import trace
from maumau.referee.pace import Pace
from maumau.sandbox.launch import choose_sandbox
from services.shared.base import contradiction, log, metric
from services.shared.base import settings as setting
from services.shared.base.settings import Settings
from services.shared.process import tasks
from services.shared.rpc import tls
from services.worker import play, validate
from services.worker.artifact import Artifacts
from services.worker.bench import Bench, worker_name
from services.worker.client import Registry, SeatKey, Seats, TournamentClient
from services.worker.core import Core
from services.worker.fitness import keep_fit
from services.worker.metrics import CounterTally
from services.worker.presence import report_end, start_reports
from services.worker.sitter import Sitter

logger = log.get(__name__)
NICE = 10  # increment by which seats yield the CPU to blocks
GOODBYE = 5.0  # seconds for the last call to the matchmaking service
STOPPED, NOT_KNOWN, REFUSED, EXPIRED = 1, 2, 3, 4  # reasons for the end of a worker
TURNED_AWAY = (
    "error: the services do not take MAUMAU_WORKER_TOKEN; give this worker the token that the registry has"
    " now, and start it again.\n"
)
TOO_OLD = (
    "error: the token in MAUMAU_WORKER_TOKEN has expired; an admin makes another one with `maumau token"
    " create --scope worker --label HOST`. Give it to this worker and start it again.\n"
)
NOT_ALLOWED = (
    "error: the services know MAUMAU_WORKER_TOKEN but do not let this worker in; the log says why. A host's"
    " token needs the certificate of that host (MAUMAU_TLS_CLIENT_CERT) and the addresses of the ports for"
    " workers (MAUMAU_REGISTRY_ADDRESS, MAUMAU_TOURNAMENT_ADDRESS). Correct it and start this worker again.\n"
)
LAST_WORDS = {NOT_KNOWN: TURNED_AWAY, REFUSED: NOT_ALLOWED, EXPIRED: TOO_OLD}
NO_IMAGE = (
    "There is no image in memory, so that what programs read would tell their next seating something;"
    " `maumau doctor` says what is missing, MAUMAU_IMAGE=optional plays anyway."
)


def main() -> None:
    """Work until SIGTERM or SIGINT; then give back the block being played."""
    try:
        settings = setting.from_environment()
        log.configure("worker", settings.log)
        sys.exit(_run_worker(settings))
    except MaumauError as err:
        sys.stderr.write(f"error: {err}\n")
        raise SystemExit(1) from None


def _run_worker(settings: Settings) -> int:
    flag = mmap.mmap(-1, 1)  # shared with the child: the reason to end, 0 while there is none
    core = Core("off" if settings.seats else settings.pin, settings.data / "worker")
    tally = CounterTally()
    bench = _set_up_bench(settings, core, tally, flag)
    logger.info("sandbox", tier=bench.sandbox.name, says=bench.sandbox.says, core=core.number)
    registry = metric.new_registry()
    registry.register(tally)
    page = metric.serve(registry, settings.host, settings.metrics_port)
    try:
        if settings.seats:
            return _serve_seats(settings, bench, flag)
        queues = [queue for task, queue in tasks.QUEUES.items() if task != "worker.seat"]
        code = _serve_blocks(make_celery(settings, bench), bench, flag, queues)
        report_end(bench)
        return code
    finally:
        page.close()


def _set_up_bench(settings: Settings, core: Core, tally: CounterTally, flag: mmap.mmap) -> Bench:
    token = settings.need("worker_token")
    sandbox = choose_sandbox(settings.sandbox)
    if words := contradiction.find_weak_sandbox(settings, sandbox.name):
        raise BadSetting(words)
    image_required = sandbox.isolated and settings.image != "optional"
    if image_required and not sandbox.holds_in_memory("python"):
        raise SandboxUnavailable(NO_IMAGE)
    shown = token, tls.trusted(settings.tls_ca), tls.own_certificate(settings)
    registry = Registry(settings.need("registry_address"), *shown)
    folder = settings.data.resolve() / "programs"
    return Bench(
        name=worker_name(),
        core=core.number,
        sandbox=sandbox,
        image_required=image_required,
        artifacts=Artifacts(folder, registry.fetch, settings.cache_mib << 20),
        tournament=TournamentClient(settings.need("tournament_address"), *shown),
        registry=registry,
        memory=settings.memory_mib,
        tally=tally,
        stopping=lambda: flag[0] != 0,
        pace=Pace(settings.handicap),
        end=partial(_end_worker, flag),
    )


def _end_worker(flag: mmap.mmap, error: MaumauError) -> None:
    """End the worker from its child, because the services do not admit it."""
    known = ((NotAllowed, REFUSED), (ExpiredToken, EXPIRED))
    flag[0] = next((number for kind, number in known if isinstance(error, kind)), NOT_KNOWN)
    os.kill(os.getppid(), signal.SIGTERM)


def make_celery(settings: Settings, bench: Bench) -> Celery:
    """Return the app with its three tasks.

    No message waits behind a long block: none is fetched before it can be handled. It is acknowledged then,
    since a pending acknowledgement when the broker dies would keep the worker from fetching another message.
    """
    app = tasks.celery_app(settings.need("broker_url"))
    app.conf.update(
        worker_disable_prefetch=True, worker_proc_alive_timeout=300.0, worker_redirect_stdouts=False
    )

    @app.task(name="worker.play_block")  # type: ignore[untyped-decorator]
    def play_block(*_: str) -> None:  # an earlier release named a block
        play.play_blocks(bench)

    @app.task(name="worker.validate_version")  # type: ignore[untyped-decorator]
    def validate_version(version_id: str) -> None:
        validate.validate_version(bench, version_id)
        keep_fit(bench)

    @app.task(name="worker.advance")  # type: ignore[untyped-decorator]
    def advance_contest(tournament_id: str) -> None:
        play.advance_contest(bench, tournament_id)

    return app


def _serve_seats(settings: Settings, bench: Bench, flag: mmap.mmap) -> int:
    """Run a worker that plays seats of live tables for house bots and no blocks, a thread for each seat."""
    trace.start_tracing("sitter")
    app, token = tasks.celery_app(settings.need("broker_url")), settings.need("worker_token")
    app.conf.update(worker_disable_prefetch=True, worker_redirect_stdouts=False)
    shown = tls.trusted(settings.tls_ca), tls.own_certificate(settings)
    seats = Seats(settings.need("matchmaking_address"), token, *shown)
    tables = Tables(settings.need("engine_address"), token, tls=bool(settings.tls_ca))
    sitter = Sitter(bench, seats, tables, settings.seats)

    @app.task(name="worker.seat")  # type: ignore[untyped-decorator]
    def play_seat(table_id: str, number: str) -> None:
        sitter.play(SeatKey(table_id, int(number)))

    os.nice(NICE)
    bench.sandbox.prepare()
    trace.trace_tasks()
    keeping = threading.Thread(target=sitter.keep, daemon=True)
    keeping.start()
    code = _serve_blocks(app, bench, flag, ["seats"], pool="threads", concurrency=settings.seats)
    keeping.join(GOODBYE)
    return code


def _quieten_celery() -> None:
    for noisy in ("celery.worker.strategy", "celery.app.trace"):  # they log each message and each task
        logging.getLogger(noisy).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message="You're running the worker with superuser")


def _end_child(**_: Any) -> None:
    trace.end_tracing()


def _own_logging(**_: Any) -> None:
    """Do nothing: a listener to this signal makes Celery leave the logs alone."""


def _serve_blocks(app: Celery, bench: Bench, flag: mmap.mmap, queues: list[str], **pool: Any) -> int:
    def stop_app(**_: Any) -> None:
        flag[0] = flag[0] or STOPPED

    def mark_ready(**_: Any) -> None:
        signal.signal(signal.SIGINT, signal.getsignal(signal.SIGTERM))

    def prepare_process(**_: Any) -> None:
        bench.sandbox.prepare()
        trace.start_tracing("worker")
        trace.trace_tasks()
        start_reports(bench)

    signals.worker_shutting_down.connect(stop_app)
    signals.worker_ready.connect(mark_ready)
    signals.worker_process_init.connect(prepare_process)
    signals.worker_process_shutdown.connect(_end_child)
    signals.setup_logging.connect(_own_logging)
    _quieten_celery()
    worker = app.Worker(
        hostname=bench.name,
        queues=queues,
        **(pool or {"pool": "prefork", "concurrency": 1}),
        optimization="fair",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    worker.start()
    trace.end_tracing()
    if words := LAST_WORDS.get(flag[0]):
        sys.stderr.write(words)
        return 1
    return int(worker.exitcode or 0)
