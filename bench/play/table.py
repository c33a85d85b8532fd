"""The table: decisions per second against a bare echo on the same core, and the start time of a sandbox.

Programs of the SDK and programs in C (`bench/play/bot.c`), one deal at a time and 64 at once.
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

from bench.play.peer import compiled_environment
from bench.results.row import ResultRow
from bench.support.checkout import ROOT
from maumau.protocol.limit import RunLimits
from maumau.protocol.manifest import Manifest
from maumau.referee.block import BlockOrder, Program, play_block
from maumau.sandbox.bubblewrap import Bubblewrap
from maumau.sandbox.launch import Launch, Sandbox, choose_sandbox
from maumau.submission import package

LINE = b"x" * 229 + b"\n"
ECHO = "import os\nwhile line := os.read(0, 65536): os.write(1, line)"
ROUNDS = 7  # short ones, in turn; a ratio is the median over the rounds, each within a minute
TRIPS = 10_000
SETS = 250
STARTS = 15
THINK_LEAST = ("first", "random")  # bots that leave the time to the table, which is measured
BOTS = ROOT / "maumau" / "bots"
BOUNDS = {("SDK", 1): 0.3, ("SDK", 64): 0.45, ("C", 1): 0.4, ("C", 64): 0.7}


def measure_rows() -> Iterator[ResultRow]:
    """Yield all rows, in about two minutes; then those of the compiled library."""
    sandbox, core = choose_sandbox("bwrap"), max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, pin_core(core):
        Path(folder).chmod(0o755)
        yield from measure_starts(sandbox, Path(folder))
        yield from measure_shares(Bubblewrap(), Path(folder), core)
    yield from measure_programs()
    command = [sys.executable, "-m", "bench.play.table"]
    said = subprocess.run(command, cwd=ROOT, env=compiled_environment(), check=True, capture_output=True)
    for line in said.stdout.splitlines():
        row = msgspec.json.decode(line, type=ResultRow)
        yield row._replace(name=f"compiled: {row.name}")


def measure_programs() -> Iterator[ResultRow]:
    """Yield every kind of program against the echo."""
    sandbox, core = choose_sandbox("bwrap"), max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, pin_core(core):
        Path(folder).chmod(0o755)
        pairs = {"SDK": [submitted_bot(name, Path(folder)) for name in THINK_LEAST], "C": in_c(Path(folder))}
        kinds = [(name, most) for name, most in BOUNDS if pairs[name]]
        rates = []
        for _ in range(ROUNDS):
            played = [
                measure_decisions(limit_deals(most, pairs[name]), sandbox, core) for name, most in kinds
            ]
            rates.append((measure_echo(), *played))
    bare, *played = zip(*rates, strict=True)
    for kind, rate in zip(kinds, played, strict=True):
        yield from compare_rates(kind, rate, bare)
    if not pairs["C"]:
        print("there is no gcc: programs in C were left out", file=sys.stderr, flush=True)


def compare_rates(
    kind: tuple[str, int], rates: Sequence[float], echoes: Sequence[float]
) -> Iterator[ResultRow]:
    """Yield a table's rates against the echo's, by round; the bound for unmodified SDK bots is lower."""
    made, most = kind
    ratio = statistics.median(one / other for one, other in zip(rates, echoes, strict=True))
    what = f"one table of first and random ({made}) in bwrap"
    rate, bare = statistics.median(rates), statistics.median(echoes)
    how = f"{rate:,.0f} decisions, {bare:,.0f} echoes of 230 bytes a second"
    if kind == ("SDK", 64):
        yield ResultRow("one table against a bare echo, on one core", ratio, 0.25)
    yield ResultRow(f"{what}, {most} at once, against a bare echo", ratio, BOUNDS[kind], how=how)


def limit_deals(most: int, programs: list[Program]) -> list[Program]:
    """Return the programs with another number of concurrent deals."""
    manifests = [msgspec.structs.replace(each.manifest, concurrent=most) for each in programs]
    pairs = zip(programs, manifests, strict=True)
    return [msgspec.structs.replace(each, manifest=manifest) for each, manifest in pairs]


def in_c(folder: Path) -> list[Program]:
    """Return two programs in C, compiled here; none if there is no compiler."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return []
    (folder / "c").mkdir()
    source = Path(__file__).with_name("bot.c")
    subprocess.run([compiler, "-O2", "-o", folder / "c" / "bot", source], check=True)
    runs = {"first": ["./bot"], "random": ["./bot", "any"]}
    manifests = [Manifest(name, run, runtime="native") for name, run in runs.items()]
    return [Program(folder / "c", each, "c" * 64, each.name) for each in manifests]


