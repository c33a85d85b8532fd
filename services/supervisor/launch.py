"""The start: ports, Valkey, services, workers, until all of them answer."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from maumau.errors import StartFailed
from services.shared.settings import Settings
from services.supervisor import client, layout, port, valkey
from services.supervisor.child import PORT_TAKEN
from services.supervisor.folder import Folder
from services.supervisor.layout import Wiring
from services.supervisor.roster import Roster, Say

T = TypeVar("T")
TICK, TRIES = 0.05, 5
"""Seconds between looks, and starts in all, if other programs take the ports meanwhile."""


class Stopped(Exception):
    """A signal came before the start was over."""


class Launch:
    """Starts the arena of a folder. Raises StartFailed, Stopped."""

    def __init__(
        self, folder: Folder, roster: Roster, settings: Settings, env: Mapping[str, str],
        say: Say, stop: threading.Event,
    ) -> None:  # fmt: skip
        """`env` is what the processes see of the environment, besides what they are told."""
        self._folder, self._roster, self._settings, self._env = folder, roster, settings, env
        self._say, self._stop = say, stop

    def start(self, workers: int) -> Wiring:
        """Everything, in the order in which it is needed."""
        redis, broker = self._redis()
        usual = layout.usual_ports(self._settings)
        return self._tried(lambda ports: self._services(ports, redis, broker, workers), usual)

    def _redis(self) -> tuple[str, str]:
        """The URLs of state and broker: those of the settings, else of a Valkey that is started here."""
        given = self._settings.redis_url, self._settings.broker_url
        if all(given):
            return given
        own = self._tried(self._valkey, {"valkey": 0})
        return given[0] or own[0], given[1] or own[1]

    def _tried(self, start: Callable[[dict[str, int]], T], usual: dict[str, int]) -> T:
        """Starts with free ports, again with others if a program was quicker to take one.

        It may be as quick again: from then on the system picks every port that no setting names.
        """
        for left in reversed(range(TRIES)):
            ports = {name: self._port(name, wanted) for name, wanted in usual.items()}
            before = self._roster.pids()
            try:
                return start(ports)
            except StartFailed as error:
                self._roster.stop(self._roster.pids().keys() - before)
                if not left or not (_is_port_taken(error) or _is_any_taken(ports)):
                    raise
            fixed = [name for name in usual if layout.is_port_fixed(self._settings, name)]
            usual = {name: usual[name] if name in fixed else 0 for name in usual}
        raise AssertionError  # the last try raises

    def _port(self, name: str, usual: int) -> int:
        chosen = port.choose(usual, self._last_port(name)) if usual else port.free()
        if usual and chosen != usual:
            self._say(f"port {usual} is taken by another program, the {name} service listens on {chosen}")
        return chosen

    def _last_port(self, name: str) -> int:
        """Where a service of this folder listened last, so that known addresses stay true; 0: nowhere yet."""
        return int(getattr(self._folder.card, name, "").rpartition(":")[2] or 0)

    def _valkey(self, ports: dict[str, int]) -> tuple[str, str]:
        number, password = ports["valkey"], self._folder.card.password
        command = valkey.command(self._folder.path / "valkey", number, password)
        self._roster.start([layout.valkey(self._folder, command, f"{port.HOST}:{number}")])
        self._wait("valkey", lambda: valkey.is_ready(number, password))
        return valkey.urls(number, password)

    def _services(self, ports: dict[str, int], redis: str, broker: str, workers: int) -> Wiring:
        addresses = {name: f"{port.HOST}:{number}" for name, number in ports.items()}
        walls = {
            "sandbox": self._settings.sandbox,
            "uploads": self._settings.uploads,
            "image": self._settings.image,
        }
        wiring = Wiring(**addresses, **walls, redis=redis, broker=broker)
        files = {name: layout.ready_file(self._folder, name) for name in addresses}
        _remove(files.values())
        self._roster.start(layout.services(self._folder, wiring, self._env))
        self._roster.start(layout.workers(self._folder, wiring, self._env, workers))
        self._roster.start([layout.sitter(self._folder, wiring, self._env)])
        for name, address in addresses.items():
            self._wait(name, lambda name=name: _is_said(files[name], self._roster.pids()[name]))  # type: ignore[misc]
            self._wait(name, lambda name=name, address=address: client.answers(name, address))  # type: ignore[misc]
        return wiring

    def _wait(self, name: str, ready: Callable[[], bool]) -> None:
        last = time.monotonic() + client.START
        while not ready():
            if self._stop.wait(TICK):
                raise Stopped
            if words := self._roster.failed():
                raise StartFailed(words)
            if time.monotonic() > last:
                log = self._folder.logs / f"{name}.log"
                raise StartFailed(f"{name} was not ready after {client.START:g} s; its log is {log}")


def _is_port_taken(error: StartFailed) -> bool:
    """Whether a service or Valkey said so: who took the port may have let it go again since."""
    return any(words in str(error) for words in PORT_TAKEN)


def _is_any_taken(ports: Mapping[str, int]) -> bool:
    return not all(map(port.is_free, ports.values()))


def _is_said(file: Path, pid: int) -> bool:
    """Whether this very process has said that it listens: another arena's service may have the port."""
    return file.exists() and json.loads(file.read_text())["pid"] == pid


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
