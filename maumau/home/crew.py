"""Worker processes, one to a core, that play blocks; whatever happens to this process, they end with it."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import msgspec

from maumau.bot.second_run import find_overruns
from maumau.errors import PlatformFault
from maumau.home.job import Deals, Done, Failed, Job, News, SecondRun, Word

PATIENCE = 10.0  # seconds that a worker has to leave its block
_word = msgspec.json.Decoder(Word)


def cores() -> list[int]:
    """Those that this process may use."""
    return sorted(os.sched_getaffinity(0))


class Crew:
    """Takes jobs with `give`, tells what comes of them with `hear`.

    A block in which a program ran out of time is played once more, later, by another worker if one waits.
    """

    def __init__(self, tier: str, workers: int) -> None:
        here = cores()
        self.size = workers or len(here)
        self._heard: queue.SimpleQueue[tuple[Worker, Word | None]] = queue.SimpleQueue()
        self._workers = [Worker(tier, here[n % len(here)], self._heard) for n in range(self.size)]
        self._idle = list(self._workers)
        self._given: dict[int, Job] = {}
        self._put_off: list[Job] = []
        self._had_first_run: set[int] = set()

    @property
    def idle(self) -> bool:
        """Whether a worker waits for a job."""
        return bool(self._idle)

    def give(self, job: Job) -> None:
        """To the worker that has waited longest."""
        self._given[job.number] = job
        self._idle.pop(0).give(job)

    def hear(self, seconds: float) -> News | None:
        """The next news of any worker within this time. PlatformFault: a block cannot be played here."""
        self._give_second_runs()
        try:
            worker, word = self._heard.get(timeout=seconds)
        except queue.Empty:
            return None
        if word is None:
            raise PlatformFault(worker.last_words())
        if isinstance(word, Failed):
            raise PlatformFault(f"A block could not be played: {word.words}")
        if isinstance(word, Deals):
            return word
        self._idle.append(worker)
        return self._judge(word)

    def _judge(self, done: Done) -> Done | SecondRun:
        """What counts, or why the block is to be played a second time."""
        job = self._given.pop(done.number)
        faults = find_overruns(done.faults, is_second=done.number in self._had_first_run)
        self._give_second_runs()  # those of before: this one is played later
        if not faults:
            return done
        self._had_first_run.add(done.number)
        self._put_off.append(job)
        return SecondRun(done.number, faults, done.measured)

    def _give_second_runs(self) -> None:
        """To workers that wait."""
        while self._put_off and self._idle:
            self.give(self._put_off.pop(0))

    def close(self) -> None:
        """Let all workers go, in the middle of their blocks too."""
        for worker in self._workers:
            worker.let_go()
        for worker in self._workers:
            worker.end()


class Worker:
    """One process; a thread of this one reads what it says."""

    def __init__(self, tier: str, core: int, heard: queue.SimpleQueue[tuple[Worker, Word | None]]) -> None:
        self.heard = heard
        self.process = subprocess.Popen(
            [sys.executable, "-m", "maumau.home.worker", tier, str(core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the parent alone
        )
        self._errors: list[bytes] = []
        for target in (self._read, self._read_errors):
            threading.Thread(target=target, daemon=True).start()

    def give(self, job: Job) -> None:
        """Send a job; a worker that is gone says so by itself."""
        pipe = _open(self.process.stdin)
        try:
            pipe.write(msgspec.json.encode(job) + b"\n")
            pipe.flush()
        except BrokenPipeError:
            return

    def let_go(self) -> None:
        """Tell it to leave its block."""
        try:
            _open(self.process.stdin).close()
        except BrokenPipeError:
            return

    def end(self) -> None:
        """Wait until it has gone."""
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def last_words(self) -> str:
        """Why it ended, when it should not have."""
        code = self.process.wait()
        lines = b"".join(self._errors).decode(errors="replace").strip().splitlines()
        return f"A worker process ended (exit code {code}): {lines[-1] if lines else 'it said nothing'}"

    def _read(self) -> None:
        for line in _open(self.process.stdout):
            self.heard.put((self, _word.decode(line)))
        self.heard.put((self, None))

    def _read_errors(self) -> None:
        for line in _open(self.process.stderr):
            self._errors = [*self._errors[-20:], line]


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


@contextmanager
def crew(tier: str, workers: int) -> Iterator[Crew]:
    """Workers, as many as are said or one to a core, gone at the end."""
    made = Crew(tier, workers)
    try:
        yield made
    finally:
        made.close()
