"""A worker that fails again and again: it stops claiming, tests itself, and comes back when it is well."""

import shutil
import tempfile
import time
from pathlib import Path

from maumau import bots
from maumau.bot import build, referee
from maumau.bot.manifest import NAME, parse_manifest
from maumau.bot.player import Program
from maumau.bot.referee import BlockOrder
from maumau.errors import MaumauError
from services.shared import log
from services.worker.bench import Bench

FAILURES = 3  # in a row, after which a worker tests itself
FIRST_PAUSE, LAST_PAUSE = 10.0, 300.0  # seconds until it does so again
SPACE = 1 << 20  # bytes that must be free
SLICE = 0.2  # seconds in which a worker that shall end notices it
BOT = Path(bots.__file__).parent / "first"

logger = log.get(__name__)


def keep_fit(bench: Bench) -> None:
    """After too many failures in a row: returns when the worker has passed its test, or shall end.

    A worker that passes and fails again all the same waits longer each time.
    """
    failures = bench.failures
    while failures.count >= FAILURES and not bench.stopping():
        unfit = find_unfitness(bench)
        _tell(bench, unfit)
        if unfit or failures.tests:
            _pause(min(FIRST_PAUSE * 2 ** min(failures.tests, 10), LAST_PAUSE), bench)
        failures.tests += 1
        if not unfit:
            failures.count = 0


def _tell(bench: Bench, unfit: str) -> None:
    bench.tally.add("tests", label="failed" if unfit else "passed")
    words = unfit or "its own test was passed"
    logger.error("failures in a row", failures=bench.failures.count, unfit=bool(unfit), words=words)
    try:
        bench.tournament.report_test(bench.name, unfit)
    except MaumauError as err:
        logger.warning("not told", words=str(err))


def find_unfitness(bench: Bench) -> str:
    """Why this worker can play nothing, in words; empty if a house bot plays here as it should."""
    try:
        with tempfile.TemporaryDirectory(dir=bench.artifacts.folder, prefix=".new-") as work:
            (Path(work) / "space").write_bytes(bytes(SPACE))
            faults = _play(bench, Path(shutil.copytree(BOT, Path(work) / BOT.name)))
    except Exception as err:  # noqa: BLE001 - whatever it is, it is the answer
        return f"{type(err).__name__}: {err}"
    return "; ".join(sorted(faults))


def _play(bench: Bench, folder: Path) -> set[str]:
    """The faults of a house bot against itself in one deal set, in words."""
    program = Program(folder, parse_manifest((folder / NAME).read_bytes()), "0" * 64, folder.name)
    ready = build.prepare_program(program, bench.sandbox, bench.stopping)
    order = BlockOrder(rules="mau_mau", seats=2, seeds=["0" * 64], cpu=bench.core)
    outcome = referee.play_block(order, [ready, ready], bench.sandbox, stop=bench.stopping, pace=bench.pace)
    faults = [fault for one in outcome.sets for deal in one.deals for fault in deal.faults]
    return {f"a house bot plays faults: {fault.kind}: {fault.words}" for fault in faults}


def _pause(seconds: float, bench: Bench) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not bench.stopping():
        time.sleep(SLICE)
