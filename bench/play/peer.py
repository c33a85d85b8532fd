"""Programs that play in turns, each in a process of its own, and their environments.

An environment is made once, in `build/`, from the package index; `MAUMAU_PEERS` names a folder that has them
already.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.support.checkout import ROOT

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
    """Decisions per second by the two clocks."""

    cpu: float
    wall: float


class Slices(NamedTuple):
    """The rounds of a player; ratios compare slices of the same round, seconds apart."""

    speeds: list[Speed]

    @property
    def cpu(self) -> float:
        """Return the median of decisions per second of CPU time."""
        return median(speed.cpu for speed in self.speeds)

    def compare_cpu(self, peer: Slices) -> float:
        """Return the median of the rounds' ratios, by CPU time."""
        return median(a.cpu / b.cpu for a, b in zip(self.speeds, peer.speeds, strict=True))


class SpeedPlayer:
    """A process that plays for a requested time and reports its speed.

    `play` is the source of a function `play()` that returns the number of decisions made; `rng` is defined.
    """

    def __init__(self, interpreter: str, play: str, env: Mapping[str, str] = os.environ) -> None:
        self.process = subprocess.Popen(
            [interpreter, "-c", play + LOOP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=env,
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


def play_in_turns(players: list[SpeedPlayer], seconds: float, rounds: int) -> list[Slices]:
    """Return each player's slices, played in turns, after a slice that does not count."""
    for player in players:
        player.play(seconds)
    slices = [[player.play(seconds) for player in players] for _ in range(rounds)]
    for player in players:
        player.close()
    return [Slices(list(column)) for column in zip(*slices, strict=True)]


def make_environment(name: str, *packages: str, alone: str = "") -> str:
    """Return the interpreter of a new environment with these packages, and `alone` without dependencies."""
    folder = Path(os.environ.get("MAUMAU_PEERS", ROOT / "build")) / name
    interpreter, marker = folder / "bin" / "python", folder / "whole"
    if not marker.exists():  # an interrupted install leaves no marker
        venv.create(folder, with_pip=True, clear=True)
        install = [interpreter, "-m", "pip", "install", "-q"]
        subprocess.run([*install, *packages], check=True)
        if alone:
            subprocess.run([*install, "--no-deps", alone], check=True)
        marker.touch()
    return str(interpreter)


@functools.cache
def compiled_environment() -> dict[str, str]:
    """Return the environment variables for the compiled engine and table, building both first."""
    command = [sys.executable, "-m", "maumau.engine.build", "--wait"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return {**os.environ, "MAUMAU_ENGINE": "kept"}
