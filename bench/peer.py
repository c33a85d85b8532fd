"""Programs that play in turns, each in a process of its own, and the environments that peers need.

An environment is made once, in `build/`, from the package index; `MAUMAU_PEERS` names a folder that has them
already.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import venv
from pathlib import Path
from statistics import median
from typing import NamedTuple

HOME = Path(__file__).parent.parent
LOOP = """
import random, sys, time
rng = random.Random(1).random
for line in sys.stdin:
    decisions, cpu, wall = 0, time.process_time(), time.perf_counter()
    while time.process_time() < cpu + float(line):
        decisions += play()
    print(decisions / (time.process_time() - cpu), decisions / (time.perf_counter() - wall), flush=True)
"""


class Speed(NamedTuple):
    """Decisions a second by the two clocks."""

    cpu: float
    wall: float


class Slices(NamedTuple):
    """What a player did in each round; ratios compare slices of the same round, seconds apart."""

    speeds: list[Speed]

    @property
    def cpu(self) -> float:
        """Decisions a second of CPU time, the median."""
        return median(speed.cpu for speed in self.speeds)

    def compare_cpu(self, peer: Slices) -> float:
        """The median of the rounds' ratios, by CPU time."""
        return median(a.cpu / b.cpu for a, b in zip(self.speeds, peer.speeds, strict=True))

    def compare_wall(self, peer: Slices) -> float:
        """The median of the rounds' ratios, by the wall clock."""
        return median(a.wall / b.wall for a, b in zip(self.speeds, peer.speeds, strict=True))


class Player:
    """A process that plays for as long as it is told and says how fast it was.

    `play` is the source of a function `play()` that gives the number of decisions made; `rng` is there.
    """

    def __init__(self, interpreter: str, play: str, folder: Path = HOME) -> None:
        self.process = subprocess.Popen(
            [interpreter, "-c", play + LOOP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
        )

    def play(self, seconds: float) -> Speed:
        """Play for this many seconds of CPU time."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        cpu, wall = self.process.stdout.readline().split()
        return Speed(float(cpu), float(wall))

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def in_turns(players: list[Player], seconds: float, rounds: int) -> list[Slices]:
    """Each player's slices, all having played in turns, after a slice that does not count."""
    for player in players:
        player.play(seconds)
    slices = [[player.play(seconds) for player in players] for _ in range(rounds)]
    for player in players:
        player.close()
    return [Slices(list(column)) for column in zip(*slices, strict=True)]


def environment(name: str, *packages: str, alone: str = "") -> str:
    """The interpreter of an environment of its own with these packages, and `alone` without its own."""
    folder = Path(os.environ.get("MAUMAU_PEERS", HOME / "build")) / name
    interpreter, whole = folder / "bin" / "python", folder / "whole"
    if not whole.exists():  # it may have been interrupted
        venv.create(folder, with_pip=True, clear=True)
        install = [interpreter, "-m", "pip", "install", "-q"]
        subprocess.run([*install, *packages], check=True)
        if alone:
            subprocess.run([*install, "--no-deps", alone], check=True)
        whole.touch()
    return str(interpreter)


@functools.cache
def compiled() -> Path:
    """A copy of the library whose engine and table are compiled, made anew once in a run."""
    folder = HOME / "build" / "compiled"
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("maumau", "bench", "pyproject.toml", "README.md"):
        subprocess.run(["cp", "-r", "--update", HOME / part, folder], check=True)
    subprocess.run([sys.executable, HOME / "deploy" / "compiled.py", folder], check=True, capture_output=True)
    return folder
