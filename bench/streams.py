"""Streams of a page that are read by a thread of this process, while something else is measured."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.browser import Watcher, watch
from bench.embedded import Embedded
from bench.patience import Deadline, patient
from maumau.answer import Match

COUNTED = re.compile(rb"((?:[\d,.]|\xc2\xa0|\xe2\x80[\x80-\xaf])+) (?:deal )?sets?\b")
"""Thousands are parted by narrow spaces, each of some bytes."""
OPEN_SECONDS = 60.0  # until all streams are open


class Reading:
    """Watchers that read from `start` to `stop`."""

    def __init__(self, port: int, watchers: Sequence[Watcher]) -> None:
        self._port, self._watchers = port, watchers
        self._opened, self._failed = threading.Event(), list[BaseException]()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def start(self) -> None:
        """All are open when this returns."""
        self._thread.start()
        last = Deadline(OPEN_SECONDS)
        while not self._opened.is_set():
            assert not self._failed, self._failed
            assert not last.has_passed(), "not all streams are open"
            last.pause()

    def stop(self) -> None:
        """All are closed."""
        if self._opened.is_set():
            self._loop.call_soon_threadsafe(self._enough.set)
            self._thread.join(patient(30))

    async def _run(self) -> None:
        self._loop, self._enough, ready = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        watching = asyncio.create_task(watch(self._port, self._watchers, self._enough, ready))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait((watching, waiting), return_when=asyncio.FIRST_COMPLETED)
        if watching.done():
            waiting.cancel()
            self._failed.append(watching.exception() or RuntimeError("the streams ended"))
            return
        self._opened.set()
        await watching


@contextmanager
def reading(port: int, watchers: Sequence[Watcher]) -> Iterator[None]:
    """These watchers read while this lasts."""
    them = Reading(port, watchers)
    try:
        them.start()
        yield
    finally:
        them.stop()


@contextmanager
def telling(arena: Embedded, contest: str, label: str) -> Iterator[list[tuple[float, int]]]:
    """What the arena itself tells of a match, without a page: when, and how many sets count then."""
    told: list[tuple[float, int]] = []
    enough = threading.Event()

    def follow() -> None:
        with arena.client() as link:
            for part in link.watch_match(contest, label):
                if enough.is_set():
                    return
                if isinstance(part, Match):
                    told.append((time.time(), part.sets))

    threading.Thread(target=follow, daemon=True).start()
    try:
        yield told
    finally:
        enough.set()


def count_sets(data: bytes) -> int | None:
    """How many sets a part of a page says there are."""
    found = COUNTED.search(data)
    return int(re.sub(rb"\D", b"", found[1])) if found else None


def read_meanings(leads: Sequence[Watcher]) -> dict[str, int]:
    """How many sets a match's page shows that has heard the event of this id."""
    known: dict[str, int] = {}
    for one in leads:
        sets = -1
        for _, event, data in one.heard:
            said = count_sets(data) if b'"result"' in data else None
            sets = sets if said is None else said
            known[event] = max(known.get(event, -1), sets)
    return known
