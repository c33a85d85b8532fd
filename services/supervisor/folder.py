"""The data folder of an embedded arena: one run at a time, its tokens, its logs.

The folder is for its owner alone: its databases reveal the cards of all contests.

arena.json   addresses, tokens and passwords, readable by its owner alone; tokens stay from start to start
lock         held while the arena runs; says who runs
logs/        one file a process; exports/ for tournaments; *.db, artifacts/ and valkey/ are the services'
"""

import fcntl
import os
import secrets
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from maumau.errors import AlreadyRunning, BadDataFolder


class Card(msgspec.Struct, kw_only=True):
    """The content of `arena.json`. Addresses are host:port."""

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
    """The folder at `path`, locked for this process until it ends.

    The constructor raises AlreadyRunning or BadDataFolder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().resolve()
        self._writing = threading.Lock()
        self.logs, self.exports = self.path / "logs", self.path / "exports"
        with _refuse_links(self.path):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.was_open = close_to_others(self.path)
            for folder in (self.logs, self.exports):
                folder.mkdir(parents=True, exist_ok=True)
            self._lock = _lock_folder(self.path)
            self.card = self._read_card()
        self.save_card()

    def save_card(self, **changes: Any) -> None:
        """Write `arena.json`, whole or not at all. Raise BadDataFolder, for example on a full disk."""
        with self._writing, _refuse_links(self.path):
            for name, value in changes.items():
                setattr(self.card, name, value)
            text = msgspec.json.format(msgspec.json.encode(self.card), indent=1)
            fresh = self.path / ".arena.json.new"
            try:
                with open(fresh, "wb", opener=_open_private) as file:
                    file.write(text + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                fresh.replace(self.path / "arena.json")
            finally:
                fresh.unlink(missing_ok=True)

    def _read_card(self) -> Card:
        path = self.path / "arena.json"
        if not path.exists():
            return Card(
                token=_make_token(),
                worker_token=_make_token(),
                reader_token=_make_token(),
                password=_make_token(),
            )
        try:
            card = msgspec.json.decode(path.read_bytes(), type=Card)
        except msgspec.DecodeError as error:
            words = f"{path} is damaged ({error}); delete it to start with new tokens, nothing else is lost"
            raise BadDataFolder(words) from None
        card.reader_token = card.reader_token or _make_token()  # the folder is of an arena without a page
        return card


def close_to_others(folder: Path) -> bool:
    """Remove all rights of other users to a folder and its entries; return False if they had none to it.

    Deeper entries are then out of reach, even for a user who opened the folder before.
    """
    if not is_open_to_others(folder):
        return False
    folder.chmod(0o700)
    for path in folder.iterdir():
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o700)
    return True


def is_open_to_others(folder: Path) -> bool:
    """Return True if another user has any right to a folder."""
    return bool(folder.stat().st_mode & 0o077)


@contextmanager
def _refuse_links(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        words = f"the data folder {folder} cannot be used: {error.strerror or error}"
        raise BadDataFolder(words) from None


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _make_token() -> str:
    return "mm_" + secrets.token_urlsafe(32)


def _lock_folder(folder: Path) -> Any:
    """Return the lock's open file; the system releases the lock whenever the process ends."""
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
