"""Seeks in Redis, shared by all replicas: each a hash, and a list of the open ones.

A seek is `open`, then `taken` by the replica that makes its table, then `seated`. Each of these steps is one
script, so that only one of two replicas takes a seek; if its answer is lost it is run again, and changes
nothing twice. A seek without a sign of life for `KEPT` is gone, also if the replica that served it has died;
Redis' clock is the only one used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct
from redis.exceptions import RedisError

from maumau.contest.ladder.time_control import TimeControl
from maumau.errors import AlreadySeeking, DatabaseUnavailable, QuotaReached, UnknownSeek
from services.shared.store import redis
from services.shared.store.repeat import repeat_call

OPEN: Final = "maumau:seeks:{all}:open"
KEPT: Final = 15_000  # ms for which a seek waits for its owner to return
HERE: Final = 5000  # ms without a sign of life after which a seek is not seated
STALLED: Final = 15_000  # ms after which another replica frees seeks whose table was not made
TTL: Final = 60  # seconds for which a key lives after its last change
MOST: Final = 2000  # open seeks of an arena

NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
"""
# KEYS seek, open seeks, those of the account, its rated one of this pool
# ARGV id, body, most of an account, most of all, ttl, kept, whether it is rated, prefix of keys
BEGIN = (
    NOW
    + """
if redis.call('HGET', KEYS[1], 'body') == ARGV[2] then return 'ok' end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[6])
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[3]) then return 'mine' end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then return 'all' end
if ARGV[7] == '1' then
  local other = redis.call('GET', KEYS[4])
  if other then
    local told = redis.call('HMGET', ARGV[8] .. other .. '}', 'state', 'here')
    if told[1] == 'taken' or (told[1] == 'open' and told[2] == '1') then return 'rated' end
  end
  redis.call('SET', KEYS[4], ARGV[1], 'EX', ARGV[5])
end
redis.call('HSET', KEYS[1], 'body', ARGV[2], 'state', 'open', 'since', text(now), 'seen', text(now),
  'here', 1)
redis.call('ZADD', KEYS[2], text(now), ARGV[1])
redis.call('ZADD', KEYS[3], text(now), ARGV[1])
for number = 1, 3 do redis.call('EXPIRE', KEYS[number], ARGV[5]) end
return 'ok'
"""
)
# KEYS seek, open seeks, those of the account, its rated one  ARGV id, whether its owner is there, ttl
TEND = (
    NOW
    + """
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return false end
redis.call('HSET', KEYS[1], 'here', ARGV[2])
if now < tonumber(redis.call('HGET', KEYS[1], 'since')) then  -- the clock was set back
  redis.call('HSET', KEYS[1], 'since', text(now))
end
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[1], 'seen', text(now))
  if state ~= 'seated' then
    redis.call('ZADD', KEYS[3], text(now), ARGV[1])
    for number = 1, 4 do redis.call('EXPIRE', KEYS[number], ARGV[3]) end
  end
end
local told = redis.call('HMGET', KEYS[1], 'since', 'seating')
return {state, text(now - told[1]), told[2] or ''}
"""
)
# KEYS seeks  ARGV mark of the match, ms of silence allowed
TAKE = (
    NOW
    + """
for _, seek in ipairs(KEYS) do
  local told = redis.call('HMGET', seek, 'state', 'seen', 'here', 'match')
  if told[1] == 'taken' and told[4] == ARGV[1] then return 1 end
  if told[1] ~= 'open' or told[3] ~= '1' or now - told[2] > tonumber(ARGV[2]) then return 0 end
end
for _, seek in ipairs(KEYS) do
  redis.call('HSET', seek, 'state', 'taken', 'match', ARGV[1], 'taken', text(now))
end
return 1
"""
)
# KEYS open seeks, then for each its hash, its account's list and its rated one
# ARGV mark, ttl, then for each id and seating
SEAT = """
for at = 2, #KEYS, 3 do
  local told = redis.call('HMGET', KEYS[at], 'state', 'match')
  if told[1] == 'seated' and told[2] == ARGV[1] then return 1 end
  if told[1] ~= 'taken' or told[2] ~= ARGV[1] then return 0 end
end
for at = 2, #KEYS, 3 do
  local place = 3 + (at - 2) / 3 * 2
  local id = ARGV[place]
  redis.call('HSET', KEYS[at], 'state', 'seated', 'seating', ARGV[place + 1])
  redis.call('EXPIRE', KEYS[at], ARGV[2])
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[at + 1], id)
  if redis.call('GET', KEYS[at + 2]) == id then redis.call('DEL', KEYS[at + 2]) end
end
return 1
"""
# KEYS seeks  ARGV mark
FREE = """
for _, seek in ipairs(KEYS) do
  local told = redis.call('HMGET', seek, 'state', 'match')
  if told[1] == 'taken' and told[2] == ARGV[1] then redis.call('HSET', seek, 'state', 'open') end
end
"""
# KEYS seek, open seeks, those of the account, its rated one  ARGV id, kept, stalled
SWEEP = (
    NOW
    + """
local told = redis.call('HMGET', KEYS[1], 'state', 'seen', 'taken')
for number, field in ipairs({'seen', 'taken'}) do  -- the clock was set back: it counts from now on
  if told[number + 1] and now < tonumber(told[number + 1]) then
    redis.call('HSET', KEYS[1], field, text(now))
    told[number + 1] = text(now)
  end
end
if told[1] == 'taken' and now - told[3] > tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[1], 'state', 'open')
  told[1] = 'open'
end
if not told[1] or (told[1] == 'open' and now - told[2] > tonumber(ARGV[2])) then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  if redis.call('GET', KEYS[4]) == ARGV[1] then redis.call('DEL', KEYS[4]) end
  return 1
end
return 0
"""
)


