"""The start: ports, Valkey, services until all of them answer, and workers last: people wait for the page."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from maumau.errors import StartFailed
from services.shared.base.settings import Settings
from services.supervisor import client, layout, port, valkey
from services.supervisor.folder import Folder
from services.supervisor.layout import Wiring
from services.supervisor.process.child import PORT_TAKEN
from services.supervisor.process.forked import ForkServer
from services.supervisor.process.roster import Roster, Say

T = TypeVar("T")
TICK, TRIES = 0.05, 5
"""Seconds between looks, and most starts if other programs take the ports meanwhile."""


class Stopped(Exception):
    """A signal came before the start was over."""


class Launch:
    """The start of a folder's arena. Methods raise StartFailed or Stopped."""

    def __init__(
        self,
        folder: Folder,
        roster: Roster,
        settings: Settings,
        env: Mapping[str, str],
        say: Say,
        stop: threading.Event,
        server: ForkServer | None = None,
    ) -> None:
        """Prepare a start. `env` is the processes' environment, apart from their own settings."""
        self._server = server
        self._folder, self._roster, self._settings, self._env = folder, roster, settings, env
        self._say, self._stop = say, stop

    def start_arena(self, workers: int) -> Wiring:
        """Start everything in the order of dependencies."""
        redis, broker = self._find_redis()
        usual = layout.usual_ports(self._settings)
        return self._retry_ports(lambda ports: self._start_services(ports, redis, broker, workers), usual)

    def _find_redis(self) -> tuple[str, str]:
        """Return the URLs of state and broker: from the settings, else of a Valkey started here."""
        given = self._settings.redis_url, self._settings.broker_url
        if all(given):
            return given
        own = self._retry_ports(self._start_valkey, {"valkey": 0})
        return given[0] or own[0], given[1] or own[1]

    def _retry_ports(self, start: Callable[[dict[str, int]], T], usual: dict[str, int]) -> T:
        """Start with free ports, and again with others if another program was faster to take one.

        As that may happen again, the system then picks every port that no setting names.
        """
        for left in reversed(range(TRIES)):
            ports = {name: self._choose_port(name, wanted) for name, wanted in usual.items()}
            before = self._roster.list_pids()
            try:
                return start(ports)
            except StartFailed as error:
                self._roster.stop_children(self._roster.list_pids().keys() - before)
                if not left or not (_is_port_taken(error) or _is_any_taken(ports)):
                    raise
            fixed = [name for name in usual if layout.is_port_fixed(self._settings, name)]
            usual = {name: usual[name] if name in fixed else 0 for name in usual}
        raise AssertionError  # the last try raises

    def _choose_port(self, name: str, usual: int) -> int:
        """Return the port of a setting, else of the last start, as logins know it, else the usual one."""
        if not usual:
            return port.find_free_port()
        last = self._last_port(name) or usual
        first, second = (usual, last) if layout.is_port_fixed(self._settings, name) else (last, usual)
        chosen = port.choose_port(first, second)
        if chosen != first:
            program = port.name_listener(first)
            taken = f"port {first} is taken by another program{program and f', {program}'}"
            page = f": http://{port.HOST}:{first} is not this arena" if name == "web" else ""
            self._say(f"{taken}{page}; the {name} service listens on {chosen}")
        return chosen

    def _last_port(self, name: str) -> int:
        """Return the port of a service at the last start; 0: none."""
        return int(getattr(self._folder.card, name, "").rpartition(":")[2] or 0)

    def _start_valkey(self, ports: dict[str, int]) -> tuple[str, str]:
        number, password = ports["valkey"], self._folder.card.password
        command = valkey.build_command(self._folder.path / "valkey", number, password)
        self._roster.start_children([layout.build_valkey(self._folder, command, f"{port.HOST}:{number}")])
        self._await_service("valkey", lambda: valkey.is_ready(number, password))
        return valkey.build_urls(number, password)

    def _start_services(self, ports: dict[str, int], redis: str, broker: str, workers: int) -> Wiring:
        addresses = {name: f"{port.HOST}:{number}" for name, number in ports.items()}
        walls = {
            "sandbox": self._settings.sandbox,
            "uploads": self._settings.uploads,
            "image": self._settings.image,
        }
        wiring = Wiring(**addresses, **walls, redis=redis, broker=broker)
        files = {name: layout.ready_file(self._folder, name) for name in addresses}
        _remove_files(files.values())
        if self._server:
            self._await_service("fork server", self._server.is_ready)
        self._roster.start_children(layout.build_services(self._folder, wiring, self._env), self._server)
        for name, address in addresses.items():
            self._await_service(name, lambda name=name: _is_said(files[name], self._roster.list_pids()[name]))  # type: ignore[misc]
            self._await_service(name, lambda name=name, address=address: client.is_serving(name, address))  # type: ignore[misc]
        self._roster.start_children(
            layout.build_workers(self._folder, wiring, self._env, workers), self._server
        )
        self._roster.start_children([layout.build_sitter(self._folder, wiring, self._env)], self._server)
        return wiring

    def _await_service(self, name: str, ready: Callable[[], bool]) -> None:
        last = time.monotonic() + client.START
        while not ready():
            if self._stop.wait(TICK):
                raise Stopped
            if words := self._roster.find_failure():
                raise StartFailed(words)
            if time.monotonic() > last:
                log = self._folder.logs / f"{name}.log"
                raise StartFailed(f"{name} was not ready after {client.START:g} s; its log is {log}")


def _is_port_taken(error: StartFailed) -> bool:
    """Return True if a service or Valkey said so: the port may be free again by now."""
    return any(words in str(error) for words in PORT_TAKEN)


def _is_any_taken(ports: Mapping[str, int]) -> bool:
    return not all(map(port.is_free, ports.values()))


def _is_said(file: Path, pid: int) -> bool:
    """Return True if this very process has reported listening: another arena's service may have the port."""
    return file.exists() and json.loads(file.read_text())["pid"] == pid


def _remove_files(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
