"""Work spread over processes that end whenever this one does, by any signal.

They are started anew, not forked: a fork would inherit this program's signal handlers, and locks that its
threads hold. Each reads its jobs from a pipe, and ends when the other end is closed.
"""

from __future__ import annotations

import pickle
import queue
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import IO, TypeVar

from maumau.errors import PlatformFault

J = TypeVar("J")
R = TypeVar("R")
AHEAD = 2
"""Jobs that are read for each process before their turn."""


class Crew:
    """Processes, and a thread for each that waits for its answers."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self._idle: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()

    def start(self) -> None:
        """Start one more process."""
        command = [sys.executable, "-m", "maumau.process.spread"]
        pipe = subprocess.PIPE  # a session of its own: Ctrl-C is for this process alone
        self.processes.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True))
        self._idle.put(self.processes[-1])

    def end(self) -> None:
        """End all processes, even in the middle of their jobs."""
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # unsent data
                process.stdin.close()

    def map(self, function: Callable[[J], R], jobs: Iterable[J]) -> Iterator[R]:
        """Yield results like the built-in: in the order of the jobs, which are read as needed."""
        with ThreadPoolExecutor(len(self.processes)) as threads:
            due: deque[Future[R]] = deque()
            try:
                for job in jobs:
                    due.append(threads.submit(self.ask, function, job))
                    if len(due) > AHEAD * len(self.processes):
                        yield due.popleft().result()
                while due:
                    yield due.popleft().result()
            except BaseException:
                self.end()  # or the threads would wait for answers that are not needed any more
                raise
            finally:
                threads.shutdown(wait=False, cancel_futures=True)

    def ask(self, function: Callable[[J], R], job: J) -> R:
        """Return the answer of the next idle process, from any thread; PlatformFault if it ends before."""
        process = self._idle.get()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((function, job), process.stdin)
            process.stdin.flush()
            answer: R = pickle.load(process.stdout)  # noqa: S301  # our own process
        except (EOFError, BrokenPipeError):
            raise PlatformFault(f"A process of this program ended (exit code {process.wait()}).") from None
        else:
            return answer
        finally:
            self._idle.put(process)


@contextmanager
def spread(processes: int) -> Iterator[Crew]:
    """Yield a crew of this many processes, which end with the context."""
    crew = Crew()
    try:
        for _ in range(processes):
            crew.start()
        yield crew
    finally:
        crew.end()


def answer_jobs(source: IO[bytes], sink: IO[bytes]) -> None:
    """Write one result for each job, until there is no other end."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            function, job = pickle.load(source)  # noqa: S301  # from the process that started this one
            pickle.dump(function(job), sink)
            sink.flush()


if __name__ == "__main__":
    answer_jobs(sys.stdin.buffer, sys.stdout.buffer)
