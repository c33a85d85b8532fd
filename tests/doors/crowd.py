"""Many connections that say too little, opened from this process: what a stranger without a token can do.

`python -m tests.doors.crowd KIND HOST PORT COUNT ADDRESSES` opens them, says `{"opened": N}`, keeps each
trickling until its stdin ends, and says how many the other side has closed. ADDRESSES: of 127.0.0.0/8, from
which they come.
"""

from __future__ import annotations

import json
import resource
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import wait

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
HEAD = "{} HTTP/1.1\r\nHost: {}\r\n"
FIRST = 2  # of 127.0.0.0/8, from which strangers come; 1 is everybody else's
TRICKLE = 1.0  # seconds between two bytes of who is slow
IP_BIND_ADDRESS_NO_PORT = 24  # Linux: the port is chosen as the connection is made, by both ends
SPARE = 100  # descriptors of this process for other things


def _first(kind: str, host: str, port: int) -> bytes:
    """Return the first bytes of a connection."""
    at = f"{host}:{port}"
    form = f"Origin: http://{at}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    form += "Content-Length: 200000\r\n"
    return {
        "silent": b"",
        "preface": PREFACE[:9],
        "settings": PREFACE + SETTINGS,
        "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "header": HEAD.format("GET /", at).encode() + b"X-a: ",
        "body": HEAD.format("POST /login", at).encode() + form.encode() + b"\r\na=",
        "stream": HEAD.format("GET /stream", at).encode() + b"\r\n",
    }[kind]


def _next(kind: str, number: int) -> bytes:
    """Return the bytes that it sends every TRICKLE seconds."""
    if kind == "preface":
        return PREFACE[9 + number : 10 + number]
    return {"settings": SETTINGS * 20, "header": b"a", "body": b"a", "tls": b"\x00"}.get(kind, b"")


class Crowd:
    """Connections to one port. kind: what they say, as in `_first`."""

    def __init__(self, kind: str, host: str, port: int, addresses: int = 1) -> None:
        self.kind, self.host, self.port = kind, host, port
        self._addresses, self._held, self._stop = addresses, list[socket.socket](), threading.Event()
        self._trickling = threading.Thread(target=self._trickle, daemon=True)

    def open(self, count: int) -> int:
        """Return how many came about; others were refused, or found no room within a second."""
        said = _first(self.kind, self.host, self.port)
        for number in range(count):
            with suppress(OSError):
                self._held.append(self._connect(self._source(number), said))
        self._trickling.start()
        return len(self._held)

    def _source(self, number: int) -> str:
        place = FIRST + number % self._addresses
        return f"127.{place >> 16 & 255}.{place >> 8 & 255}.{place & 255}"

    def _connect(self, source: str, said: bytes) -> socket.socket:
        connection = socket.socket()
        try:
            connection.setsockopt(socket.SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1)
            connection.bind((source, 0))
            connection.settimeout(1.0)
            connection.connect((self.host, self.port))
            connection.sendall(said)
        except OSError:
            connection.close()
            raise
        return connection

    def _trickle(self) -> None:
        number = 0
        while not self._stop.wait(TRICKLE):
            for connection in self._held:
                with suppress(OSError):
                    connection.send(_next(self.kind, number), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
            number += 1

    def count_closed(self) -> int:
        """Return how many the other side has closed."""
        return sum(map(_is_closed, self._held))

    def close(self) -> None:
        """Close all of them."""
        self._stop.set()
        if self._trickling.is_alive():
            self._trickling.join()
        for connection in self._held:
            connection.close()


def _is_closed(connection: socket.socket) -> bool:
    """Return True if the other side has closed, whatever it had said before."""
    while True:
        try:
            if not connection.recv(1 << 16, socket.MSG_DONTWAIT):
                return True
        except BlockingIOError:
            return False
        except OSError:
            return True


def raise_file_limit(wanted: int) -> bool:
    """Return True if this process may now open so many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        return False
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return True


def _until_stdin_ends(seconds: float) -> Iterator[float]:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not wait([sys.stdin.fileno()], 0.2):
        yield time.monotonic()


def main() -> None:
    """Open, hold, report; at most two minutes."""
    kind, host, port, count, addresses = sys.argv[1:]
    if not raise_file_limit(int(count) + SPARE):
        sys.exit(f"this process may not open {count} files")
    crowd = Crowd(kind, host, int(port), int(addresses))
    sys.stdout.write(json.dumps({"opened": crowd.open(int(count))}) + "\n")
    sys.stdout.flush()
    for _ in _until_stdin_ends(120):
        pass
    sys.stdout.write(json.dumps({"closed": crowd.count_closed()}) + "\n")
    crowd.close()


if __name__ == "__main__":
    main()
