"""Self-test of a worker that fails repeatedly: it stops claiming until it passes."""

import shutil
import tempfile
import time
from pathlib import Path

from maumau import bots
from maumau.errors import MaumauError
from maumau.protocol.manifest import NAME, parse_manifest
from maumau.referee import block
from maumau.referee.block import BlockOrder
from maumau.referee.place import Program
from maumau.submission import build
from services.shared.base import log
from services.worker.bench import Bench

FAILURES = 3  # consecutive failures after which a worker tests itself
FIRST_PAUSE, LAST_PAUSE = 10.0, 300.0  # seconds before the next test
SPACE = 1 << 20  # bytes that must be free
SLICE = 0.2  # seconds between checks for the stop
BOT = Path(bots.__file__).parent / "first"

logger = log.get(__name__)


def keep_fit(bench: Bench) -> None:
    """After too many consecutive failures, test until the worker passes, or shall end.

    A worker that passes and fails again waits longer each time.
    """
    failures = bench.failures
    while failures.count >= FAILURES and not bench.stopping():
        unfit = find_unfitness(bench)
        _report_unfit(bench, unfit)
        if unfit or failures.tests:
            _pause_worker(min(FIRST_PAUSE * 2 ** min(failures.tests, 10), LAST_PAUSE), bench)
        failures.tests += 1
        if not unfit:
            failures.count = 0


def _report_unfit(bench: Bench, unfit: str) -> None:
    bench.tally.add("tests", label="failed" if unfit else "passed")
    words = unfit or "its own test was passed"
    logger.error("failures in a row", failures=bench.failures.count, unfit=bool(unfit), words=words)
    try:
        bench.tournament.report_test(bench.name, unfit)
    except MaumauError as err:
        logger.warning("not told", words=str(err))


def find_unfitness(bench: Bench) -> str:
    """Return the reason why this worker can play nothing; empty if a house bot plays here without faults."""
    try:
        with tempfile.TemporaryDirectory(dir=bench.artifacts.folder, prefix=".new-") as work:
            (Path(work) / "space").write_bytes(bytes(SPACE))
            faults = _play_test(bench, Path(shutil.copytree(BOT, Path(work) / BOT.name)))
    except Exception as err:  # noqa: BLE001 - any error is the finding
        return f"{type(err).__name__}: {err}"
    return "; ".join(sorted(faults))


def _play_test(bench: Bench, folder: Path) -> set[str]:
    """Return the descriptions of a house bot's faults against itself in one deal set."""
    program = Program(folder, parse_manifest((folder / NAME).read_bytes()), "0" * 64, folder.name)
    ready = build.prepare_program(program, bench.sandbox, bench.stopping)
    order = BlockOrder(rules="mau_mau", seats=2, seeds=["0" * 64], cpu=bench.core)
    outcome = block.play_block(order, [ready, ready], bench.sandbox, stop=bench.stopping, pace=bench.pace)
    faults = [fault for one in outcome.sets for deal in one.deals for fault in deal.faults]
    return {f"a house bot plays faults: {fault.kind}: {fault.words}" for fault in faults}


def _pause_worker(seconds: float, bench: Bench) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not bench.stopping():
        time.sleep(SLICE)
