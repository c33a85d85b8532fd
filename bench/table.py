"""The table: decisions per second against a bare echo on the same core, and what a sandbox costs to start.

Programs of the SDK and programs in C (`bench/bot.c`), one deal at a time and 64 at once.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from bench.peer import compiled
from bench.row import Row
from maumau.bot import package
from maumau.bot.bubblewrap import Bubblewrap
from maumau.bot.limit import RunLimits
from maumau.bot.manifest import Manifest
from maumau.bot.referee import BlockOrder, Program, play_block
from maumau.bot.sandbox import Launch, Sandbox, choose_sandbox

LINE = b"x" * 229 + b"\n"
ECHO = "import os\nwhile line := os.read(0, 65536): os.write(1, line)"
ROUNDS = 7  # short ones, in turn; a ratio is the median over the rounds, each within a minute
TRIPS = 10_000
SETS = 250
STARTS = 15
THINK_LEAST = ("first", "random")  # the table is what is measured
BOTS = Path(__file__).parents[1] / "maumau" / "bots"
BOUNDS = {("SDK", 1): 0.3, ("SDK", 64): 0.45, ("C", 1): 0.4, ("C", 64): 0.7}


def rows() -> Iterator[Row]:
    """All of them, in about two minutes; then the tables by the compiled library."""
    sandbox, core = choose_sandbox("bwrap"), max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, pinned(core):
        Path(folder).chmod(0o755)
        yield from starts(sandbox, Path(folder))
        yield from shares(Bubblewrap(), Path(folder), core)
    yield from tables()
    library = compiled()
    environment = {**os.environ, "PYTHONPATH": str(library)}
    command = [sys.executable, "-m", "bench.table"]
    said = subprocess.run(command, cwd=library, env=environment, check=True, capture_output=True)
    for line in said.stdout.splitlines():
        row = msgspec.json.decode(line, type=Row)
        yield row._replace(name=f"compiled: {row.name}")


def tables() -> Iterator[Row]:
    """Every kind of program against the echo."""
    sandbox, core = choose_sandbox("bwrap"), max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, pinned(core):
        Path(folder).chmod(0o755)
        pairs = {"SDK": [program(name, Path(folder)) for name in THINK_LEAST], "C": in_c(Path(folder))}
        kinds = [(name, most) for name, most in BOUNDS if pairs[name]]
        rates = []
        for _ in range(ROUNDS):
            played = [decisions(taking(most, pairs[name]), sandbox, core) for name, most in kinds]
            rates.append((echo(), *played))
    bare, *played = zip(*rates, strict=True)
    for kind, rate in zip(kinds, played, strict=True):
        yield from compare_rates(kind, rate, bare)
    if not pairs["C"]:
        print("there is no gcc: programs in C were left out", file=sys.stderr, flush=True)


def compare_rates(kind: tuple[str, int], rates: Sequence[float], echoes: Sequence[float]) -> Iterator[Row]:
    """A table's rates against the echo's, by round; of the SDK's bots as they are the arena asks for less."""
    made, most = kind
    ratio = statistics.median(one / other for one, other in zip(rates, echoes, strict=True))
    what = f"one table of first and random ({made}) in bwrap"
    rate, bare = statistics.median(rates), statistics.median(echoes)
    how = f"{rate:,.0f} decisions a second, {bare:,.0f} echoes of 230 bytes"
    if kind == ("SDK", 64):
        yield Row("one table against a bare echo, on one core", ratio, 0.25, how=how)
    yield Row(f"{what}, {most} at once, against a bare echo", ratio, BOUNDS[kind], how=how)


def taking(most: int, programs: list[Program]) -> list[Program]:
    """The programs as they are, but for how many deals they take at once."""
    manifests = [msgspec.structs.replace(each.manifest, concurrent=most) for each in programs]
    pairs = zip(programs, manifests, strict=True)
    return [msgspec.structs.replace(each, manifest=manifest) for each, manifest in pairs]


def in_c(folder: Path) -> list[Program]:
    """Two programs in C, compiled here; none if there is no compiler."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return []
    (folder / "c").mkdir()
    source = Path(__file__).with_name("bot.c")
    subprocess.run([compiler, "-O2", "-o", folder / "c" / "bot", source], check=True)
    runs = {"first": ["./bot"], "random": ["./bot", "any"]}
    manifests = [Manifest(name, run, runtime="native") for name, run in runs.items()]
    return [Program(folder / "c", each, "c" * 64, each.name) for each in manifests]


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
    (folder / "bot.py").write_text("from maumau.bot import Bot\nprint('here', flush=True)\ninput()\n")
    plain = choose_sandbox("process")
    for name, run, bound in (("", code, 5), (", a program of the SDK, warm", ["python3", "bot.py"], 2)):
        launch = Launch(folder, "", run, "python", RunLimits(), 60)
        behind, bare = (median(partial(first_line, each, launch)) for each in (sandbox, plain))
        how = f"{behind:.1f} ms in bwrap, {bare:.1f} ms without a wall"
        yield Row(f"a sandbox's start against a plain start{name}", behind / bare, bound, most=True, how=how)


def shares(sandbox: Bubblewrap, folder: Path, core: int) -> Iterator[Row]:
    """Of the time of a block of 500 mirrored deals, what the starts take: cold and warm in turn."""
    programs, seeds = [program(name, folder) for name in ("greedy", "random")], range(500)
    order = BlockOrder("mau_mau", 2, [f"{number:064x}" for number in seeds], cpu=core)
    taken: dict[str, list[tuple[float, float]]] = {"cold": [], "warm": []}
    for name in ["warm", *["cold", "warm"] * ROUNDS]:
        sandbox.warmth.allowed = name == "warm"
        measured = play_block(order, programs, sandbox).measured
        taken[name].append((measured.start_ms, measured.wall_ms))
    for name, bound in (("cold", 40), ("warm", 10)):
        begun, wall = (statistics.median(each) for each in zip(*taken[name][-ROUNDS:], strict=True))
        how = f"four starts in {begun:.0f} ms of {wall:.0f} ms"
        yield Row(f"starts in a block, {name}", 100 * begun / wall, bound, most=True, unit="%", how=how)


def first_line(sandbox: Sandbox, launch: Launch) -> None:
    """Start a program and wait for its first line."""
    sandboxed = sandbox.start(launch)
    os.set_blocking(sandboxed.stdout, True)
    assert os.read(sandboxed.stdout, 100) == b"here\n"
    sandboxed.close()


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
    packed = package.unpack_archive(package.pack_submission(BOTS / name).archive, folder / name)
    return Program(folder / name, packed.manifest, packed.sha256, name)


@contextmanager
def pinned(core: int) -> Iterator[None]:
    """This process and what it starts, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    yield
    os.sched_setaffinity(0, before)


if __name__ == "__main__":
    for row in tables():
        print(msgspec.json.encode(row).decode())
