"""The table: decisions per second against a bare echo on the same core, and what a sandbox costs to start."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.row import Row
from maumau.bot import package
from maumau.bot.limit import RunLimits
from maumau.bot.sandbox import Launch, Sandbox, choose
from maumau.bot.table import BlockOrder, Program, play_block

LINE = b"x" * 229 + b"\n"
ECHO = "import os\nwhile line := os.read(0, 65536): os.write(1, line)"
ROUNDS = 5  # short ones, in turn; of each kind the best counts, for what disturbs only makes slower
TRIPS = 10_000
SETS = 250
STARTS = 15
THINK_LEAST = ("first", "random")  # the table is what is measured
BOTS = Path(__file__).parents[1] / "maumau" / "bots"


def rows() -> Iterator[Row]:
    """All of them, in about half a minute."""
    sandbox, core = choose("bwrap"), max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, pinned(core):
        Path(folder).chmod(0o755)
        programs = [program(name, Path(folder)) for name in THINK_LEAST]
        rates = [(echo(), decisions(programs, sandbox, core)) for _ in range(ROUNDS)]
        yield from starts(sandbox, Path(folder))
    bare, played = (max(rate) for rate in zip(*rates, strict=True))
    how = f"{played:,.0f} decisions a second of first and random in bwrap, {bare:,.0f} echoes of 230 bytes"
    yield Row("one table against a bare echo, on one core", played / bare, 0.25, how=how)


def echo() -> float:
    """Lines a second, there and back between two Python processes."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as other:
        assert other.stdin
        assert other.stdout
        to, back = other.stdin.fileno(), other.stdout.fileno()
        for trips in (TRIPS // 10, TRIPS):
            began = time.perf_counter()
            for _ in range(trips):
                os.write(to, LINE)
                os.read(back, 65536)
        seconds = time.perf_counter() - began
        other.stdin.close()
    return TRIPS / seconds


def decisions(programs: list[Program], sandbox: Sandbox, core: int) -> float:
    """Decisions a second of a block, its starts left out."""
    seeds = [f"{number:064x}" for number in range(SETS)]
    measured = play_block(BlockOrder("mau_mau", 2, seeds, cpu=core), programs, sandbox).measured
    return sum(use.replies for use in measured.uses) / (measured.wall_ms - measured.start_ms) * 1000


def starts(sandbox: Sandbox, folder: Path) -> Iterator[Row]:
    """From nothing to the first line, the median, against the same program without a wall."""
    code = ["python3", "-c", "print('here', flush=True); input()"]
    launch = Launch(folder, "", code, "python", RunLimits(), 60)
    plain = choose("process")
    behind, bare = median(lambda: first_line(sandbox, launch)), median(lambda: first_line(plain, launch))
    how = f"{behind:.1f} ms in bwrap, {bare:.1f} ms without a wall"
    yield Row("a sandbox's start against a plain start", behind / bare, 5, most=True, how=how)


def first_line(sandbox: Sandbox, launch: Launch) -> None:
    """Start a program and wait for its first line."""
    cell = sandbox.start(launch)
    os.set_blocking(cell.stdout, True)
    assert os.read(cell.stdout, 100) == b"here\n"
    cell.close()


def median(action: Callable[[], None]) -> float:
    """The median time of an action, in ms."""
    times = []
    for _ in range(STARTS):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def program(name: str, folder: Path) -> Program:
    """A house bot as it is after submission."""
    packed = package.unpack(package.pack(BOTS / name).archive, folder / name)
    return Program(folder / name, packed.manifest, packed.sha256, name)


@contextmanager
def pinned(core: int) -> Iterator[None]:
    """This process and what it starts, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    yield
    os.sched_setaffinity(0, before)
