"""The data folder of an embedded arena: one run at a time, its tokens, its logs.

arena.json   addresses, tokens and passwords, readable by its owner alone; tokens stay from start to start
lock         held while the arena runs; says who runs
logs/        one file a process; exports/ for tournaments; *.db, artifacts/ and valkey/ are the services'
"""

import fcntl
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from maumau.errors import AlreadyRunning, BadDataFolder


class Card(msgspec.Struct, kw_only=True):
    """What `arena.json` holds. Addresses are host:port."""

    registry: str = ""
    tournament: str = ""
    engine: str = ""
    matchmaking: str = ""
    web: str = ""
    token: str
    worker_token: str
    reader_token: str = ""
    house_token: str = ""
    password: str
    redis: str = ""
    broker: str = ""
    pid: int = 0
    processes: dict[str, int] = {}


class Folder:
    """The folder at `path`, locked for this process until it ends. Raises AlreadyRunning, BadDataFolder."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().resolve()
        self._writing = threading.Lock()
        self.logs, self.exports = self.path / "logs", self.path / "exports"
        with _plain(self.path):
            for folder in (self.path, self.logs, self.exports):
                folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.path)
            self.card = self._read()
        self.save()

    def save(self, **changes: Any) -> None:
        """Writes `arena.json`, whole or not at all. Raises BadDataFolder, on a full disk say."""
        with self._writing, _plain(self.path):
            for name, value in changes.items():
                setattr(self.card, name, value)
            text = msgspec.json.format(msgspec.json.encode(self.card), indent=1)
            fresh = self.path / ".arena.json.new"
            try:
                with open(fresh, "wb", opener=_private) as file:
                    file.write(text + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                fresh.replace(self.path / "arena.json")
            finally:
                fresh.unlink(missing_ok=True)

    def _read(self) -> Card:
        path = self.path / "arena.json"
        if not path.exists():
            return Card(token=_token(), worker_token=_token(), reader_token=_token(), password=_token())
        try:
            card = msgspec.json.decode(path.read_bytes(), type=Card)
        except msgspec.DecodeError as error:
            words = f"{path} is damaged ({error}); delete it to start with new tokens, nothing else is lost"
            raise BadDataFolder(words) from None
        card.reader_token = card.reader_token or _token()  # the folder is of an arena without a page
        return card


@contextmanager
def _plain(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        words = f"the data folder {folder} cannot be used: {error.strerror or error}"
        raise BadDataFolder(words) from None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _token() -> str:
    return "mm_" + secrets.token_urlsafe(32)


def _locked(folder: Path) -> Any:
    """The lock's open file; the lock is the system's, so that it ends with the process however it ends."""
    file = (folder / "lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        who = file.read().strip() or "unknown"
        raise AlreadyRunning(
            f"an arena is running on {folder} already (process {who});"
            " stop it there with Ctrl-C, or choose another folder with --data"
        ) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file
