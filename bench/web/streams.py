"""Streams of a page, read by a thread of this process during other measurements."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.support.embedded import Embedded
from bench.support.patience import Deadline, patient
from bench.web.browser import StreamWatcher, run_watchers
from maumau.client.answer import Match

COUNTED = re.compile(rb"((?:[\d,.]|\xc2\xa0|\xe2\x80[\x80-\xaf])+) (?:deal )?sets?\b")
"""Thousands are separated by narrow spaces, each of several bytes."""
OPEN_SECONDS = 60.0  # until all streams are open


class Reading:
    """Watchers that read from `start` to `stop`."""

    def __init__(self, port: int, watchers: Sequence[StreamWatcher]) -> None:
        self._port, self._watchers = port, watchers
        self._opened, self._failed = threading.Event(), list[BaseException]()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run_loop()), daemon=True)

    def start(self) -> None:
        """Start reading and wait until all streams are open."""
        self._thread.start()
        last = Deadline(OPEN_SECONDS)
        while not self._opened.is_set():
            assert not self._failed, self._failed
            assert not last.has_passed(), "not all streams are open"
            last.pause()

    def stop(self) -> None:
        """Close all streams."""
        if self._opened.is_set():
            self._loop.call_soon_threadsafe(self._enough.set)
            self._thread.join(patient(30))

    async def _run_loop(self) -> None:
        self._loop, self._enough, ready = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        watching = asyncio.create_task(run_watchers(self._port, self._watchers, self._enough, ready))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait((watching, waiting), return_when=asyncio.FIRST_COMPLETED)
        if watching.done():
            waiting.cancel()
            self._failed.append(watching.exception() or RuntimeError("the streams ended"))
            return
        self._opened.set()
        await watching


@contextmanager
def read_meanwhile(port: int, watchers: Sequence[StreamWatcher]) -> Iterator[None]:
    """Let these watchers read while the context lasts."""
    them = Reading(port, watchers)
    try:
        them.start()
        yield
    finally:
        them.stop()


@contextmanager
def follow_meanwhile(arena: Embedded, contest: str, label: str) -> Iterator[list[tuple[float, int]]]:
    """Yield the arena's own messages about a match, without a page: time and number of sets."""
    told: list[tuple[float, int]] = []
    enough = threading.Event()

    def follow_match() -> None:
        with arena.client() as link:
            for part in link.watch_match(contest, label):
                if enough.is_set():
                    return
                if isinstance(part, Match):
                    told.append((time.time(), part.sets))

    threading.Thread(target=follow_match, daemon=True).start()
    try:
        yield told
    finally:
        enough.set()


def count_sets(data: bytes) -> int | None:
    """Return the number of sets in a part of a page, or None."""
    found = COUNTED.search(data)
    return int(re.sub(rb"\D", b"", found[1])) if found else None


def read_meanings(leads: Sequence[StreamWatcher]) -> dict[str, int]:
    """Return by event id the number of sets that a match's page shows after this event."""
    known: dict[str, int] = {}
    for one in leads:
        sets = -1
        for _, event, data in one.heard:
            said = count_sets(data) if b'"result"' in data else None
            sets = sets if said is None else said
            known[event] = max(known.get(event, -1), sets)
    return known
