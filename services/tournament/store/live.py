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
LIST_SECONDS = 1.0  # between two questions which matches are watched
REST = 3.0  # seconds that a silent Redis is left alone

WATCHED_KEY = "maumau:watched"

# by Redis' own clock. KEYS watched   ARGV match, seconds
WATCH = """
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
"""
# KEYS watched
LIST = "return redis.call('ZRANGEBYSCORE', KEYS[1], redis.call('TIME')[1], '+inf')"

T = TypeVar("T")

logger = log.get(__name__)


def deals_of(match_id: str) -> Stream:
    return Stream("match", match_id, "deals", LONGEST, TTL)


class Live:
    """`client` is an asyncio client that gives up early and never sends twice."""

    def __init__(self, client: Any) -> None:
        self._client, self._writer = client, Writer(client)
        self._watch, self._list = client.register_script(WATCH), client.register_script(LIST)
        self._silent_until = self._fresh_until = 0.0
        self._watched: frozenset[str] = frozenset()

    async def tell(self, match_id: str, deals: bytes) -> None:
        """Appends a worker's report."""
        if self._answers:
            await self._asked(self._writer.append(deals_of(match_id), deals))

    async def watch(self, match_id: str) -> None:
        """Somebody watches, for a few seconds from now."""
        if self._answers:
            await self._asked(self._watch(keys=[WATCHED_KEY], args=[match_id, WATCHED]))

    async def is_watched(self, match_id: str) -> bool:
        """Whether anybody watches, as of about a second ago; nobody can while Redis is silent.

        All matches are asked for at once: with many workers there are many of them.
        """
        now = time.monotonic()
        if now >= self._fresh_until and self._answers:
            self._fresh_until = now + LIST_SECONDS
            self._watched = frozenset(await self._asked(self._list(keys=[WATCHED_KEY])) or ())
        return match_id in self._watched and self._answers

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
