"""Seats of this machine: a number for each running program, and for root a user of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from maumau.errors import PlatformFault
from maumau.sandbox.files import artifact_cache


@contextlib.contextmanager
def take_seat() -> Iterator[int]:
    """Yield a number that no other program on this machine has now; for root also the seat's user."""
    with contextlib.ExitStack() as held:
        for number in range(artifact_cache.SEATS + 1, artifact_cache.SEATS + 1 + artifact_cache.MAX_PROGRAMS):
            try:
                held.enter_context(_lock_seat(number))
            except BlockingIOError:
                continue
            yield number
            return
    raise PlatformFault(f"All {artifact_cache.MAX_PROGRAMS} seats of this machine are taken.")


def clear_seats() -> None:
    """End the processes that killed referees have left in any seat."""
    for lock in _find_folder().iterdir():
        if lock.stat().st_size:
            with contextlib.suppress(BlockingIOError), _lock_seat(int(lock.name)):
                pass


def _find_folder() -> Path:
    folder = artifact_cache.find_cache_folder() / "seats"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextlib.contextmanager
def _lock_seat(number: int) -> Iterator[None]:
    """Lock this seat; raise BlockingIOError if it is taken. The lock file has a byte until a clean exit."""
    lock = os.open(_find_folder() / str(number), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_size:
            _end_leftovers(number)
        os.ftruncate(lock, 1)
        yield
        os.ftruncate(lock, 0)
    finally:
        os.close(lock)


def seat_mark(number: int) -> dict[str, str]:
    """Return the environment of a start, which identifies its seat; the program itself does not get it.

    It names the seat's lock: referees of other users have seats of the same numbers.
    """
    return {"MAUMAU_SEAT": str(_find_folder() / str(number))}


def _end_leftovers(number: int) -> None:
    """End processes of the seat's last referee, which leaves its sandbox if killed during a start.

    bubblewrap's inner process waits for the outer one and would not notice that it died; and the number
    of processes that a seat's user may have is limited. It looks twice, since processes ended in the first
    round may have started others meanwhile.
    """
    for _ in range(2):
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it has ended meanwhile, or is none of ours
                handle = os.pidfd_open(int(process.name))
                try:
                    if _belongs_to_seat(process, number):
                        signal.pidfd_send_signal(handle, signal.SIGKILL)
                finally:
                    os.close(handle)


def _belongs_to_seat(process: Path, number: int) -> bool:
    """Return True if the process is the seat's, by its user or by the mark of its start."""
    if artifact_cache.own_users():
        lines = (process / "status").read_text(errors="replace").splitlines()
        if ["Uid:", str(number)] in (line.split()[:2] for line in lines):
            return True
    mark = "".join(f"{key}={value}\0" for key, value in seat_mark(number).items())
    return (process / "environ").read_bytes() == mark.encode()
