"""Deals while they are played, in a stream for each match, and who watches.

Nobody may wait for this: a Redis that does not answer quickly is left alone for a while, and deals are lost.
"""

import time
from collections.abc import Awaitable
from typing import Any, TypeVar

from redis.exceptions import RedisError

from services.shared import log
from services.tournament.store.stream import Stream, Writer

LONGEST = 200  # reports of workers that a match keeps
TTL = 600  # seconds after the last one
WATCHED = 5  # seconds that a watcher counts as one unless he goes on
FRESH, MOST_SEEN = 1.0, 1000  # seconds that an answer is good for; answers kept beyond that
REST = 3.0  # seconds that a silent Redis is left alone

T = TypeVar("T")

logger = log.get(__name__)


def deals_of(match_id: str) -> Stream:
    return Stream("match", match_id, "deals", LONGEST, TTL)


class Live:
    """`client` is an asyncio client that gives up early and never sends twice."""

    def __init__(self, client: Any) -> None:
        self._client, self._writer = client, Writer(client)
        self._silent_until = 0.0
        self._seen: dict[str, tuple[float, bool]] = {}  # until when an answer is good enough

    async def tell(self, match_id: str, deals: bytes) -> None:
        """Appends a worker's report."""
        if self._answers:
            await self._asked(self._writer.append(deals_of(match_id), deals))

    async def watch(self, match_id: str) -> None:
        """Somebody watches, for a few seconds from now."""
        if self._answers:
            await self._asked(self._client.set(deals_of(match_id).key("watched"), 1, ex=WATCHED))

    async def is_watched(self, match_id: str) -> bool:
        """Whether anybody does, as it was at most a second ago; nobody can while Redis is silent."""
        now = time.monotonic()
        until, seen = self._seen.get(match_id, (0.0, False))
        if now < until or not self._answers:
            return seen and self._answers
        seen = bool(await self._asked(self._client.exists(deals_of(match_id).key("watched"))))
        if len(self._seen) > MOST_SEEN:
            self._seen = {key: one for key, one in self._seen.items() if one[0] > now}
        self._seen[match_id] = now + FRESH, seen
        return seen

    async def check(self) -> None:
        """Raises RedisError unless Redis answers quickly."""
        await self._client.ping()

    async def close(self) -> None:
        await self._client.aclose()

    @property
    def _answers(self) -> bool:
        return time.monotonic() >= self._silent_until

    async def _asked(self, answer: Awaitable[T]) -> T | None:
        try:
            return await answer
        except RedisError as err:
            logger.warning("watchers are not told", words=str(err))
            self._silent_until = time.monotonic() + REST
            return None
