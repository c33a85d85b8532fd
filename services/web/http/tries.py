"""Limits on wrong login codes: few from one address, and slower tries if many come from all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from maumau.errors import TooManyCalls, UnknownInvitation, UnknownPageCode
from services.shared.base.peer import find_source
from services.shared.base.rate import Rates

TRIES_A_SECOND, TRIES = 0.2, 20
"""Wrong codes of one address: per second on average, and at once after a rest."""
ALL_A_SECOND, ALL = 5.0, 200
"""Wrong codes of all addresses, beyond which tries are delayed but not refused."""
WAIT: Final = 2.0  # seconds
MOST_WAITING: Final = 100
ALL_OWNER: Final = ""
UNKNOWN: Final = (UnknownPageCode, UnknownInvitation)


class Tries:
    """Counts of wrong codes in this process."""

    def __init__(self) -> None:
        self._own, self._all = Rates(TRIES_A_SECOND, TRIES), Rates(ALL_A_SECOND, ALL)
        self._waiting = 0

    @asynccontextmanager
    async def count_try(self, host: str) -> AsyncIterator[None]:
        """Count a try that ends in one of UNKNOWN; raise `TooManyCalls` beyond the bounds."""
        source = find_source(host)
        if not self._own.take(source):
            raise TooManyCalls("Too many wrong codes came from your address; wait a minute and try again.")
        if not self._all.may(ALL_OWNER):
            await self._await_turn()
        try:
            yield
        except UNKNOWN:
            self._all.take(ALL_OWNER)
            raise
        except BaseException:
            self._own.give_back(source)
            raise
        self._own.give_back(source)

    async def _await_turn(self) -> None:
        if self._waiting >= MOST_WAITING:
            raise TooManyCalls("Too many people are logging in just now; wait a minute and try again.")
        self._waiting += 1
        try:
            await asyncio.sleep(WAIT)
        finally:
            self._waiting -= 1
