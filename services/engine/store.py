"""Tables in Redis: for each a hash with its head and how it stands, and a stream, its log.

All that changes a table is one script, which reads Redis' clock and nobody else's. It writes entry, clock and
deadline together, or nothing. Entry n of a log has the id `n-0`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
from redis.exceptions import RedisError

from maumau.errors import DatabaseUnavailable, QuotaReached, UnknownTable
from services.engine.table import Entry, Head
from services.shared import redis

OPEN, ENDED, NEWS = "maumau:tables:{all}:open", "maumau:tables:{all}:ended", "maumau:tables:{all}:news"
"""Open tables by deadline, ended ones by when; and a stream that says which table has changed."""
UNREPORTED: Final = "maumau:tables:{all}:unreported"
"""Tables that are over, by when, whose result the matchmaking service has not yet said to have kept."""
TTL: Final = 2 * 86_400  # seconds that a table is kept after its last change
LISTED: Final = 10_000  # ended tables that are listed
MOST: Final = 1000  # tables looked after at once
MINE: Final = 20  # open tables of an account
MAKING: Final = 60_000  # ms in which a table that is not there is still being made
FIELDS: Final = ("state", "length", "asked", "window", "began", "deadline", "offset", "at", "joined")

Outcome = Literal["ok", "repeat", "gone", "ended", "stale", "late", "early", "replaced", "waiting"]

# KEYS table, log, operations, open tables, ended tables, news, unreported tables
# ARGV 1 what: join, play, expire, close  2 table  3 expected length  4 seat  5 operation  6 stream  7 entry
#      8 state after it  9 seats asked after it  10 whether in a window  11 whether the question stays
#      12 seats to come  13 ttl  14 listed  15 whether it is a flag
SCRIPT = """
local f = redis.call('HMGET', KEYS[1], 'state', 'length', 'asked', 'window',
  'began', 'deadline', 'offset', 'at')
if not f[1] then return {'gone'} end
local state, length, window = f[1], tonumber(f[2]), f[4] == '1'
local began, deadline, offset = tonumber(f[5]), tonumber(f[6]), tonumber(f[7])
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
if clock + offset < tonumber(f[8]) then  -- it was set back: this table's time goes on from where it was
  offset = tonumber(f[8]) - clock
end
local now = clock + offset
redis.call('HSET', KEYS[1], 'at', string.format('%.0f', now), 'offset', string.format('%.0f', offset))
local what, seat = ARGV[1], ARGV[4]
local function say(outcome)
  local bank = seat ~= '-1' and redis.call('HGET', KEYS[1], 'bank:' .. seat) or '0'
  return {outcome, length, string.format('%.0f', deadline - now), bank or '0', string.format('%.0f', now)}
end
if what == 'play' then
  local done = redis.call('HGET', KEYS[3], seat .. ':' .. ARGV[5])
  if done then return {'repeat', tonumber(done), '0', '0', '0'} end
end
if state ~= 'playing' and state ~= 'waiting' then return say('ended') end
if what == 'join' then
  redis.call('HSET', KEYS[1], 'stream:' .. seat, ARGV[6])
  local joined = redis.call('HGET', KEYS[1], 'joined')
  if not string.find(',' .. joined .. ',', ',' .. seat .. ',', 1, true) then
    joined = joined == '' and seat or joined .. ',' .. seat
    redis.call('HSET', KEYS[1], 'joined', joined)
  end
  local _, commas = string.gsub(joined, ',', '')
  if state == 'waiting' and commas + 1 == tonumber(ARGV[12]) then
    state, began = 'playing', now
    if window then deadline = now + redis.call('HGET', KEYS[1], 'window_ms')
    else deadline = now + redis.call('HGET', KEYS[1], 'bank:' .. f[3]) end
    redis.call('HSET', KEYS[1], 'state', state, 'began', string.format('%.0f', began),
      'deadline', string.format('%.0f', deadline))
    redis.call('ZADD', KEYS[4], string.format('%.0f', deadline - offset), ARGV[2])
  end
  redis.call('XADD', KEYS[6], 'MAXLEN', '~', 10000, '*', 'table', ARGV[2], 'length', -1)
  redis.call('EXPIRE', KEYS[6], ARGV[13])
  return say('ok')
