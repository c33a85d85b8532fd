"""A receiver of webhooks: a real HTTP server that keeps requests, and answers as the test has set it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

PERMITTED = {"webhook_networks": "127.0.0.0/8", "webhook_ports": "1-65535"}
"""Settings of an arena that may tell receivers on this machine."""


class Told(NamedTuple):
    """A request as it arrived."""

    headers: Mapping[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def event(self) -> Any:
        return json.loads(self.body)


class Receiver:
    """A receiver. answer: the status of the next answers; hangs: set while it keeps its callers waiting."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.answer, self.size, self.location = 204, 0, ""
        self.released = threading.Event()
        self.released.set()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook"

    def kinds(self) -> list[str]:
        return [one.event["type"] for one in self.told]


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.told.append(Told(dict(self.headers), body))
            receiver.released.wait()
            self.send_response(receiver.answer)
            if receiver.location:
                self.send_header("location", receiver.location)
            self.send_header("content-length", str(receiver.size))
            self.end_headers()
            with suppress(OSError):  # the arena reads no more of it
                self.wfile.write(b"x" * receiver.size)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Yield a receiver that listens."""
    receiver = Receiver()
    thread = threading.Thread(target=receiver.server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        receiver.server.shutdown()
        receiver.server.server_close()
        thread.join()
