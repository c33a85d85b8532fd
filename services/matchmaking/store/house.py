"""Seats that house bots take, in Redis: each with its token, and which workers are there.

A worker has a seat by a lease, as it has a block: if it falls silent the seat is offered again, and the next
worker's stream replaces its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from redis.exceptions import RedisError

from maumau.errors import DatabaseUnavailable

DUE, WORKERS, ROOM = (f"maumau:seats:{{all}}:{part}" for part in ("due", "workers", "room"))
"""Seats by when they are to be offered (again); workers by when they were last heard; their room."""
LEASE: Final = 10_000  # ms
AGAIN: Final = 3000  # ms after which a seat is offered again
TTL: Final = 120  # seconds that a seat is kept after it was offered or renewed
MOST: Final = 1000  # seats that are offered at once

NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
"""
# KEYS seat, due  ARGV name, worker, lease, ttl
CLAIM = (
    NOW
    + """
local told = redis.call('HMGET', KEYS[1], 'token', 'bot', 'worker', 'till', 'think_ms')
if not told[1] or (told[3] and told[3] ~= ARGV[2] and now < tonumber(told[4])) then return false end
redis.call('HSET', KEYS[1], 'worker', ARGV[2], 'till', text(now + ARGV[3]))
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('ZADD', KEYS[2], text(now + ARGV[3]), ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return {told[1], told[2], told[5] or '0'}
"""
)
# KEYS seat, due  ARGV name, worker, lease, ttl, whether it is left
RENEW = (
    NOW
    + """
if redis.call('HGET', KEYS[1], 'worker') ~= ARGV[2] then return 0 end
if ARGV[5] == '1' then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 1
end
redis.call('HSET', KEYS[1], 'till', text(now + ARGV[3]))
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('ZADD', KEYS[2], text(now + ARGV[3]), ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[4])
return 1
"""
)
# KEYS due  ARGV again, most, prefix of seats
OVERDUE = (
    NOW
    + """
local found = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])) do
  if redis.call('EXISTS', ARGV[3] .. name .. '}') == 1 then
    redis.call('ZADD', KEYS[1], text(now + ARGV[1]), name)
    table.insert(found, name)
  else
    redis.call('ZREM', KEYS[1], name)
  end
end
return found
"""
)


class Offer(NamedTuple):
    """A seat for a house bot: its token, and the bot's name. think_ms: before each answer."""

    table_id: str
    seat: int
    token: str
    bot_name: str
    think_ms: int = 0


class Claimed(NamedTuple):
    """What whoever claims a seat is told."""

    token: str
    bot_name: str
    think_ms: int


Seat = tuple[str, int]
"""A table and a seat of it."""


def key(name: str) -> str:
    return f"maumau:seat:{{{name}}}"


def _name(seat: Seat) -> str:
    return f"{seat[0]}/{seat[1]}"


class HouseSeats:
    """`client`: an asyncio client that never sends twice."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._claim, self._renew, self._overdue = (
            client.register_script(script) for script in (CLAIM, RENEW, OVERDUE)
        )

    async def offer(self, offers: Sequence[Offer]) -> None:
        """Keeps these seats until they are claimed; `overdue` names them."""
        made = self._client.pipeline(transaction=True)
        for one in offers:
            name = _name((one.table_id, one.seat))
            said = {"token": one.token, "bot": one.bot_name, "think_ms": one.think_ms}
            made.hset(key(name), mapping=said)
            made.expire(key(name), TTL)
            made.zadd(DUE, {name: 0})
        made.expire(DUE, TTL)
        await self._asked(made.execute())

    async def overdue(self) -> list[Seat]:
        """Seats that nobody plays; each is named again a little later, until somebody does."""
        prefix = key("").removesuffix("}")
        found = await self._asked(self._overdue(keys=[DUE], args=[AGAIN, MOST, prefix]))
        return [(table_id, int(seat)) for table_id, _, seat in (name.rpartition("/") for name in found)]

    async def claim(self, seat: Seat, worker: str) -> Claimed | None:
        """The seat for a worker; None if another one plays it, or nobody has to."""
        arguments = [_name(seat), worker, LEASE, TTL]
        found = await self._asked(self._claim(keys=[key(_name(seat)), DUE], args=arguments))
        return Claimed(found[0], found[1], int(found[2])) if found else None

    async def renew(self, worker: str, room: int, held: Sequence[Seat], left: Sequence[Seat]) -> list[Seat]:
        """Notes that a worker is there, which seats it plays and which no more; those it has lost.

        One with neither room nor seats ends: it is there no more.
        """
        now = await self._now()
        asked = self._client.pipeline(transaction=False)
        if room or held:
            asked.zadd(WORKERS, {worker: now})
            asked.hset(ROOM, worker, room)
        else:
            asked.zrem(WORKERS, worker)
            asked.hdel(ROOM, worker)
        for name in (WORKERS, ROOM):
            asked.expire(name, TTL)
        for seat in (*left, *held):
            arguments = [_name(seat), worker, LEASE, TTL, int(seat in left)]
            await self._renew(keys=[key(_name(seat)), DUE], args=arguments, client=asked)
        kept = (await self._asked(asked.execute()))[4 + len(left) :]
        return [seat for seat, is_kept in zip(held, kept, strict=True) if not is_kept]

    async def count_room(self) -> int:
        """Seats that the workers heard lately could play besides those they do."""
        now = await self._now()
        silent = await self._asked(self._client.zrangebyscore(WORKERS, "-inf", now - LEASE))
        silent += await self._asked(self._client.zrangebyscore(WORKERS, f"({now}", "+inf"))  # set back since
        if silent:
            await self._asked(self._client.zrem(WORKERS, *silent))
            await self._asked(self._client.hdel(ROOM, *silent))
        return sum(map(int, await self._asked(self._client.hvals(ROOM))))

    async def has_workers(self) -> bool:
        """Whether `count_room` has heard of workers lately, with room or without."""
        return bool(await self._asked(self._client.exists(ROOM)))

    async def _now(self) -> int:
        time = await self._asked(self._client.time())
        return int(time[0]) * 1000 + int(time[1]) // 1000

    async def _asked(self, answer: Any) -> Any:
        try:
            return await answer
        except RedisError as error:
            raise DatabaseUnavailable(f"The arena's seats cannot be reached just now ({error}).") from error