class Seek(Struct, frozen=True, kw_only=True):
    """A seek for a table. house_after: seconds; None: never. rating: of the program when the seek began.

    team: of the account, none of whose members is rated against another.
    """

    id: str
    rules: str
    options_json: str
    hash: str
    seats: int
    time: TimeControl
    account_id: str
    account_name: str
    bot_name: str
    rated: bool
    range: int
    rating: float
    house_after: float | None
    team: str = ""

    @property
    def pool(self) -> str:
        """The key of the game: equal for seeks that can meet."""
        clocks = self.time.bank_ms, self.time.increment_ms, self.time.window_ms
        said = f"{self.hash} {self.seats} {clocks} {self.rated}"
        return hashlib.sha256(said.encode()).hexdigest()[:20]


class Seating(Struct, frozen=True):
    """The seat given to a seek."""

    table_id: str
    seat: int
    token: str
    names: list[str]
    rated: bool


class SeekState(NamedTuple):
    """The state of a seek."""

    state: str
    waited_ms: int
    seating: Seating | None


class WaitingSeek(NamedTuple):
    """An open seek, and the time it has waited. here: whether it may be seated now."""

    seek: Seek
    waited_ms: int
    here: bool


def build_key(seek_id: str) -> str:
    return f"maumau:seek:{{{seek_id}}}"


def _build_keys(seek: Seek) -> list[str]:
    account = f"maumau:account:{{{seek.account_id}}}"
    return [build_key(seek.id), OPEN, f"{account}:seeks", f"{account}:rated:{seek.pool}"]