end
if what ~= 'close' and tonumber(ARGV[3]) ~= length then return say('stale') end
local used = math.max(0, now - began)
if what == 'play' then
  if state == 'waiting' then return say('waiting') end
  if redis.call('HGET', KEYS[1], 'stream:' .. seat) ~= ARGV[6] then return say('replaced') end
  if now > deadline then return say('late') end
  if not window then
    local more = redis.call('HGET', KEYS[1], 'increment_ms')
    local left = redis.call('HGET', KEYS[1], 'bank:' .. seat) - used + more
    redis.call('HSET', KEYS[1], 'bank:' .. seat, string.format('%.0f', left))
  end
elseif what == 'expire' then
  if now <= deadline then
    redis.call('ZADD', KEYS[4], string.format('%.0f', deadline - offset), ARGV[2])
    return say('early')
  end
  if ARGV[15] == '1' then redis.call('HSET', KEYS[1], 'bank:' .. seat, 0) end
end
length = length + 1
redis.call('XADD', KEYS[2], length .. '-0', 'entry', ARGV[7], 'at', string.format('%.0f', now))
if what == 'play' then redis.call('HSET', KEYS[3], seat .. ':' .. ARGV[5], length) end
if ARGV[11] ~= '1' then
  began = now
  if ARGV[8] ~= 'playing' then deadline = now
  elseif ARGV[10] == '1' then deadline = now + redis.call('HGET', KEYS[1], 'window_ms')
  else deadline = now + redis.call('HGET', KEYS[1], 'bank:' .. ARGV[9]) end
end
redis.call('HSET', KEYS[1], 'state', ARGV[8], 'length', length, 'asked', ARGV[9], 'window', ARGV[10],
  'began', string.format('%.0f', began), 'deadline', string.format('%.0f', deadline))
if ARGV[8] == 'playing' then redis.call('ZADD', KEYS[4], string.format('%.0f', deadline - offset), ARGV[2])
else
  redis.call('ZREM', KEYS[4], ARGV[2])
  redis.call('ZADD', KEYS[5], string.format('%.0f', clock), ARGV[2])
  redis.call('ZREMRANGEBYRANK', KEYS[5], 0, -1 - ARGV[14])
  redis.call('EXPIRE', KEYS[5], ARGV[13])
  if ARGV[8] == 'over' and redis.call('HGET', KEYS[1], 'report') == '1' then
    redis.call('ZADD', KEYS[7], string.format('%.0f', clock), ARGV[2])
    redis.call('EXPIRE', KEYS[7], ARGV[13])
  end
end
redis.call('XADD', KEYS[6], 'MAXLEN', '~', 10000, '*', 'table', ARGV[2], 'length', length)
for number = 1, 4 do redis.call('EXPIRE', KEYS[number], ARGV[13]) end
redis.call('EXPIRE', KEYS[6], ARGV[13])
return say('ok')
"""


class Standing(NamedTuple):
    """How a table stands. left_ms: until its deadline; banks_ms: as they were when the question was asked."""

    state: str
    length: int
    left_ms: int
    ran_ms: int
    banks_ms: list[int]
    joined: list[int]
    streams: list[str]


class Logged(NamedTuple):
    """An entry, and the table's time when it was made, in ms."""

    entry: Entry
    at: int


class Change(NamedTuple):
    """What is to be done at a table, and what follows from it.

    what: join, play, expire, close. same: the question stays, with its deadline.
    """

    what: str
    table_id: str
    seats: int
    expected: int = 0
    seat: int = -1
    op: str = ""
    stream: str = ""
    entry: Entry | None = None
    state: str = "playing"
    asked: Sequence[int] = ()
    window: bool = False
    same: bool = False


class Done(NamedTuple):
    """What the script said; bank_ms: what the seat has left; now_ms: the table's time."""

    outcome: Outcome
    length: int = 0
    left_ms: int = 0
    bank_ms: int = 0
    now_ms: int = 0


def key(table_id: str, part: str = "") -> str:
    return f"maumau:table:{{{table_id}}}" + (f":{part}" if part else "")


