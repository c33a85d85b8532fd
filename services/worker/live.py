"""What watchers may see of a block while it is played: gathered at the table, sent by a thread of its own.

Play never waits for it: what there is no room for is left out, what cannot be sent is lost.
"""

import threading
from collections.abc import Callable
from contextvars import copy_context
from types import TracebackType
from typing import Self

from maumau.bot.live import LiveDeal, make_live_piece
from maumau.errors import MaumauError
from maumau.game import Deal
from services.shared import log

ROOM = 80  # events that wait to be sent, beyond which no deal is begun
FULL = 800  # beyond which none goes on
LONGEST = 500  # events of a piece
AT_ONCE = 4  # deals side by side that are told action by action
FINISHED = 10  # deals told in a report while nobody watches
PERIOD, IDLE, REST = 0.5, 2.0, 5.0  # seconds between reports: watched, not watched, after one that failed

logger = log.get(__name__)


class Live:
    """`report` sends pieces of deals and says whether somebody watches; only the thread calls it.

    While somebody watches, deals are told action by action, each whole or not at all; else some at their end.
    """

    def __init__(self, report: Callable[[list[LiveDeal]], bool], *, watched: bool) -> None:
        self.report, self.watched = report, watched
        self._told: dict[tuple[int, int], int] = {}  # of deals at the table how many events were told
        self._waiting: dict[tuple[int, int], LiveDeal] = {}
        self._size = 0
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=copy_context().run, args=(self._send,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, err: object, trace: TracebackType | None) -> None:
        self._ended.set()

    def look(self, seating: int, number: int, deal: Deal) -> None:
        """The table shows set `number`: before decisions, and when it is over."""
        key = (seating, number)
        start = self._told.get(key, 0)
        if self._is_shown(start, over=deal.over) and len(deal.log) - start <= LONGEST:
            self._add(key, make_live_piece(deal, number, seating, start))
            self._told[key] = len(deal.log)
        if deal.over:
            self._told.pop(key, None)

    def _is_shown(self, start: int, *, over: bool) -> bool:
        """Whether there is room; a deal that was begun is told to its end."""
        if over and start:
            return True
        if self.watched:
            return self._size < FULL if start else self._size < ROOM and len(self._told) < AT_ONCE
        return over and self._size < ROOM and len(self._waiting) < FINISHED

    def _add(self, key: tuple[int, int], new: LiveDeal) -> None:
        """To the piece of the same deal, if that was not sent yet."""
        with self._lock:
            known = self._waiting.setdefault(key, new)
            if known is not new:
                known.events += new.events
                known.counts += new.counts
                known.places, known.points = new.places, new.points
            self._size += len(new.events)

    def _send(self) -> None:
        pause = 0.0
        while not self._ended.wait(pause):
            pause = self._report()
        self._report()

    def _report(self) -> float:
        """Sends what waits; the seconds until the next time."""
        with self._lock:
            deals, self._waiting, self._size = list(self._waiting.values()), {}, 0
        try:
            if deals:
                self.watched = self.report(deals)
        except MaumauError as err:
            logger.warning("deals not told", words=str(err))
            self.watched = False
            return REST
        return PERIOD if self.watched else IDLE