class Seeks:
    """Seeks in Redis. `client`: an asyncio client that never sends twice. most: open seeks of an account."""

    def __init__(self, client: Any, most: int) -> None:
        self._client, self.most = client, most
        self._begin, self._tend, self._take, self._seat, self._free, self._sweep = (
            client.register_script(script) for script in (BEGIN, TEND, TAKE, SEAT, FREE, SWEEP)
        )

    async def open_seek(self, seek: Seek) -> None:
        """Open a seek; raise QuotaReached, or AlreadySeeking if the account has such a rated one."""
        body = msgspec.json.encode(seek)
        prefix = build_key("").rstrip("}")
        arguments = [seek.id, body, self.most, MOST, TTL, KEPT, int(seek.rated), prefix]
        said = await self._run_script(self._begin, _build_keys(seek), arguments)
        if said == "mine":
            raise QuotaReached(
                f"You seek {self.most} tables already, as many as this arena allows an account."
            )
        if said == "all":
            raise QuotaReached(
                f"{MOST:,} seeks are open, as many as this arena has room for; try again later."
            )
        if said == "rated":
            raise AlreadySeeking(
                f"{seek.account_name} seeks a rated game of these rules and clocks already: no account is"
                " rated against itself, nor do two bots of one author sit at one rated table."
            )

    async def find_seek(self, seek_id: str) -> Seek:
        """Return a seek; raise UnknownSeek if it is gone."""
        body = await self._await_reply(self._client.hget(build_key(seek_id), "body"))
        if not body:
            raise UnknownSeek
        return msgspec.json.decode(body, type=Seek)

    async def tend_seeks(self, seeks: Sequence[Seek], *, here: bool = True) -> list[SeekState | None]:
        """Record whether the owners of seeks are present; return their standings, None for lost ones."""
        asked = self._client.pipeline(transaction=False)
        for seek in seeks:
            await self._tend(keys=_build_keys(seek), args=[seek.id, int(here), TTL], client=asked)
        found = await self._await_reply(asked.execute()) if seeks else []
        return [one and SeekState(one[0], int(one[1]), _read_seating(one[2])) for one in found]

    async def list_waiting(self) -> list[WaitingSeek]:
        """Return all open seeks, longest waiting first."""
        ids = await self._await_reply(self._client.zrange(OPEN, 0, MOST))
        asked = self._client.pipeline(transaction=False)
        asked.time()
        for seek_id in ids:
            asked.hmget(build_key(seek_id), "body", "state", "since", "seen", "here")
        time, *told = await self._await_reply(asked.execute())
        now = time[0] * 1000 + time[1] // 1000
        return [
            WaitingSeek(
                msgspec.json.decode(body, type=Seek),
                max(0, now - int(since)),
                state == "open" and here == "1" and now - int(seen) <= HERE,
            )
            for body, state, since, seen, here in told
            if body
        ]

    async def count_open(self) -> tuple[int, int | None]:
        """Return the number of open seeks, and the first one's waiting time in ms, or None."""
        found: tuple[int, int | None] = await self._await_reply(redis.count_since(self._client, OPEN))
        return found

    async def take_seeks(self, seek_ids: Sequence[str], mark: str) -> bool:
        """Take all of these seeks for a table of this replica, or none; return False if others had them."""
        return bool(await self._run_script(self._take, list(map(build_key, seek_ids)), [mark, HERE]))

    async def seat_seeks(self, seatings: Sequence[tuple[Seek, Seating]], mark: str) -> bool:
        """Give all of them their seats; return False if they are no longer this replica's."""
        keys, arguments = [OPEN], [mark, str(TTL)]
        for seek, seating in seatings:
            one, _, *mine = _build_keys(seek)
            keys += [one, *mine]
            arguments += [seek.id, msgspec.json.encode(seating).decode()]
        return bool(await self._run_script(self._seat, keys, arguments))

    async def free_seeks(self, seek_ids: Sequence[str], mark: str) -> None:
        """Reopen seeks whose table was not made."""
        await self._run_script(self._free, list(map(build_key, seek_ids)), [mark])

    async def sweep_seeks(self) -> int:
        """End seeks of absent owners, and free those of a dead replica; return the number ended."""
        ids = await self._await_reply(self._client.zrange(OPEN, 0, MOST))
        asked = self._client.pipeline(transaction=False)
        for seek_id in ids:
            asked.hget(build_key(seek_id), "body")
        bodies = dict(zip(ids, await self._await_reply(asked.execute()), strict=True))
        ended = self._client.pipeline(transaction=False)
        for seek_id, body in bodies.items():
            if body is None:
                ended.zrem(OPEN, seek_id)
                continue
            seek = msgspec.json.decode(body, type=Seek)
            await self._sweep(keys=_build_keys(seek), args=[seek.id, KEPT, STALLED], client=ended)
        return sum(map(int, await self._await_reply(ended.execute()))) if bodies else 0

    async def check_redis(self) -> None:
        """Raise an error unless Redis answers, and is a single server."""
        await redis.check_single(self._client)

    async def close(self) -> None:
        await self._client.aclose()

    async def _run_script(self, script: Any, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Return the reply of a script that may run twice; repeat it while Redis does not answer."""
        return await repeat_call(lambda: self._await_reply(script(keys=keys, args=arguments)))

    async def _await_reply(self, answer: Any) -> Any:
        try:
            return await answer
        except RedisError as error:
            raise DatabaseUnavailable(f"The arena's seeks cannot be reached just now ({error}).") from error


def _read_seating(text: str) -> Seating | None:
    return msgspec.json.decode(text, type=Seating) if text else None