class Tables:
    """`client` is an asyncio client that never sends twice, `reader` one without a socket timeout."""

    def __init__(self, client: Any, reader: Any) -> None:
        self._client, self._reader = client, reader
        self._script = client.register_script(SCRIPT)
        self._latest = 0

    async def create(self, head: Head, asked: Sequence[int], *, window: bool) -> None:
        """A table that waits for its seats."""
        time = await self._asked(self._client.time())
        now = time[0] * 1000 + time[1] // 1000
        deadline = now + head.time.join_ms
        banks = {f"bank:{seat}": head.time.bank_ms for seat in range(head.seats)}
        fields = {
            "head": msgspec.json.encode(head), "state": "waiting", "length": 0, "asked": _listed(asked),
            "window": int(window), "began": now, "deadline": deadline, "offset": 0, "at": now, "joined": "",
            "increment_ms": head.time.increment_ms, "window_ms": head.time.window_ms,
            "report": int(bool(head.players)), **banks,
        }  # fmt: skip
        made = self._client.pipeline(transaction=True)
        made.hset(key(head.id), mapping=fields)
        made.expire(key(head.id), TTL)
        made.zadd(OPEN, {head.id: deadline})
        made.expire(OPEN, TTL)
        await self._asked(made.execute())

    async def change(self, change: Change) -> Done:
        """Runs the script."""
        parts = [key(change.table_id), key(change.table_id, "log"), key(change.table_id, "ops")]
        entry = b"" if change.entry is None else msgspec.json.encode(change.entry)
        arguments = [
            change.what, change.table_id, change.expected, change.seat, change.op, change.stream, entry,
            change.state, _listed(change.asked), int(change.window), int(change.same), change.seats, TTL,
            LISTED, int(change.entry is not None and change.entry.kind == "flag"),
        ]  # fmt: skip
        found = await self._asked(self._script(keys=[*parts, OPEN, ENDED, NEWS, UNREPORTED], args=arguments))
        return Done(*([found[0], *map(int, found[1:])]))

    async def head(self, table_id: str) -> Head:
        """UnknownTable if there is none."""
        found = await self._asked(self._client.hget(key(table_id), "head"))
        if not found:
            raise UnknownTable(thing=table_id)
        return msgspec.json.decode(found, type=Head)

    async def heads(self, table_ids: Sequence[str]) -> list[Head]:
        """Of those that are there."""
        asked = self._client.pipeline(transaction=False)
        for table_id in table_ids:
            asked.hget(key(table_id), "head")
        found = await self._asked(asked.execute())
        return [msgspec.json.decode(head, type=Head) for head in found if head]

    async def read(self, table_id: str, seats: int, after: int) -> tuple[Standing, list[Logged]]:
        """How a table stands, and the entries after so many. UnknownTable if it is gone."""
        numbers = range(seats)
        fields = [*FIELDS, *(f"bank:{seat}" for seat in numbers), *(f"stream:{seat}" for seat in numbers)]
        asked = self._client.pipeline(transaction=True)
        asked.time()
        asked.hmget(key(table_id), fields)
        asked.xrange(key(table_id, "log"), min=f"({after}-0")
        time, values, found = await self._asked(asked.execute())
        if values[0] is None:
            raise UnknownTable(thing=table_id)
        entries = [Logged(msgspec.json.decode(e["entry"], type=Entry), int(e["at"])) for _, e in found]
        told = dict(zip(fields, values, strict=True))
        now = max(time[0] * 1000 + time[1] // 1000 + int(told["offset"]), int(told["at"]))
        return _standing(told, numbers, now), entries

    async def now(self, table_id: str) -> int:
        """The table's time in ms; UnknownTable if it is gone."""
        asked = self._client.pipeline(transaction=True)
        asked.time()
        asked.hmget(key(table_id), ("offset", "at"))
        time, (offset, at) = await self._asked(asked.execute())
        if offset is None:
            raise UnknownTable(thing=table_id)
        now: int = time[0] * 1000 + time[1] // 1000 + int(offset)
        return max(now, int(at))

    async def due(self, grace_ms: int) -> list[str]:
        """Open tables whose deadline was so long ago."""
        time = await self._asked(self._client.time())
        now, before = time[0] * 1000 + time[1] // 1000, self._latest
        self._latest = now
        # Redis' clock was set back: each table is asked, so that its own time goes on
        last = "+inf" if now < before - grace_ms else now - grace_ms
        return list(await self._asked(self._client.zrangebyscore(OPEN, "-inf", last, start=0, num=MOST)))

    async def forget(self, table_id: str) -> None:
        """It is gone: it is listed no more."""
        await self._asked(self._client.zrem(OPEN, table_id))

    async def unreported(self, grace_ms: int) -> list[str]:
        """Tables that have been over for so long and whose result is not kept."""
        time = await self._asked(self._client.time())
        now = time[0] * 1000 + time[1] // 1000
        parts = ("-inf", now - grace_ms), (f"({now}", "+inf")  # the latter if the clock was set back
        found = [
            await self._asked(self._client.zrangebyscore(UNREPORTED, *part, start=0, num=MOST))
            for part in parts
        ]
        return [table_id for part in found for table_id in part]

    async def mark_reported(self, table_id: str) -> None:
        """Its result is kept."""
        await self._asked(self._client.zrem(UNREPORTED, table_id))

    async def list_open(self) -> dict[str, list[str]]:
        """The ids of open tables by their state, the oldest first."""
        ids = sorted(await self._asked(self._client.zrange(OPEN, 0, LISTED)))
        asked = self._client.pipeline(transaction=False)
        for table_id in ids:
            asked.hget(key(table_id), "state")
        found: dict[str, list[str]] = {}
        for table_id, state in zip(ids, await self._asked(asked.execute()), strict=True):
            found.setdefault(state or "", []).append(table_id)
        return found

    async def find_age(self, table_id: str) -> int | None:
        """How many ms ago a table was made, by Redis' clock; None if it is gone."""
        heads, time = await self.heads([table_id]), await self._asked(self._client.time())
        now = time[0] * 1000 + time[1] // 1000
        return max(0, now - heads[0].created_at) if heads else None

    async def count_unreported(self) -> tuple[int, int | None]:
        """How many results are not kept, and how many ms ago the first of these tables was over, or None."""
        found: tuple[int, int | None] = await self._asked(redis.count_since(self._client, UNREPORTED))
        return found

    async def listed(self, *, ended: bool) -> list[str]:
        """The ids of tables, newest first."""
        return sorted(await self._asked(self._client.zrange(ENDED if ended else OPEN, 0, -1)), reverse=True)

    async def hold(self, account_id: str, table_id: str, now: int) -> None:
        """Counts a table that is about to be made for an account; QuotaReached if it has too many.

        It is counted before the others are, so that of two that are made at once each sees the other.
        """
        mine = f"maumau:account:{{{account_id}}}:tables"
        await self._asked(self._client.zadd(mine, {table_id: now}))
        await self._asked(self._client.expire(mine, TTL))
        known = await self._asked(self._client.zrange(mine, 0, -1, withscores=True))
        asked = self._client.pipeline(transaction=False)
        for other, _ in known:
            asked.hget(key(other), "state")
        states = zip(known, await self._asked(asked.execute()), strict=True)
        ended = [
            one for (one, since), state in states
            if state not in ("waiting", "playing") and (state or since < now - MAKING)
        ]  # fmt: skip
        too_many = len(known) - len(ended) > MINE
        if gone := [*ended, *([table_id] if too_many else [])]:
            await self._asked(self._client.zrem(mine, *gone))
        if too_many:
            words = f"You have {MINE} open tables, as many as this arena allows; end one first."
            raise QuotaReached(words, quota="open tables")

    async def states(self, table_ids: Sequence[str]) -> dict[str, int]:
        """The lengths of those that are there."""
        asked = self._client.pipeline(transaction=False)
        for table_id in table_ids:
            asked.hget(key(table_id), "length")
        found = await self._asked(asked.execute())
        return {name: int(value) for name, value in zip(table_ids, found, strict=True) if value is not None}

    async def news(self, after: str, wait_ms: int) -> tuple[str, dict[str, int]]:
        """The last entry of the news, and the tables that changed after another one, with their lengths.

        -1: somebody has come to a seat.
        """
        found = await self._asked(self._reader.xread({NEWS: after}, count=MOST, block=wait_ms))
        entries = found[0][1] if found else []
        changed: dict[str, int] = {}
        for _, fields in entries:
            length = int(fields["length"])
            changed[fields["table"]] = -1 if length < 0 else max(length, changed.get(fields["table"], 0))
        return (entries[-1][0] if entries else after), changed

    async def last_news(self) -> str:
        """The newest entry of the news."""
        found = await self._asked(self._client.xrevrange(NEWS, count=1))
        return str(found[0][0]) if found else "0"

    async def check(self) -> None:
        """Raises RedisError unless Redis answers."""
        await self._client.ping()

    async def close(self) -> None:
        await self._client.aclose()
        await self._reader.aclose()

    async def _asked(self, answer: Any) -> Any:
        try:
            return await answer
        except RedisError as error:
            raise DatabaseUnavailable(f"The arena's tables cannot be reached just now ({error}).") from error


def _standing(told: dict[str, Any], numbers: range, now: int) -> Standing:
    return Standing(
        state=told["state"],
        length=int(told["length"]),
        left_ms=int(told["deadline"]) - now,
        ran_ms=now - int(told["began"]),
        banks_ms=[int(told[f"bank:{seat}"]) for seat in numbers],
        joined=[int(seat) for seat in told["joined"].split(",") if seat],
        streams=[told[f"stream:{seat}"] or "" for seat in numbers],
    )


def _listed(seats: Sequence[int]) -> str:
    return ",".join(map(str, seats))
