"""A supervisor as `maumau up` executes it, and what is left of it."""

from __future__ import annotations

import errno
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil

from bench.support.checkout import ROOT
from bench.support.patience import patient
from maumau.client.arena import Arena
from services.supervisor.process.child import LEASH
from tests.support.polling import is_alive, until
from tests.support.variables import without_settings

COMMAND = [sys.executable, "-m", "services.supervisor"]


SIDE = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
SERVICES = ("registry", "tournament", "engine", "matchmaking", "web")
PORTS = {name: 7111 + 10 * SIDE + number for number, name in enumerate(SERVICES)}
"""No other test's arena listens here, when a service that was killed wants its port again."""


def arena_environment(**variables: str) -> dict[str, str]:
    """Return this process's environment, without settings except the arena's ports and those given."""
    kept = without_settings()
    own = {f"MAUMAU_{name.upper()}_ADDRESS": f"127.0.0.1:{port}" for name, port in PORTS.items()}
    return {**kept, **own, **variables}


DISK = 'mount -t tmpfs -o size="$0" tmpfs "$1" && cp -a "$2/." "$1" && shift 2 && exec "$@"'
"""Puts a small disk where only the process sees it, with a copy of a folder on it, and becomes a program."""


def own_mounts() -> list[str]:
    """Return the command prefix for private mounts; raise TimeoutError or OSError if they are impossible."""
    for flags in ("-m", "-rm"):
        command = ["unshare", flags]
        tried = subprocess.run(
            [*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False
        )
        if not tried.returncode:
            return command
    raise OSError(tried.stderr.decode().strip())


PARENT = "import subprocess, sys; subprocess.run(sys.argv[1:], check=False)"


class Running:
    """One run of the supervisor on a data folder, with one worker; `lines` is what it has said.

    `like` is a folder to begin with a copy of; with `parent` the process started is one that starts it; with
    `disk` the data are on a disk of its own, of that size, seen through the process alone. It ends with the
    tests, also when these are killed.
    """

    def __init__(
        self,
        data: Path,
        *words: str,
        like: Path | None = None,
        parent: bool = False,
        disk: str = "",
        checkout: Path = ROOT,
        **variables: str,
    ) -> None:
        self.data, self._out = data, data.with_name(f"{data.name}.out")
        if like and not disk:
            shutil.copytree(like, data)
        command = [*COMMAND, "--data", str(data), "--plain", "--workers", "1", *words]
        around = [sys.executable, "-I", "-S", LEASH, str(os.getpid())]
        if parent:
            around += [sys.executable, "-c", PARENT]
        if disk:
            data.mkdir()
            unshare, *flags = own_mounts()
            around += [str(shutil.which(unshare)), *flags, "sh", "-c", DISK, disk, str(data), str(like)]
        with self._out.open("wb") as out:
            self.process = subprocess.Popen(
                [*around, *command], cwd=checkout, env=arena_environment(**variables), stdout=out, stderr=out,
                start_new_session=True,
            )  # fmt: skip
        self.family: set[int] = set()
        if disk:
            self.data = Path(f"/proc/{self.process.pid}/root{data}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End all its processes, even after a failed test."""
        if self.process.poll() is None:
            try:
                self.end()
            finally:
                self.process.kill()

    @property
    def lines(self) -> list[str]:
        return self._out.read_text().splitlines()

    def says(self, words: str) -> bool:
        return any(words in line for line in self.lines)

    def wait_for(self, words: str, deadline: float = 60.0) -> None:
        """Wait until a line with these words is there."""

        def has_said_all() -> bool:
            assert self.process.poll() is None or self.says(words), self.lines
            return self.says(words)

        until(f"it says {words!r}", has_said_all, deadline)

    def wait_for_bots(self, *names: str) -> None:
        """Wait until these house bots may play; the others may still be validated."""

        def are_active() -> bool:
            with self.client() as client:
                bots = {bot.name: bot.versions for bot in client.bots()}
            return all(any(each.state == "active" for each in bots.get(name, ())) for name in names)

        self.wait_for("Ctrl-C stops everything")
        until(f"{', '.join(names)} are active", are_active, 90)

    def card(self) -> dict[str, Any]:
        return json.loads((self.data / "arena.json").read_text())

    def client(self) -> Arena:
        card = self.card()
        return Arena(card["registry"], card["tournament"], card["token"], patience=patient(20))

    def look_around(self) -> set[int]:
        """Return all processes below it, now and at earlier looks."""
        self.family |= {one.pid for one in psutil.Process(self.process.pid).children(recursive=True)}
        return self.family

    def end(self, number: int = signal.SIGTERM) -> None:
        """Send the signal, and wait until nothing of it lives."""
        self.look_around()
        self.process.send_signal(number)
        self.process.wait(patient(20))
        until("no process is left", lambda: not any(map(is_alive, self.family)), 5)


class Window:
    """A run in a terminal of its own, with a worker per core; `shown` is all that it has shown."""

    def __init__(self, data: Path, *words: str, **variables: str) -> None:
        self._master, slave = pty.openpty()
        os.set_blocking(self._master, False)
        command = [*COMMAND, "--data", str(data), *words]
        become = f"os.execv({command[0]!r}, {command!r})"
        code = f"import fcntl, os, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {become}"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT,
            env=arena_environment(TERM="xterm", COLUMNS="120", **variables),
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self._shown = b""

    @property
    def shown(self) -> str:
        with suppress(BlockingIOError):
            try:
                while part := os.read(self._master, 65536):
                    self._shown += part
            except OSError as error:
                if error.errno != errno.EIO:  # the terminal is closed
                    raise
        return self._shown.decode(errors="replace")

    def wait_for(self, words: str, deadline: float = 60.0) -> None:
        """Wait until it has shown these words."""

        def is_shown() -> bool:
            ended = self.process.poll()
            assert words in self.shown or ended is None, f"exit {ended}: {self.shown}"
            return words in self.shown

        until(f"it shows {words!r}", is_shown, deadline)

    def close(self) -> None:
        os.close(self._master)
