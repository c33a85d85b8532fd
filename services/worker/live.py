"""Live view of a block for watchers: gathered at the table, sent by a thread of its own.

Play never waits for it: excess deals are dropped, and failed reports are not sent again.
"""

import threading
from collections.abc import Callable
from contextvars import copy_context
from types import TracebackType
from typing import Self

from maumau.errors import MaumauError
from maumau.game import Deal
from maumau.protocol.live import LiveDeal, make_live_piece
from services.shared.base import log

ROOM = 80  # waiting events above which no deal is begun
FULL = 800  # waiting events above which no deal goes on
LONGEST = 500  # events of a part
AT_ONCE = 4  # concurrent deals reported action by action
FINISHED = 10  # deals in a report without watchers
PERIOD, IDLE, REST = 0.5, 2.0, 5.0  # seconds between reports: watched, not watched, after a failure

Key = tuple[int, int, str]
"""A deal's seating, set and seed."""

logger = log.get(__name__)


class LiveSender:
    """A sender of live deals. `report` sends parts of them; it returns True if anybody is watching.

    Only the sending thread calls `report`. With watchers, deals are reported action by action, each
    completely or not at all; without, some are reported when they are over.
    """

    def __init__(self, report: Callable[[list[LiveDeal]], bool], *, watched: bool) -> None:
        self.report, self.watched = report, watched
        self._reported: dict[Key, int] = {}  # by deal at the table, the number of events reported
        self._plays: dict[Key, Deal] = {}  # the deals at the table
        self._waiting: dict[Key, LiveDeal] = {}
        self._size = 0
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=copy_context().run, args=(self._send_parts,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, err: object, trace: TracebackType | None) -> None:
        self._ended.set()

    def record_events(self, seating: int, number: int, deal: Deal) -> None:
        """Gather the events of a deal; the table calls this before decisions, and when the deal is over."""
        key = (seating, number, deal.seed.text)  # a game has several deals, one after the other
        if self._plays.get(key) is not deal:  # it begins, or begins again
            self._plays[key] = deal
            self._reported.pop(key, None)
        start = self._reported.get(key, 0)
        if self._is_shown(start, over=deal.over) and len(deal.log) - start <= LONGEST:
            self._add_part(key, make_live_piece(deal, number, seating, start))
            self._reported[key] = len(deal.log)
        if deal.over:
            del self._plays[key]
            self._reported.pop(key, None)

    def _is_shown(self, start: int, *, over: bool) -> bool:
        """Return True if there is room for a deal; a report once begun is completed."""
        if over and start:
            return True
        if self.watched:
            return self._size < FULL if start else self._size < ROOM and len(self._reported) < AT_ONCE
        return over and self._size < ROOM and len(self._waiting) < FINISHED

    def _add_part(self, key: Key, new: LiveDeal) -> None:
        """Add to the unsent part of the same deal, if there is one; a deal that begins again replaces it."""
        with self._lock:
            known = None if new.start == 0 else self._waiting.get(key)
            if known is None:
                self._size -= len(self._waiting[key].events) if key in self._waiting else 0
                self._waiting[key] = new
            else:
                known.events += new.events
                known.counts += new.counts
                known.places, known.points = new.places, new.points
            self._size += len(new.events)

    def _send_parts(self) -> None:
        pause = 0.0
        while not self._ended.wait(pause):
            pause = self._report_deals()
        self._report_deals()

    def _report_deals(self) -> float:
        """Send the gathered deals; return the seconds until the next time."""
        with self._lock:
            deals, self._waiting, self._size = list(self._waiting.values()), {}, 0
        try:
            if deals:
                self.watched = self.report(deals)
        except MaumauError as err:
            logger.warning("live report failed", words=str(err))
            self.watched = False
            return REST
        return PERIOD if self.watched else IDLE
