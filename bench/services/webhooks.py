"""Webhooks: how soon 1,000 subscribers are told of an event, while others hang."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.results.row import ResultRow
from bench.support.embedded import Embedded, running, until
from maumau.client.arena import Arena

SUBSCRIBERS, HANGING = 1000, 20
SPEC = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n'
SETTINGS = {"MAUMAU_WEBHOOK_NETWORKS": "127.0.0.0/8", "MAUMAU_WEBHOOK_PORTS": "1-65535"}
ANSWER = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"
BOUND = 10.0  # seconds


class Receivers:
    """All receivers on one port, distinguished by their paths; requests below /hang get no answer."""

    def __init__(self) -> None:
        self.notified: Counter[str] = Counter()
        self.last = 0.0
        self.port = 0

    async def serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Receive one request, and answer it unless it is one that hangs."""
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ", 2)[1].decode()
        if path.startswith("/hang"):
            await reader.read()
            return
        self.notified[path] += 1
        self.last = time.monotonic()
        writer.write(ANSWER)
        writer.close()


@contextmanager
def open_receivers() -> Iterator[Receivers]:
    """Yield receivers that are served by a thread of their own."""
    receivers, loop = Receivers(), asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    started = asyncio.run_coroutine_threadsafe(
        asyncio.start_server(receivers.serve_client, "127.0.0.1", 0, backlog=SUBSCRIBERS), loop
    ).result(30)
    receivers.port = started.sockets[0].getsockname()[1]
    yield receivers
    loop.call_soon_threadsafe(loop.stop)


def measure_rows() -> Iterator[ResultRow]:
    """Yield the seconds from the opening of a contest until its last follower has been notified."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_receivers() as receivers,
        running(Path(folder) / "webhooks", settings=SETTINGS) as arena,
    ):
        arena.wait_until_settled()
        yield measure_delivery(arena, receivers)


def measure_delivery(arena: Embedded, receivers: Receivers) -> ResultRow:
    """Subscribe all to a contest, open it, and return the time until the last one has been notified."""
    card = arena.read_card()
    with Arena(card["registry"], card["tournament"], card["token"], patience=60) as admin:
        subscribe_all(admin, receivers.port)
        admin.create(SPEC)
        began = time.monotonic()
        admin.open("cup")
        until("all are notified", lambda: len(receivers.notified) == SUBSCRIBERS, 120)
    twice = sum(count > 1 for count in receivers.notified.values())
    how = f"{SUBSCRIBERS} accounts beside {HANGING} receivers that hang; {twice} told twice"
    return ResultRow(
        "all webhooks told of an event", receivers.last - began, BOUND, most=True, unit="s", how=how
    )


def subscribe_all(admin: Arena, port: int) -> None:
    """Let many accounts follow the contest, each by a webhook of its own."""
    places = [f"hook/{number}" for number in range(SUBSCRIBERS)]
    places += [f"hang/{number}" for number in range(HANGING)]
    for number, place in enumerate(places):
        account = admin.with_token(admin.create_account(f"follower-{number}").token)
        account.create_webhook(f"http://127.0.0.1:{port}/{place}", ["contest"], ["cup"])
