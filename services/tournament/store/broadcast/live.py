"""Deals while they are played, in a stream for each match, and the matches that are watched.

Play never waits for this: while a Redis that does not answer quickly is left alone, deals are lost.
"""

import time
from collections.abc import Awaitable
from typing import Any, TypeVar

from redis.exceptions import RedisError

from services.shared.base import log
from services.shared.store import redis
from services.tournament.store.broadcast.stream import EventStream, Writer

LONGEST = 200  # reports of workers kept for a match
TTL = 600  # seconds after the last report
WATCHED = 5  # seconds for which a watcher counts unless renewed
LIST_SECONDS = 1.0  # seconds between two queries for the watched matches
REST = 3.0  # seconds for which a silent Redis is left alone

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


def deals_of(match_id: str) -> EventStream:
    return EventStream("match", match_id, "deals", LONGEST, TTL)


class Live:
    """Live deals in Redis; `client` is an asyncio client that gives up early and never sends twice."""

    def __init__(self, client: Any) -> None:
        self._client, self._writer = client, Writer(client)
        self._watch, self._list = client.register_script(WATCH), client.register_script(LIST)
        self._silent_until = self._fresh_until = 0.0
        self._watched: frozenset[str] = frozenset()

    async def append_report(self, match_id: str, deals: bytes) -> None:
        """Append a worker's report."""
        if self._answers:
            await self._await_reply(self._writer.append_entry(deals_of(match_id), deals))

    async def mark_watched(self, match_id: str) -> None:
        """Mark a match as watched for the next few seconds."""
        if self._answers:
            await self._await_reply(self._watch(keys=[WATCHED_KEY], args=[match_id, WATCHED]))

    async def is_watched(self, match_id: str) -> bool:
        """Return True if the match was watched about a second ago, False while Redis is silent.

        All matches are read at once, because with many workers there are many of them.
        """
        now = time.monotonic()
        if now >= self._fresh_until and self._answers:
            self._fresh_until = now + LIST_SECONDS
            self._watched = frozenset(await self._await_reply(self._list(keys=[WATCHED_KEY])) or ())
        return match_id in self._watched and self._answers

    async def check_redis(self) -> None:
        """Raise an error unless Redis answers quickly, and is a single server."""
        await redis.check_single(self._client)

    async def close(self) -> None:
        await self._client.aclose()

    @property
    def _answers(self) -> bool:
        return time.monotonic() >= self._silent_until

    async def _await_reply(self, answer: Awaitable[T]) -> T | None:
        try:
            return await answer
        except RedisError as err:
            logger.warning("watchers are not told", words=str(err))
            self._silent_until = time.monotonic() + REST
            return None
