"""Redis clients that never send twice, and changes made once for services without a database."""

import base64
from collections.abc import Awaitable
from typing import Any, TypeVar

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from maumau.errors import DatabaseUnavailable, RequestUnderWay
from services.shared.store.change import HELD, Change

T = TypeVar("T")

HASTE = 0.25  # seconds
CONNECTIONS = 16  # kept; further callers wait
SECRET_KEPT, ANSWERED = 60, 600  # seconds for which an answer is kept, if it is secret and otherwise


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


def _never() -> AsyncRetry:
    return AsyncRetry(NoBackoff(), 0)


class RedisChanges:
    """The changes of one service, shared by its replicas. client: an asyncio one.

    A mark is written before the change is made, and renewed meanwhile: if the service dies, it expires.
    """

    def __init__(self, client: Any, service: str) -> None:
        self._client, self._service = client, service

    async def begin(self, change: Change) -> bytes | None:
        """Return the answer if the change was made before; else mark it as being made."""
        if await _asked(self._client.set(self._key(change), "", nx=True, px=HELD)):
            return None
        answer = await _asked(self._client.get(self._key(change)))
        if not answer:
            raise RequestUnderWay
        return base64.b64decode(answer[1:])

    async def renew(self, change: Change) -> None:
        """Prolong the mark; an answer is kept for longer anyway."""
        await _asked(self._client.pexpire(self._key(change), HELD, gt=True))

    async def look_again(self, change: Change) -> None:
        """Return None: a change that is marked before it is made is made by nobody else."""

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        """Keep the answer, for only a minute if it is secret; remove the mark of a refused change.

        Hands and seeds are in Redis, too.
        """
        if answer is None:
            await _asked(self._client.delete(self._key(change)))
        else:
            said = "=" + base64.b64encode(answer).decode()
            await _asked(self._client.set(self._key(change), said, ex=SECRET_KEPT if secret else ANSWERED))

    def _key(self, change: Change) -> str:
        return f"maumau:{self._service}:change:{{{change.id}}}"


async def count_since(client: Any, key: str) -> tuple[int, int | None]:
    """Return the size of a sorted set whose scores are ms since 1970, and the age of the first in ms.

    By Redis' clock; None if there is none. client: an asyncio one.
    """
    asked = client.pipeline(transaction=False)
    asked.time()
    asked.zcard(key)
    asked.zrange(key, 0, 0, withscores=True)
    time, count, first = await asked.execute()
    now = time[0] * 1000 + time[1] // 1000
    return count, max(0, int(now - first[0][1])) if first else None


async def _asked(answer: Awaitable[T]) -> T:
    try:
        return await answer
    except RedisError as error:
        raise DatabaseUnavailable(f"Redis does not answer just now ({error}).") from error
