"""Redis clients that never retry, and changes made exactly once for services without a database."""

import base64
import secrets
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError, RedisError
from redis.retry import Retry

from maumau.errors import BadSetting, DatabaseUnavailable, RequestUnderWay
from services.shared.store.change import HELD, Change
from services.shared.store.repeat import repeat_call

T = TypeVar("T")

HASTE = 0.25  # seconds
CONNECTIONS = 16  # kept; further callers wait
SECRET_KEPT, ANSWERED = 60_000, 600_000  # ms for which secret answers and other answers are kept
BEGIN = """
if redis.call('GET', KEYS[2]) == ARGV[1] then return false end
if not redis.call('SET', KEYS[1], '', 'NX', 'PX', ARGV[2]) then return redis.call('GET', KEYS[1]) end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return false
"""
"""Marks a change as being made, or returns its answer ('' if it is still being made); may run twice.

KEYS change, its maker. ARGV maker, ms.
"""
RENEW = """
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
"""
"""Renews the mark. KEYS as above. ARGV maker, ms."""
END = """
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return end
redis.call('DEL', KEYS[1], KEYS[2])
if ARGV[2] ~= '' then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
"""
"""Replaces the mark by an answer, or removes it if that is ''. KEYS as above. ARGV maker, answer, ms."""


def connect(url: str) -> Any:
    """Return a client for commands: 5 s timeout and no retries, as a command sent twice may count twice."""
    return redis.Redis.from_url(url, decode_responses=True, socket_timeout=5, retry=Retry(NoBackoff(), 0))


def connect_hasty(url: str) -> Any:
    """Return an asyncio client for calls that must not delay anything: 0.25 s timeout, no retries."""
    return redis.asyncio.Redis.from_url(
        url, decode_responses=True, socket_timeout=HASTE, socket_connect_timeout=HASTE, retry=_never()
    )


def connect_aio(url: str) -> Any:
    """Return an asyncio client for commands: 5 s timeout and no retries; callers wait for a connection."""
    pool = redis.asyncio.BlockingConnectionPool.from_url(
        url, decode_responses=True, socket_timeout=5, retry=_never(), max_connections=CONNECTIONS, timeout=5
    )
    return redis.asyncio.Redis.from_pool(pool)


def connect_reader(url: str) -> Any:
    """Return an asyncio client for blocking reads (XREAD BLOCK), without a timeout."""
    return redis.asyncio.Redis.from_url(url, decode_responses=True, socket_timeout=None, retry=_never())


def refuse_clusters(urls: Iterable[str]) -> None:
    """Raise BadSetting if one of these servers is of a Redis Cluster; one that does not say is accepted.

    Scripts and transactions change keys of several slots together, which no cluster allows.
    """
    for url in urls:
        if url.startswith(("redis://", "rediss://")):
            with suppress(RedisError), connect(url) as client:
                _refuse_cluster(client.info("cluster"))


async def check_single(client: Any) -> None:
    """Raise RedisError unless Redis answers and can write, BadSetting if it is of a cluster.

    client: an asyncio one.
    """
    with suppress(NoPermissionError):  # it answers; its ACL may forbid INFO
        await client.ping()  # refused, as a write is and INFO is not, while the server's disk is full
        _refuse_cluster(await client.info("cluster"))


def _refuse_cluster(info: dict[str, Any]) -> None:
    if info.get("cluster_enabled"):
        raise BadSetting(
            "MAUMAU_REDIS_URL and MAUMAU_BROKER_URL have to name single servers, with replicas if you like;"
            " one of them is a server of a Redis Cluster, which cannot change several keys atomically, as the"
            " arena needs (docs/explanation/scale.md)."
        )


def _never() -> AsyncRetry:
    return AsyncRetry(NoBackoff(), 0)


class RedisChanges:
    """The changes of one service, shared by its replicas. client: an asyncio one.

    A mark is written before the change is made, and renewed meanwhile: if the service dies, it expires. If it
    expired because its replica hung, that replica no longer owns it, even if no other has made the change.
    """

    def __init__(self, client: Any, service: str) -> None:
        self._service = service
        self._begin, self._renew, self._end = map(client.register_script, (BEGIN, RENEW, END))

    async def begin(self, change: Change) -> bytes | None:
        """Return the answer if the change was made before; else mark it as being made."""
        maker = secrets.token_hex(8)
        answer = await repeat_call(partial(self._run, self._begin, change, maker, HELD))
        if answer is None:
            change.maker = maker
            return None
        if not answer:
            raise RequestUnderWay
        return base64.b64decode(answer[1:])

    async def renew(self, change: Change) -> None:
        """Prolong the mark."""
        await self._run(self._renew, change, change.maker, HELD)

    async def look_again(self, change: Change) -> None:
        """Return None: no other replica can make a change that is marked before it is made."""

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        """Keep the answer, for only a minute if it is secret; remove the mark of a refused change.

        Keeping secrets exposes nothing new: Redis also holds hands and seeds.
        """
        stored = "" if answer is None else "=" + base64.b64encode(answer).decode()
        kept = SECRET_KEPT if secret else ANSWERED
        await self._run(self._end, change, change.maker, stored, kept)

    async def _run(self, script: Any, change: Change, *args: str | int) -> Any:
        key = f"maumau:{self._service}:change:{{{change.id}}}"
        return await _translate_failure(script(keys=[key, f"{key}:by"], args=args))


async def count_since(client: Any, key: str) -> tuple[int, int | None]:
    """Return the size of a sorted set whose scores are ms since 1970, and the age of the first in ms.

    The age is by Redis' clock, and None if the set is empty. client: an asyncio one.
    """
    pipeline = client.pipeline(transaction=False)
    pipeline.time()
    pipeline.zcard(key)
    pipeline.zrange(key, 0, 0, withscores=True)
    time, count, first = await pipeline.execute()
    now = time[0] * 1000 + time[1] // 1000
    return count, max(0, int(now - first[0][1])) if first else None


async def _translate_failure(answer: Awaitable[T]) -> T:
    try:
        return await answer
    except RedisError as error:
        raise DatabaseUnavailable(f"Redis does not answer just now ({error}).") from error
