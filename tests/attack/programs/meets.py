"""Two programs of one author at a table look for each other: abstract names, files, shared memory, queues."""

import contextlib
import os
import socket
import time
from pathlib import Path

import wall

PLACES = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev/mqueue", "/bot")
KEY = 0x4D61754D
NAME = f"{wall.MARK}-{time.monotonic_ns()}"


def leave():
    """Leave signs for the other program: a name to connect to, and a file in every place."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    server.bind("\0" + NAME)
    for place in PLACES:
        with contextlib.suppress(OSError):
            Path(place, NAME).write_text("my hand")
    return server


def strangers():
    """Return the signs that others have left."""
    found = [name for place in PLACES if os.path.isdir(place) for name in os.listdir(place)]
    with contextlib.suppress(OSError):
        found += Path("/proc/net/unix").read_text().split()
    return [name for name in found if wall.MARK in name and NAME not in name]


server = leave()
wall.tries(
    meet_in_files_or_names=strangers,
    meet_in_shared_memory=lambda: wall.call("shmget", KEY, 4096, 0o1666),
    meet_at_a_semaphore=lambda: wall.call("semget", KEY, 1, 0o1666),
    meet_in_a_queue=lambda: wall.call("msgget", KEY, 0o1666),
    meet_among_the_keys=lambda: wall.LIBC.syscall(250, 0, -3, 1) >= 0,
)
