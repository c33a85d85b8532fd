"""Seats of house bots in Redis, each with its token, and the workers that are present.

A worker holds a seat by a lease, as it does a block: if it falls silent the seat is offered again, and the
next worker's stream replaces its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from redis.exceptions import RedisError

from maumau.errors import DatabaseUnavailable

DUE, WORKERS, ROOM = (f"maumau:seats:{{all}}:{part}" for part in ("due", "workers", "room"))
"""Seats by the time of their next offer; workers by the time of their last call; the workers' room."""
LEASE: Final = 10_000  # ms
AGAIN: Final = 3000  # ms after which a seat is offered again
TTL: Final = 120  # seconds after its offer or renewal for which a seat is kept
MOST: Final = 1000  # seats offered at a time

NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
"""
# KEYS due, seats
# ARGV prefix of seats, ttl, account, its most seats or '', network,
#      then for each seat its name, token, bot, think_ms
OFFER = """
local offered, held = {}, 0
for at = 6, #ARGV, 4 do offered[ARGV[at]] = true end
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local account = not offered[name] and redis.call('HGET', ARGV[1] .. name .. '}', 'account')
  if account == ARGV[3] then held = held + 1 end
end
if ARGV[4] ~= '' and held + #KEYS - 1 > tonumber(ARGV[4]) then return held end
for number = 2, #KEYS do
  local at = 6 + (number - 2) * 4
  redis.call('HSET', KEYS[number], 'token', ARGV[at + 1], 'bot', ARGV[at + 2], 'think_ms', ARGV[at + 3],
    'account', ARGV[3], 'network', ARGV[5])
  redis.call('EXPIRE', KEYS[number], ARGV[2])
  redis.call('ZADD', KEYS[1], 0, ARGV[at])
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return -1
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
# KEYS workers, room  ARGV lease
COUNT = (
    NOW
    + """
local room = 0
for _, worker in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local seen = tonumber(redis.call('ZSCORE', KEYS[1], worker))
  if now - ARGV[1] < seen and seen <= now then  -- not later: the clock was set back
    room = room + (redis.call('HGET', KEYS[2], worker) or 0)
  else
    redis.call('ZREM', KEYS[1], worker)
    redis.call('HDEL', KEYS[2], worker)
  end
end
return room
"""
)


class Offer(NamedTuple):
    """A seat for a house bot: its token, and the bot's name.

    think_ms: before each answer. account_id: of whoever asked for it. network: of a guest, else empty.
    """

    table_id: str
    seat: int
    token: str
    bot_name: str
    think_ms: int = 0
    account_id: str = ""
    network: str = ""


class Claimed(NamedTuple):
    """A claimed seat, as its worker needs it."""

    token: str
    bot_name: str
    think_ms: int


Seat = tuple[str, int]
"""A table and a seat of it."""


SEAT_PREFIX: Final = "maumau:seat:{"


def build_key(name: str) -> str:
    return SEAT_PREFIX + name + "}"


def _name_seat(seat: Seat) -> str:
    return f"{seat[0]}/{seat[1]}"


class HouseSeats:
    """Seats of house bots. `client`: an asyncio client that never sends twice."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._offer, self._claim, self._renew, self._overdue, self._count = (
            client.register_script(script) for script in (OFFER, CLAIM, RENEW, OVERDUE, COUNT)
        )

    async def store_offers(self, offers: Sequence[Offer], most: int | None = None) -> int | None:
        """Store the seats that one account asked for until they are claimed; `list_overdue` names them.

        With `most`, none is stored if the account would have more; return then the number that it has.
        """
        names = [_name_seat((one.table_id, one.seat)) for one in offers]
        said = [
            text
            for name, one in zip(names, offers, strict=True)
            for text in (name, one.token, one.bot_name, one.think_ms)
        ]
        limit = "" if most is None else most
        arguments = [SEAT_PREFIX, TTL, offers[0].account_id, limit, offers[0].network, *said]
        held = int(await self._await_reply(self._offer(keys=[DUE, *map(build_key, names)], args=arguments)))
        return None if held < 0 else held

    async def withdraw_offers(self, offers: Sequence[Offer]) -> None:
        """Take back seats that were offered, if any."""
        if not offers:
            return
        names = [_name_seat((one.table_id, one.seat)) for one in offers]
        made = self._client.pipeline(transaction=True)
        made.delete(*map(build_key, names))
        made.zrem(DUE, *names)
        await self._await_reply(made.execute())

    async def list_overdue(self) -> list[Seat]:
        """Return seats that no worker plays; each is returned again a little later, until one does."""
        found = await self._await_reply(self._overdue(keys=[DUE], args=[AGAIN, MOST, SEAT_PREFIX]))
        return [(table_id, int(seat)) for table_id, _, seat in (name.rpartition("/") for name in found)]

    async def claim_seat(self, seat: Seat, worker: str) -> Claimed | None:
        """Claim a seat for a worker; None if another one plays it, or the seat is gone."""
        arguments = [_name_seat(seat), worker, LEASE, TTL]
        found = await self._await_reply(self._claim(keys=[build_key(_name_seat(seat)), DUE], args=arguments))
        return Claimed(found[0], found[1], int(found[2])) if found else None

    async def renew_seats(
        self, worker: str, room: int, held: Sequence[Seat], left: Sequence[Seat]
    ) -> list[Seat]:
        """Record a worker's room, the seats it plays and those it has left; return those it has lost.

        A worker with neither room nor seats is about to end, and no longer counts as present.
        """
        now = await self._read_time()
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
            arguments = [_name_seat(seat), worker, LEASE, TTL, int(seat in left)]
            await self._renew(keys=[build_key(_name_seat(seat)), DUE], args=arguments, client=asked)
        kept = (await self._await_reply(asked.execute()))[4 + len(left) :]
        return [seat for seat, is_kept in zip(held, kept, strict=True) if not is_kept]

    async def leave_seat(self, seat: Seat, worker: str) -> None:
        """Drop a seat that a worker has claimed and nobody can play."""
        name = _name_seat(seat)
        await self._await_reply(self._renew(keys=[build_key(name), DUE], args=[name, worker, LEASE, TTL, 1]))

    async def count_room(self) -> int:
        """Return the number of further seats that present workers could play."""
        return int(await self._await_reply(self._count(keys=[WORKERS, ROOM], args=[LEASE])))

    async def count_seats_of(self, account_id: str) -> int:
        """Return how many seats are kept for house bots that this account asked for."""
        return (await self._list_offers("account")).count(account_id)

    async def count_seats_of_network(self, network: str) -> tuple[int, int]:
        """Return how many seats are kept for house bots of a network's guests, and how many in all."""
        found = await self._list_offers("network")
        return found.count(network), len(found)

    async def _list_offers(self, field: str) -> list[Any]:
        """Return a field of each seat that is kept for a house bot."""
        names = await self._await_reply(self._client.zrange(DUE, 0, -1))
        asked = self._client.pipeline(transaction=False)
        for name in names:
            asked.hget(build_key(name), field)
        return list(await self._await_reply(asked.execute())) if names else []

    async def has_workers(self) -> bool:
        """Return True if `count_room` knows of present workers, with room or without."""
        return bool(await self._await_reply(self._client.exists(ROOM)))

    async def _read_time(self) -> int:
        time = await self._await_reply(self._client.time())
        return int(time[0]) * 1000 + int(time[1]) // 1000

    async def _await_reply(self, answer: Any) -> Any:
        try:
            return await answer
        except RedisError as error:
            raise DatabaseUnavailable(f"The arena's seats cannot be reached just now ({error}).") from error
