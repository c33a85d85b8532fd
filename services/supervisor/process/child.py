"""A process of the arena: started on a leash in a group of its own, with a bounded log."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from services.supervisor.process.forked import Forked, ForkServer

LEASH = str(Path(__file__).with_name("leash.py"))
LOG_SIZE = 4 * 1024 * 1024
"""Bytes of a log above which it becomes `NAME.log.1` and begins anew."""
PORT_TAKEN = ("another program has it", "Failed listening on port")
"""The last words of a service and of Valkey if they cannot listen on their port."""
STEADY = 60.0
"""Seconds of running after which earlier deaths are forgotten."""


class Child:
    """A program with its arguments and environment; stage 0 starts first and stops last."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        env: Mapping[str, str],
        logs: Path,
        stage: int,
        listens: str = "",
        module: str = "",
    ) -> None:
        """Describe a process without starting it.

        listens: its host:port, if it has one. module: what the command runs, if a fork server can run it.
        """
        self.name, self.stage, self.listens, self._module = name, stage, listens, module
        self._command, self._env, self._log = list(command), dict(env), logs / f"{name}.log"
        self._process: subprocess.Popen[bytes] | Forked | None = None
        self.deaths, self.started, self.due = 0, 0.0, 0.0
        self.refusals = 0
        """Consecutive ends because its port was taken."""

    @property
    def pid(self) -> int:
        """The process id, 0 while it does not run."""
        return self._process.pid if self._process else 0

    def start(self, server: ForkServer | None = None) -> None:
        """Start it, by a fork server if there is one that can.

        Call this only in the main thread: the process ends with the thread that started it.
        """
        with self._log.open("ab") as log:
            forked = server.start_service(self._module, self._env, log) if server and self._module else None
            self._process = forked or self._start_program(log)
        self.started = time.monotonic()

    def _start_program(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        leash = [sys.executable, "-I", "-S", LEASH, str(os.getpid()), *self._command]
        return subprocess.Popen(
            leash, env=self._env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )

    def poll_exit(self) -> str:
        """Return how it ended, once for each end; empty while it runs."""
        code = self._process.poll() if self._process else None
        if code is None:
            return ""
        self.kill()
        self._process = None
        taken = any(words in self.last_words() for words in PORT_TAKEN)
        self.refusals = self.refusals + 1 if taken and code > 0 else 0
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def back_off(self) -> float:
        """Return the seconds until its restart: longer with each consecutive death, at most 30."""
        if time.monotonic() - self.started > STEADY:
            self.deaths = 0
        pause: float = min(0.25 * 2**self.deaths, 30.0)
        self.deaths += 1
        self.due = time.monotonic() + pause
        return pause

    def terminate(self) -> None:
        """Ask it to end."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Kill it and everything that it started in its group."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self, until: float) -> bool:
        """Return True if it ends before a time of the monotonic clock."""
        if self._process is None:
            return True
        try:
            self._process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def trim_log(self) -> None:
        """Keep the end of a large log as `.1`. The process goes on writing to the emptied file."""
        with contextlib.suppress(OSError):
            if self._log.stat().st_size > LOG_SIZE:
                shutil.copyfile(self._log, self._log.with_suffix(".log.1"))
                os.truncate(self._log, 0)

    def last_words(self) -> str:
        """Return the last line of its log that is not empty."""
        try:
            with self._log.open("rb") as file:
                file.seek(max(0, self._log.stat().st_size - 4096))
                lines = file.read().decode(errors="replace").split("\n")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")
