"""One process of the arena: started on a leash in a group of its own, with a log that stays small."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

LEASH = str(Path(__file__).with_name("leash.py"))
LOG_SIZE = 4 * 1024 * 1024
"""Bytes of a log before it becomes `NAME.log.1` and begins anew."""
PORT_TAKEN = ("another program has it", "Failed listening on port")
"""What a service and Valkey say last when they cannot listen on their port."""
STEADY = 60.0
"""Seconds after which a running process is forgiven its earlier deaths."""


class Child:
    """A program with its arguments and environment; stage 0 starts first and stops last."""

    def __init__(
        self, name: str, command: Sequence[str], env: Mapping[str, str], logs: Path, stage: int,
        listens: str = "",
    ) -> None:  # fmt: skip
        """`listens` is its host:port, where it has one."""
        self.name, self.stage, self.listens = name, stage, listens
        self._command, self._env, self._log = list(command), dict(env), logs / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.deaths, self.started, self.due = 0, 0.0, 0.0
        self.refusals = 0
        """Its ends in a row for want of its port."""

    @property
    def pid(self) -> int:
        """0 while it does not run."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Only the main thread may: the leash ends with the thread that started it."""
        leash = [sys.executable, "-I", "-S", LEASH, str(os.getpid()), *self._command]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                leash, env=self._env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self.started = time.monotonic()

    def died(self) -> str:
        """How it ended, in words, once; empty while it lives."""
        code = self._process.poll() if self._process else None
        if code is None:
            return ""
        self.kill()
        self._process = None
        taken = any(words in self.last_words() for words in PORT_TAKEN)
        self.refusals = self.refusals + 1 if taken and code > 0 else 0
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def back_off(self) -> float:
        """Seconds until it is started again: longer with each death in a row, at most 30."""
        if time.monotonic() - self.started > STEADY:
            self.deaths = 0
        pause: float = min(0.25 * 2**self.deaths, 30.0)
        self.deaths += 1
        self.due = time.monotonic() + pause
        return pause

    def terminate(self) -> None:
        """Asks it to end."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Ends it and all that it started in its group."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self, until: float) -> bool:
        """Whether it has ended by that time of the monotonic clock."""
        if self._process is None:
            return True
        try:
            self._process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def trim_log(self) -> None:
        """Keeps the log's last part as `.1`. The process goes on writing to the file, at its new end."""
        with contextlib.suppress(OSError):
            if self._log.stat().st_size > LOG_SIZE:
                shutil.copyfile(self._log, self._log.with_suffix(".log.1"))
                os.truncate(self._log, 0)

    def last_words(self) -> str:
        """The last line of its log that is not empty."""
        try:
            with self._log.open("rb") as file:
                file.seek(max(0, self._log.stat().st_size - 4096))
                lines = file.read().decode(errors="replace").split("\n")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")
