"""Slots side by side: two against one, `maumau duel` on all cores, and against kaggle-environments."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.play import table
from bench.play.peer import SpeedPlayer, make_environment
from bench.results.row import ResultRow
from bench.support.checkout import ROOT
from maumau.referee.block import BlockOrder, play_block
from maumau.sandbox.launch import choose_sandbox

ROUNDS = 5
SECONDS = 2.0
DUEL = ["greedy", "random", "--all", "-n", "10000", "--json"]
KAGGLE = """
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()):  # it tells of environments whose packages are not there
    from kaggle_environments import make
def play():
    env = make("connectx")
    env.run(["random", "random"])
    return len(env.steps) - 1
"""
NEEDED = ("jsonschema", "numpy", "requests", "flask")  # of all it asks for, by connectx


def measure_rows() -> Iterator[ResultRow]:
    """Yield all rows, in about two minutes."""
    cores = sorted(os.sched_getaffinity(0))
    slots = [Slot(core) for core in cores[:2]]
    if len(slots) == 2:
        yield side_by_side(slots)
    kaggle = SpeedPlayer(make_environment("kaggle", *NEEDED, alone="kaggle-environments"), KAGGLE)
    kaggle.play(SECONDS / 4)  # the first deals import things
    rates = [(play_together(slots[:1])[0], kaggle.play(SECONDS).wall) for _ in range(3)]
    yield compare_rates("one slot against kaggle-environments connectx, two random agents", rates, 100)
    for each in (kaggle, *slots):
        each.close()
    yield measure_duel(len(cores))


def side_by_side(slots: list[Slot]) -> ResultRow:
    """Compare two slots at the same time with each of them alone."""
    rates = []
    for _ in range(ROUNDS):
        alone = sum(play_together([slot])[0] for slot in slots) / len(slots)
        rates.append((sum(play_together(slots)), alone))
    return compare_rates("two slots on two cores against one", rates, 1.8)


def compare_rates(name: str, rates: list[tuple[float, float]], bound: float) -> ResultRow:
    """Return the median of the rounds' ratios."""
    ours, theirs = (statistics.median(each) for each in zip(*rates, strict=True))
    how = f"{ours:,.0f} / {theirs:,.0f} decisions a second"
    return ResultRow(name, statistics.median(one / other for one, other in rates), bound, how=how)


def measure_duel(cores: int) -> ResultRow:
    """Compare the machine's CPU time during a long duel, alone on it, with that of its cores.

    Programs that are started warm are nobody's children here, so that their time is not counted with ours.
    """
    before, began = _used_seconds(), time.perf_counter()
    command = [sys.executable, "-m", "maumau.cli", "duel", *DUEL]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    wall, used = time.perf_counter() - began, _used_seconds() - before
    how = f"{used:.1f} s of CPU time in {wall:.1f} s on {cores} cores"
    return ResultRow(
        "maumau duel greedy random --all -n 10000", 100 * used / wall / cores, 85, unit="%", how=how
    )


def _used_seconds() -> float:
    """Return the CPU seconds of all processes, without idle and stolen time."""
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


class Slot:
    """A process on its own core that plays blocks for a requested time, as a worker does."""

    def __init__(self, core: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.play.slot", str(core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def begin(self) -> None:
        """Play for a while."""
        assert self.process.stdin
        self.process.stdin.write(f"{SECONDS}\n")
        self.process.stdin.flush()

    def rate(self) -> float:
        """Return the decisions per second of the last run."""
        assert self.process.stdout
        return float(self.process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def play_together(slots: list[Slot]) -> list[float]:
    """Return the rates of slots that play at the same time."""
    for slot in slots:
        slot.begin()
    return [slot.rate() for slot in slots]


def serve_slot(core: int) -> None:
    """Run a slot's own process; starts of programs are left out, as in the other rates."""
    os.sched_setaffinity(0, {core})
    sandbox, seeds = choose_sandbox("bwrap"), [f"{number:064x}" for number in range(table.SETS)]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        programs = [table.submitted_bot(name, Path(folder)) for name in table.THINK_LEAST]
        for line in sys.stdin:
            until, replies, ms = time.monotonic() + float(line), 0, 0.0
            while time.monotonic() < until:
                measured = play_block(BlockOrder("mau_mau", 2, seeds, cpu=core), programs, sandbox).measured
                replies += sum(use.replies for use in measured.uses)
                ms += measured.wall_ms - measured.start_ms
            print(replies / ms * 1000, flush=True)


if __name__ == "__main__":
    serve_slot(int(sys.argv[1]))
