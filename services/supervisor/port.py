"""Free ports of this machine."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from maumau.protocol.words import clean_text

HOST = "127.0.0.1"
LISTENS, INODE = "0A", 9  # in /proc/net/tcp: a state, and the column of the inode


def choose_port(*wanted: int) -> int:
    """Return the first wanted port that is free, else any free port. A wanted port of 0 is ignored."""
    return next((one for one in wanted if one and is_free(one)), 0) or find_free_port()


def is_free(port: int) -> bool:
    """Return True if a port can be listened on now; lingering connections of the last run do not matter."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((HOST, port))
            sock.listen()
        except OSError:
            return False
    return True


def name_listener(port: int) -> str:
    """Return the program that listens on a port and its process, or "" if that cannot be seen from here."""
    sockets = {f"socket:[{inode}]" for inode in _list_inodes(port)}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if any(link.readlink().name in sockets for link in (process / "fd").iterdir()):
                return f"{clean_text((process / 'comm').read_text().strip())} (process {process.name})"
    return ""


def _list_inodes(port: int) -> Iterator[str]:
    """Yield the inodes of the sockets that listen on a port."""
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", name).read_text().splitlines()[1:]:
                fields = line.split()
                local, state = fields[1], fields[3]
                if state == LISTENS and int(local.rpartition(":")[2], 16) == port:
                    yield fields[INODE]


def find_free_port() -> int:
    """Return a port that the system picks."""
    with socket.socket() as sock:
        sock.bind((HOST, 0))
        port: int = sock.getsockname()[1]
    return port
