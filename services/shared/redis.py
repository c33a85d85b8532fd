"""Redis clients that never send twice."""

from typing import Any

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

HASTE = 0.25  # seconds
CONNECTIONS = 16  # kept; who needs one more waits


def connect(url: str) -> Any:
    """For commands: 5 s timeout and no retries, since a command sent twice may count twice."""
    return redis.Redis.from_url(url, decode_responses=True, socket_timeout=5, retry=Retry(NoBackoff(), 0))


def connect_hasty(url: str) -> Any:
    """An asyncio client for what nobody may wait for: a quarter of a second, no retries."""
    return redis.asyncio.Redis.from_url(
        url, decode_responses=True, socket_timeout=HASTE, socket_connect_timeout=HASTE, retry=_never()
    )


def connect_aio(url: str) -> Any:
    """An asyncio client for commands: 5 s timeout and no retries; who finds no connection free waits."""
    pool = redis.asyncio.BlockingConnectionPool.from_url(
        url, decode_responses=True, socket_timeout=5, retry=_never(), max_connections=CONNECTIONS, timeout=5
    )
    return redis.asyncio.Redis.from_pool(pool)


def connect_reader(url: str) -> Any:
    """An asyncio client for blocking reads (XREAD BLOCK), which a timeout would cut."""
    return redis.asyncio.Redis.from_url(url, decode_responses=True, socket_timeout=None, retry=_never())


def _never() -> AsyncRetry:
    return AsyncRetry(NoBackoff(), 0)
