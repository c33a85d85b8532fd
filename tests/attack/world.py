"""Possible targets of attackers, and the remains of attacks on them."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from bench.support.patience import Deadline
from maumau.sandbox.files import artifact_cache
from maumau.sandbox.launch import Sandbox
from tests.attack.table import HERE

PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue")  # possible places for a program's left-overs


class World:
    """Possible targets of an attacker: an arena's files, its ports and sockets, its environment."""

    def __init__(self, room: Path) -> None:
        self.room, self.mark = room, f"attack-{uuid.uuid4().hex}"
        self.arena = room / "arena"
        self.reached: list[str] = []
        self._held = ExitStack()

    def __enter__(self) -> Self:
        self.arena.mkdir(mode=0o755)
        for name in ("arena.json", "registry.db"):
            (self.arena / name).write_text(f"secret-{self.mark}")
            (self.arena / name).chmod(0o666)  # only the wall keeps it
        self._lines = {
            "tcp": self._listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": self._listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "socket": self._listen(socket.AF_UNIX, socket.SOCK_STREAM, str(self.room / "broker.sock")),
            "abstract": self._listen(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.mark}"),
        }
        (self.room / "broker.sock").chmod(0o666)
        os.environ["MAUMAU_ADMIN_TOKEN"] = f"secret-{self.mark}"
        return self

    def __exit__(self, *_: object) -> None:
        del os.environ["MAUMAU_ADMIN_TOKEN"]
        self._held.close()

    def _listen(self, family: int, kind: int, address: object) -> socket.socket:
        line = self._held.enter_context(socket.socket(family, kind))
        line.bind(address)
        line.setblocking(False)
        if kind == socket.SOCK_STREAM:
            line.listen()
        return line

    def targets(self, other: Path) -> str:
        """Return the targets as JSON for the attacker."""
        named = {
            "mark": self.mark,
            "pid": os.getpid(),
            "tcp": self._lines["tcp"].getsockname()[1],
            "udp": self._lines["udp"].getsockname()[1],
            "socket": str(self.room / "broker.sock"),
            "abstract": self.mark,
            "arena": str(self.arena),
            "other": str(other),
            "source": str(HERE / "attacks.toml"),
        }
        return json.dumps(named)

    def visits(self) -> list[str]:
        """Return the ports and sockets that were contacted, and the files that were changed."""
        found = []
        for name, line in self._lines.items():
            with suppress(BlockingIOError):
                line.recv(1) if name == "udp" else line.accept()
                found.append(name)
        changed = [p.name for p in self.arena.iterdir() if p.read_text() != f"secret-{self.mark}"]
        return found + changed


class Watched:
    """A sandbox that remembers the process namespaces it made, to find processes still alive in them."""

    def __init__(self, inner: Sandbox) -> None:
        self.inner, self.spaces = inner, list[int]()
        self.name, self.isolated, self.says = inner.name, inner.isolated, inner.says

    def start(self, launch):
        sandboxed = self.inner.start(launch)
        if self.isolated:
            with suppress(OSError):  # it has ended already
                # held open: the number of one that is gone would be given to a stranger's
                self.spaces.append(os.open(f"/proc/{sandboxed.pid}/ns/pid", os.O_RDONLY | os.O_CLOEXEC))
        return sandboxed

    def living(self, mark: str) -> list[str]:
        """Processes in these namespaces, or with this word on their command line; given a moment to go."""
        spaces = {os.fstat(space).st_ino for space in self.spaces}
        deadline = Deadline(3)
        while (found := list(_living(mark, spaces))) and not deadline.has_passed():
            time.sleep(0.01)
        while self.spaces:
            os.close(self.spaces.pop())
        return found


def _living(mark: str, spaces: set[int]) -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
            space = (folder / "ns/pid").stat().st_ino if spaces else 0
        except OSError:
            continue
        if mark in line or space in spaces:
            yield f"{folder.name}: {line}"


def left_behind(mark: str, room: Path) -> list[str]:
    """Files with the mark in their name, or of a seat's user, wherever a program might have written."""
    seats = range(artifact_cache.SEATS + 1, artifact_cache.SEATS + 1001)
    found = []
    for top in filter(os.path.isdir, (*PLACES, room)):
        for entry in os.scandir(top):
            with suppress(OSError):
                if mark in entry.name or entry.stat(follow_symlinks=False).st_uid in seats:
                    found.append(entry.path)
    for kind in ("shm", "sem", "msg"):
        with suppress(OSError):
            rows = Path("/proc/sysvipc", kind).read_text().splitlines()[1:]
            found += [f"{kind} {row}" for row in rows if str(0x4D61754D) in row.split()]
    return found


@contextmanager
def opened_room() -> Iterator[Path]:
    """Yield a folder that every user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="maumau-attack-") as name:
        Path(name).chmod(0o755)
        yield Path(name)
