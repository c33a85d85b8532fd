"""Seats of house bots in Redis, each with its token, and the workers that are present.

A worker holds a seat by a lease, as it does a block: if it falls silent the seat is offered again, and the
next worker's stream replaces its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from redis.exceptions import RedisError

from maumau.errors import DatabaseUnavailable
from services.shared.store.repeat import repeat_call

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
SEAT_FUNCTIONS = (
    NOW
    + """
local fields = {'worker', 'till', 'held', 'offered', 'account', 'network', 'token'}
local function is_played(told)  -- by a worker that has reported it beside its room
  return told[1] and now < tonumber(told[2]) and told[3] == '1'
end
local function is_waiting(told, lease)  -- for a worker; no longer than a lease, as its table may be gone
  local offered = tonumber(told[4] or 0)
  return offered <= now and now - offered < tonumber(lease) and not is_played(told)
end
local function count_room(workers, rooms, lease)
  local room = 0
  for _, worker in ipairs(redis.call('ZRANGE', workers, 0, -1)) do
    local seen = tonumber(redis.call('ZSCORE', workers, worker))
    if now - lease < seen and seen <= now then  -- not later: the clock was set back
      room = room + (redis.call('HGET', rooms, worker) or 0)
    else
      redis.call('ZREM', workers, worker)
      redis.call('HDEL', rooms, worker)
    end
  end
  return room
end
"""
)
"""Functions of the scripts that count: a worker's room is what it had left beside the seats that it held."""
# KEYS due, workers, room, seats
# ARGV prefix of seats, ttl, lease, account, network, its most seats or '', the network's least bound or '',
#      then for each seat its name, token, bot, think_ms
# Without bounds the room is not checked. A seat that its account has already, by the same token, needs none.
OFFER = (
    SEAT_FUNCTIONS
    + """
local count, offered = #KEYS - 3, {}
local held, guests, played, waiting, known, needed = 0, 0, 0, 0, 0, count
for at = 8, #ARGV, 4 do offered[ARGV[at]] = ARGV[at + 1] end
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local told = redis.call('HMGET', ARGV[1] .. name .. '}', unpack(fields))
  local is_known = told[5] == ARGV[4] and told[7] == offered[name]
  if is_known then known = known + 1 end
  if is_played(told) then played = played + 1 end
  if is_waiting(told, ARGV[3]) and (is_known or not offered[name]) then waiting = waiting + 1 end
  if offered[name] then
    if is_known or is_played(told) then needed = needed - 1 end
  else
    if told[5] == ARGV[4] then held = held + 1 end
    if told[6] == ARGV[5] then guests = guests + 1 end
  end
end
local is_more = known < count
if is_more and ARGV[6] ~= '' and held + count > tonumber(ARGV[6]) then return {'account', held, ARGV[6]} end
if is_more and ARGV[7] ~= '' then
  local room = count_room(KEYS[2], KEYS[3], ARGV[3])
  local most = math.max(tonumber(ARGV[7]), math.floor((played + room) * 3 / 4))
  if ARGV[5] ~= '' and guests + count > most then return {'network', guests, most} end
  local left = math.max(0, room - waiting)
  if needed > left then return {'room', count - needed, count - needed + left} end
end
for number = 1, count do
  local at = 8 + (number - 1) * 4
  redis.call('HSET', KEYS[number + 3], 'token', ARGV[at + 1], 'bot', ARGV[at + 2], 'think_ms', ARGV[at + 3],
    'account', ARGV[4], 'network', ARGV[5], 'offered', text(now))
  redis.call('EXPIRE', KEYS[number + 3], ARGV[2])
  redis.call('ZADD', KEYS[1], 0, ARGV[at])
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return false
"""
)
# KEYS seat, due  ARGV name, worker, lease, ttl
CLAIM = (
    NOW
    + """
local told = redis.call('HMGET', KEYS[1], 'token', 'bot', 'worker', 'till', 'think_ms')
if not told[1] or (told[3] and told[3] ~= ARGV[2] and now < tonumber(told[4])) then return false end
if told[3] ~= ARGV[2] then redis.call('HDEL', KEYS[1], 'held') end
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
redis.call('HSET', KEYS[1], 'till', text(now + ARGV[3]), 'held', 1)
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
# KEYS due, workers, room  ARGV prefix of seats, lease
COUNT = (
    SEAT_FUNCTIONS
    + """
local room = count_room(KEYS[2], KEYS[3], ARGV[2])
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local told = redis.call('HMGET', ARGV[1] .. name .. '}', unpack(fields))
  if is_waiting(told, ARGV[2]) then room = room - 1 end
end
return math.max(0, room)
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


class Bounds(NamedTuple):
    """Bounds of the seats that are kept for house bots, beside the room of the workers.

    account: the most at the tables of one account, None for any number. network: the most at those of guests
    of one network, who may have three quarters of all seats where that is more.
    """

    account: int | None
    network: int


class Excess(NamedTuple):
    """The bound that an offer would exceed: account, network or room. held: seats that count towards it."""

    bound: str
    held: int
    most: int


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

    async def store_offers(self, offers: Sequence[Offer], bounds: Bounds | None = None) -> Excess | None:
        """Store the seats that one account asked for until they are claimed; `list_overdue` names them.

        With bounds, none is stored beyond one of them, nor beyond the room of the workers, from which seats
        are taken that wait for a worker; return then which bound it is. May be repeated: seats that are all
        stored are stored again.
        """
        names = [_name_seat((one.table_id, one.seat)) for one in offers]
        said = [
            text
            for name, one in zip(names, offers, strict=True)
            for text in (name, one.token, one.bot_name, one.think_ms)
        ]
        account, network = bounds or (None, "")
        limits = "" if account is None else account, network
        arguments = [SEAT_PREFIX, TTL, LEASE, offers[0].account_id, offers[0].network, *limits, *said]
        keys = [DUE, WORKERS, ROOM, *map(build_key, names)]
        found = await repeat_call(lambda: self._await_reply(self._offer(keys=keys, args=arguments)))
        return Excess(found[0], int(found[1]), int(found[2])) if found else None

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
        """Return the number of further seats that present workers could play, beside those that wait."""
        return int(await self._await_reply(self._count(keys=[DUE, WORKERS, ROOM], args=[SEAT_PREFIX, LEASE])))

    async def count_seats_of(self, account_id: str) -> int:
        """Return how many seats are kept for house bots that this account asked for."""
        names = await self._await_reply(self._client.zrange(DUE, 0, -1))
        asked = self._client.pipeline(transaction=False)
        for name in names:
            asked.hget(build_key(name), "account")
        return (await self._await_reply(asked.execute())).count(account_id) if names else 0

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
