"""A real embedded arena for tests and benchmarks: all its processes, in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil

from bench.support.checkout import ROOT
from bench.support.patience import Deadline, patient
from maumau.bots import HOUSE
from maumau.client.arena import Arena
from maumau.errors import MaumauError

T = TypeVar("T")
DEADLINE = 60.0
BOTS = ("greedy", "first", "random")
BRISK = {"MAUMAU_LEASE": "3", "MAUMAU_SWEEP": "0.5", "MAUMAU_AUDIT": "0", "MAUMAU_ISOLATION": "0",
         "MAUMAU_LADDERS": "play"}  # fmt: skip
"""A lost lease is noticed within seconds, not within the minute of a real contest; ladders play for ever."""


def until(what: str, ready: Callable[[], T], deadline: float = DEADLINE) -> T:
    """Poll until the result is truthy, and return it; a failed call counts as not ready."""
    last = Deadline(deadline)
    while True:
        try:
            answer = ready()
        except (MaumauError, OSError, json.JSONDecodeError):
            answer = None
        if answer:
            return answer
        if last.has_passed():
            raise AssertionError(f"timed out after {deadline:g} s; waited for: {what}")
        time.sleep(0.1)


class Embedded:
    """An arena in `data`; it can be started and stopped repeatedly."""

    def __init__(
        self, data: Path, workers: int = 2, checkout: Path | None = None,
        settings: Mapping[str, str] = BRISK,
    ) -> None:  # fmt: skip
        self.data, self.workers, self._settings = data, workers, dict(settings)
        self._checkout = checkout or ROOT
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start all processes and wait until the bots that will play are active."""
        command = [sys.executable, "-m", "services.supervisor", "--data", str(self.data), "--plain"]
        self.data.mkdir(parents=True, exist_ok=True)
        with (self.data / "supervisor.out").open("ab") as out:
            self._process = subprocess.Popen(
                [*command, "--workers", str(self.workers)],
                cwd=self._checkout,
                env={**os.environ, **self._settings, "PYTHONPATH": str(self._checkout)},
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        until("the supervisor runs", lambda: self.read_card()["pid"] == self._process.pid)
        until(f"{', '.join(BOTS)} are active", lambda: self._active_bots() >= set(BOTS))

    def stop(self) -> None:
        """Stop by SIGTERM, as a user's Ctrl-C does, and check that no process is left."""
        family = psutil.Process(self._process.pid).children(recursive=True)
        self._process.send_signal(signal.SIGTERM)
        try:
            assert self._process.wait(patient(10)) == 0
            until("no process is left", lambda: not any(one.is_running() for one in family), 5)
        finally:  # a failed test leaves nothing behind either
            for one in family:
                with suppress(psutil.NoSuchProcess):
                    one.kill()

    def read_card(self) -> dict[str, Any]:
        """Return the content of `arena.json`."""
        return json.loads((self.data / "arena.json").read_text())

    def kill(self, name: str) -> None:
        """Kill one of its processes with -9."""
        os.kill(self.read_card()["processes"][name], signal.SIGKILL)

    @contextmanager
    def client(self, token: str = "token") -> Iterator[Arena]:
        """Yield a client with the admin's token (or another field of `arena.json`)."""
        card = self.read_card()
        with Arena(card["registry"], card["tournament"], card[token], patience=20) as arena:
            yield arena

    def ask(self, question: Callable[[Arena], T]) -> T:
        """Return the answer to one request to the running arena."""
        with self.client() as arena:
            return question(arena)

    def wait_until_settled(self) -> None:
        """Wait until every house bot has been validated and is active."""
        until("the house bots are active", lambda: self._active_bots() >= set(HOUSE))

    def _active_bots(self) -> set[str]:
        bots = self.ask(lambda arena: arena.bots())
        return {bot.name for bot in bots if any(version.state == "active" for version in bot.versions)}

    def begin(self, spec: str, bots: Sequence[str] = BOTS) -> str:
        """Create a tournament, enter the bots and start it; return its name."""
        with self.client() as arena:
            name = arena.create(spec).name
            arena.open(name)
            for bot in bots:
                arena.enter(name, bot)
            arena.start(name)
        return name

    def wait_until_over(self, name: str, deadline: float = DEADLINE) -> None:
        """Wait until the tournament is over."""
        until(f"{name} is over", lambda: self.ask(lambda arena: arena.tournament(name)).over, deadline)

    def finish(self, name: str, deadline: float = DEADLINE) -> Path:
        """Wait until the tournament is over; return the path of its export."""
        self.wait_until_over(name, deadline)
        path = self.data / f"{name}.export.jsonl"
        with self.client() as arena, path.open("wb") as file:
            for chunk in arena.export(name):
                file.write(chunk)
        return path

    def blocks(self, name: str) -> list[Any]:
        """Return all blocks of a tournament in their current state."""
        with self.client() as arena:
            labels = [match.label for match in arena.matches(name)]
            return [block for label in labels for block in arena.match(name, label).blocks]

    def wait_until_under_way(self, name: str) -> None:
        """Wait until a block is stored and another one is being played."""

        def is_under_way() -> bool:
            states = {block.state for block in self.blocks(name)}
            return {"done", "claimed"} <= states

        until("a block is stored and another one is being played", is_under_way)


@contextmanager
def running(
    data: Path,
    workers: int = 2,
    checkout: Path | None = None,
    like: Path | None = None,
    settings: Mapping[str, str] = BRISK,
) -> Iterator[Embedded]:
    """Yield a running arena, stopped at the end. like: the data of another arena, of which it gets a copy."""
    if like:
        shutil.copytree(like, data)
    arena = Embedded(data, workers, checkout, settings)
    try:
        arena.start()
        yield arena
    finally:
        arena.stop()
