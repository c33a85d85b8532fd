"""A browser's requests to a page's server, many at once: pages with all that they load, and streams."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple
from urllib.parse import urljoin

LOADED = re.compile(r'<(?:link rel="(?:stylesheet|icon)"|script type="module")[^>]*?(?:href|src)="([^"]+)"')
IMPORTED = re.compile(r'(?:from|import)\s+"(\./[^"]+)"')
AT_ONCE = 200  # streams that are being opened


class Weight(NamedTuple):
    """Bytes over the wire of a first view: the page, its scripts, all of it."""

    page: int
    scripts: int
    whole: int


def ask_page(port: int, path: str) -> tuple[int, bytes]:
    """Return the size of the response on the wire, without headers, and its content."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"accept-encoding": "gzip", "accept-language": "en"})
        answer = connection.getresponse()
        sent = answer.read()
        assert answer.status == 200, (path, answer.status)
    finally:
        connection.close()
    if answer.getheader("content-encoding") == "gzip":
        return len(sent), gzip.decompress(sent)
    return len(sent), sent


def weigh_page(port: int, path: str) -> Weight:
    """Return the weight of a page with its styles, its icon, and its scripts with their imports."""
    size, text = ask_page(port, path)
    waiting, seen = LOADED.findall(text.decode()), dict[str, int]()
    while waiting:
        address = waiting.pop()
        if address not in seen:
            seen[address], content = ask_page(port, address)
            if address.endswith(".js"):
                waiting += [urljoin(address, one) for one in IMPORTED.findall(content.decode())]
    scripts = sum(size for address, size in seen.items() if address.endswith(".js"))
    return Weight(size, scripts, size + sum(seen.values()))


class StreamWatcher(asyncio.Protocol):
    """A stream that is read. heard: time (time.time()) and id of each event; with `keeps` its data.

    It is read without asyncio's streams, since the readers use the cores whose play is measured.
    """

    def __init__(self, path: str, *, keeps: bool = False) -> None:
        self.path, self.keeps = path, keeps
        self.heard: list[tuple[float, str, bytes]] = []
        self.bytes = 0
        self._rest = b""  # of an event, or of the head of the answer

    async def read(self, port: int, opening: asyncio.Semaphore, is_open: asyncio.Event | None = None) -> None:
        """Read until cancelled or until the server ends the stream."""
        loop = asyncio.get_running_loop()
        self._head, self._end = loop.create_future(), loop.create_future()
        async with AsyncExitStack() as stack:
            async with opening:
                transport, _ = await loop.create_connection(lambda: self, "127.0.0.1", port)
                stack.callback(transport.close)
                transport.write(f"GET {self.path} HTTP/1.0\r\nhost: 127.0.0.1:{port}\r\n\r\n".encode())
                head = await self._head
                assert b" 200 " in head.partition(b"\r\n")[0], head
            if is_open:
                is_open.set()
            await self._end

    def data_received(self, data: bytes) -> None:
        """Note the events that are whole."""
        self.bytes += len(data)
        if not self._head.done():
            head, found, data = (self._rest + data).partition(b"\r\n\r\n")
            self._rest = b"" if found else head
            if not found:
                return
            self._head.set_result(head)
        *events, self._rest = (self._rest + data).split(b"\n\n")
        for event in events:
            if event.startswith(b"id: "):
                name, _, text = event.partition(b"\n")
                self.heard.append((time.time(), name[4:].decode(), text if self.keeps else b""))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Note the end."""
        if not self._head.done():
            self._head.set_result(self._rest)
        if not self._end.done():
            self._end.set_result(None)


async def run_watchers(
    port: int, watchers: Sequence[StreamWatcher], during: asyncio.Event, ready: asyncio.Event
) -> None:
    """Run all watchers, from when all are open (`ready`) until `during` is set."""
    opening = asyncio.Semaphore(AT_ONCE)
    opened = [asyncio.Event() for _ in watchers]
    tasks = [
        asyncio.create_task(one.read(port, opening, is_open))
        for one, is_open in zip(watchers, opened, strict=True)
    ]
    try:
        for is_open, task in zip(opened, tasks, strict=True):
            waiting = asyncio.create_task(is_open.wait())
            await asyncio.wait((waiting, task), return_when=asyncio.FIRST_COMPLETED)
            if not is_open.is_set():
                waiting.cancel()
                task.result()  # raises the error
        ready.set()
        await during.wait()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def latest_delays(heard: Iterator[tuple[float, int]], told: Sequence[tuple[float, int]]) -> list[float]:
    """Return for each event (when, how far) the seconds until it, or a later one, was heard."""
    waits, coming = [], sorted(heard)
    for at, far in told:
        came = next((when for when, what in coming if what >= far), None)
        if came is not None:
            waits.append(came - at)
    return waits