def measure_echo() -> float:
    """Return the lines per second, there and back between two Python processes."""
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


def measure_decisions(programs: list[Program], sandbox: Sandbox, core: int) -> float:
    """Return the decisions per second of a block, without its starts."""
    seeds = [f"{number:064x}" for number in range(SETS)]
    measured = play_block(BlockOrder("mau_mau", 2, seeds, cpu=core), programs, sandbox).measured
    return sum(use.replies for use in measured.uses) / (measured.wall_ms - measured.start_ms) * 1000


def measure_starts(sandbox: Sandbox, folder: Path) -> Iterator[ResultRow]:
    """Yield the median time to the first line, against the same program without a sandbox."""
    code = ["python3", "-c", "print('here', flush=True); input()"]
    (folder / "bot.py").write_text("from maumau.bot import Bot\nprint('here', flush=True)\ninput()\n")
    plain = choose_sandbox("process")
    for name, run, bound in (("", code, 5), (", a program of the SDK, warm", ["python3", "bot.py"], 2)):
        launch = Launch(folder, "", run, "python", RunLimits(), 60)
        behind, bare = (median_time(partial(first_line, each, launch)) for each in (sandbox, plain))
        how = f"{behind:.1f} ms in bwrap, {bare:.1f} ms without a wall"
        yield ResultRow(
            f"a sandbox's start against a plain start{name}", behind / bare, bound, most=True, how=how
        )


def measure_shares(sandbox: Bubblewrap, folder: Path, core: int) -> Iterator[ResultRow]:
    """Yield the starts' share of the time of a block of 500 mirrored deals: cold and warm in turn."""
    programs, seeds = [submitted_bot(name, folder) for name in ("greedy", "random")], range(500)
    order = BlockOrder("mau_mau", 2, [f"{number:064x}" for number in seeds], cpu=core)
    taken: dict[str, list[tuple[float, float]]] = {"cold": [], "warm": []}
    for name in ["warm", *["cold", "warm"] * ROUNDS]:
        sandbox.warmth.allowed = name == "warm"
        measured = play_block(order, programs, sandbox).measured
        taken[name].append((measured.start_ms, measured.wall_ms))
    for name, bound in (("cold", 40), ("warm", 10)):
        begun, wall = (statistics.median(each) for each in zip(*taken[name][-ROUNDS:], strict=True))
        how = f"four starts in {begun:.0f} ms of {wall:.0f} ms"
        yield ResultRow(f"starts in a block, {name}", 100 * begun / wall, bound, most=True, unit="%", how=how)


def first_line(sandbox: Sandbox, launch: Launch) -> None:
    """Start a program and wait for its first line."""
    sandboxed = sandbox.start(launch)
    os.set_blocking(sandboxed.stdout, True)
    assert os.read(sandboxed.stdout, 100) == b"here\n"
    sandboxed.close()


def median_time(action: Callable[[], None]) -> float:
    """Return the median time of an action, in ms."""
    times = []
    for _ in range(STARTS):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def submitted_bot(name: str, folder: Path) -> Program:
    """Return a house bot as it is after submission."""
    packed = package.unpack_archive(package.pack_submission(BOTS / name).archive, folder / name)
    return Program(folder / name, packed.manifest, packed.sha256, name)


@contextmanager
def pin_core(core: int) -> Iterator[None]:
    """Pin this process and its children to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    yield
    os.sched_setaffinity(0, before)


if __name__ == "__main__":
    for row in measure_programs():
        print(msgspec.json.encode(row).decode())
