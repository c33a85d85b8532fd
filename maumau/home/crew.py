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

from maumau.engine.background import start as start_build
from maumau.errors import PlatformFault
from maumau.home.job import BlockJob, Deals, Failed, JobDone, News, SecondRun, Word
from maumau.referee.second_run import find_provisional_faults

PATIENCE = 10.0  # seconds that a worker has to leave its block
_word = msgspec.json.Decoder(Word)


def list_cores() -> list[int]:
    """Return the cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


class WorkerCrew:
    """Workers: `give` hands them jobs, `hear` returns their news.

    A block with provisional faults is played once more, later, by another worker if one waits.
    """

    def __init__(self, tier: str, workers: int) -> None:
        here = list_cores()
        self.size = workers or len(here)
        self._heard: queue.SimpleQueue[tuple[CrewWorker, Word | None]] = queue.SimpleQueue()
        self._workers = [CrewWorker(tier, here[n % len(here)], self._heard) for n in range(self.size)]
        self._idle = list(self._workers)
        self._given: dict[int, BlockJob] = {}
        self._put_off: list[BlockJob] = []

    @property
    def idle(self) -> bool:
        """True if a worker is waiting for a job."""
        return bool(self._idle)

    def give(self, job: BlockJob) -> None:
        """Give a job to the worker that has waited longest."""
        self._given[job.number] = job
        self._idle.pop(0).give(job)

    def hear(self, seconds: float) -> News | None:
        """Return the next news of any worker within this time; PlatformFault: a block is unplayable here."""
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
        return self._judge_block(word)

    def _judge_block(self, done: JobDone) -> JobDone | SecondRun:
        """Return the result that counts, or the reason for a second run of the block."""
        job = self._given.pop(done.number)
        faults = find_provisional_faults(done.faults, is_second=bool(job.first))
        self._give_second_runs()  # earlier ones: this one is played later
        if not faults:
            return done
        self._put_off.append(msgspec.structs.replace(job, first=done.played))
        return SecondRun(done.number, faults, done.measured)

    def _give_second_runs(self) -> None:
        """Give second runs to waiting workers."""
        while self._put_off and self._idle:
            self.give(self._put_off.pop(0))

    def close(self) -> None:
        """Stop all workers, even in the middle of a block."""
        for worker in self._workers:
            worker.let_go()
        for worker in self._workers:
            worker.end()


class CrewWorker:
    """One worker process; a thread of this process reads its messages."""

    def __init__(
        self, tier: str, core: int, heard: queue.SimpleQueue[tuple[CrewWorker, Word | None]]
    ) -> None:
        self.heard = heard
        self.process = subprocess.Popen(
            [sys.executable, "-m", "maumau.home.worker", tier, str(core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the parent alone
        )
        self._errors: list[bytes] = []
        for target in (self._read_news, self._read_errors):
            threading.Thread(target=target, daemon=True).start()

    def give(self, job: BlockJob) -> None:
        """Send a job; the end of a dead worker is reported by its reader."""
        pipe = _open_pipe(self.process.stdin)
        try:
            pipe.write(msgspec.json.encode(job) + b"\n")
            pipe.flush()
        except BrokenPipeError:
            return

    def let_go(self) -> None:
        """Tell the worker to abandon its block."""
        try:
            _open_pipe(self.process.stdin).close()
        except BrokenPipeError:
            return

    def end(self) -> None:
        """Wait until the worker has ended."""
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def last_words(self) -> str:
        """Return why the worker ended unexpectedly."""
        code = self.process.wait()
        lines = b"".join(self._errors).decode(errors="replace").strip().splitlines()
        return f"A worker process ended (exit code {code}): {lines[-1] if lines else 'it said nothing'}"

    def _read_news(self) -> None:
        for line in _open_pipe(self.process.stdout):
            self.heard.put((self, _word.decode(line)))
        self.heard.put((self, None))

    def _read_errors(self) -> None:
        for line in _open_pipe(self.process.stderr):
            self._errors = [*self._errors[-20:], line]


def _open_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


@contextmanager
def start_crew(tier: str, workers: int) -> Iterator[WorkerCrew]:
    """Yield workers, as many as requested or one to a core, which end with the context."""
    made = WorkerCrew(tier, workers)
    try:
        yield made
    finally:
        made.close()
        start_build()
