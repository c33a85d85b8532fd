"""Tables in Redis: for each a hash with its head and state, and a stream, its log.

Every change of a table is one script, which uses only Redis' clock. It writes entry, clock and
deadline together, or nothing. Entry n of a log has the id `n-0`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import msgspec
from redis.exceptions import RedisError

from maumau.errors import DatabaseUnavailable, QuotaReached, UnknownTable
from services.engine import script
from services.engine.table import Done, Logged, TableChange, TableEntry, TableHead, TableState
from services.shared.base.auth import GUEST_PREFIX, NETWORK_PREFIX
from services.shared.store import redis

OPEN, ENDED, NEWS = "maumau:tables:{all}:open", "maumau:tables:{all}:ended", "maumau:tables:{all}:news"
"""Open tables by deadline, ended ones by time of the end; and a stream of the tables that have changed."""
UNREPORTED: Final = "maumau:tables:{all}:unreported"
"""Tables that are over, by time, whose result the matchmaking service has not confirmed yet."""
DAY: Final = 86_400  # seconds
TTL: Final = 2 * DAY  # for which a table is kept after its last change
GUEST_TTL: Final = DAY  # for which one is at which somebody without an account plays
LISTED: Final = 10_000  # ended tables that are listed
MOST: Final = 1000  # tables handled at a time
MINE: Final = 20  # most open tables of an account
NETWORK: Final = 120  # and of all guests who come from one network, such as a school class
MAKING: Final = 60_000  # ms for which a table that does not exist may still be in the making
PARTS: Final = ("bank", "stream", "name", "bot", "claim")  # fields of each seat
FIELDS: Final = ("state", "length", "asked", "window", "began", "deadline", "offset", "at", "joined")


def build_key(table_id: str, part: str = "") -> str:
    return f"maumau:table:{{{table_id}}}" + (f":{part}" if part else "")


def _key_of_day(day: date, part: str) -> str:
    return f"maumau:day:{{{day.isoformat()}}}:{part}"


class TableStore:
    """Tables in Redis. `client`: asyncio, never sends twice; `reader`: without a socket timeout."""

    def __init__(self, client: Any, reader: Any) -> None:
        self._client, self._reader = client, reader
        self._script, self._attempt = (
            client.register_script(script.CHANGE),
            client.register_script(script.ATTEMPT),
        )
        self._latest = 0

    async def create_table(self, head: TableHead, asked: Sequence[int], *, window: bool) -> None:
        """Store a new table, which waits for its seats."""
        time = await self._await_reply(self._client.time())
        now = time[0] * 1000 + time[1] // 1000
        deadline = now + head.time.join_ms
        banks = {f"bank:{seat}": head.time.bank_ms for seat in range(head.seats)}
        play = {"head": msgspec.json.encode(head), "state": "waiting", "length": 0, "joined": ""}
        is_guests = head.account_id.startswith(GUEST_PREFIX)
        question = {"asked": _join_seats(asked), "window": int(window), "report": int(bool(head.players))}
        clock = {"began": now, "deadline": deadline, "offset": 0, "at": now, **banks}
        terms = {"increment_ms": head.time.increment_ms, "window_ms": head.time.window_ms}
        made = self._client.pipeline(transaction=True)
        made.hset(build_key(head.id), mapping={**play, **question, **clock, **terms, "guest": int(is_guests)})
        made.expire(build_key(head.id), GUEST_TTL if is_guests else TTL)
        made.zadd(OPEN, {head.id: deadline})
        made.expire(OPEN, TTL)
        await self._await_reply(made.execute())

    async def run_change(self, change: TableChange) -> Done:
        """Run the script."""
        parts = [
            build_key(change.table_id),
            build_key(change.table_id, "log"),
            build_key(change.table_id, "ops"),
        ]
        entry = b"" if change.entry is None else msgspec.json.encode(change.entry)
        is_flag = change.entry is not None and change.entry.kind == "flag"
        arguments = [
            *(change.what, change.table_id, change.expected, change.seat, change.op, change.stream),
            *(entry, change.state, _join_seats(change.asked), int(change.window), int(change.same)),
            *(change.seats, TTL, LISTED, int(is_flag), *change.who, GUEST_TTL),
        ]
        found = await self._await_reply(
            self._script(keys=[*parts, OPEN, ENDED, NEWS, UNREPORTED], args=arguments)
        )
        return Done(*([found[0], *map(int, found[1:])]))

    async def read_head(self, table_id: str) -> TableHead:
        """Return a table's head; raise UnknownTable if there is none."""
        found = await self._await_reply(self._client.hget(build_key(table_id), "head"))
        if not found:
            raise UnknownTable(thing=table_id)
        return msgspec.json.decode(found, type=TableHead)

    async def read_heads(self, table_ids: Sequence[str]) -> list[TableHead]:
        """Return the heads of those tables that exist."""
        asked = self._client.pipeline(transaction=False)
        for table_id in table_ids:
            asked.hget(build_key(table_id), "head")
        found = await self._await_reply(asked.execute())
        return [msgspec.json.decode(head, type=TableHead) for head in found if head]

    async def read(self, table_id: str, seats: int, after: int) -> tuple[TableState, list[Logged]]:
        """Return a table's state, and its entries after `after`; raise UnknownTable if it is gone."""
        numbers = range(seats)
        fields = [*FIELDS, *(f"{part}:{seat}" for part in PARTS for seat in numbers)]
        asked = self._client.pipeline(transaction=True)
        asked.time()
        asked.hmget(build_key(table_id), fields)
        asked.xrange(build_key(table_id, "log"), min=f"({after}-0")
        time, values, found = await self._await_reply(asked.execute())
        if values[0] is None:
            raise UnknownTable(thing=table_id)
        entries = [Logged(msgspec.json.decode(e["entry"], type=TableEntry), int(e["at"])) for _, e in found]
        told = dict(zip(fields, values, strict=True))
        now = max(time[0] * 1000 + time[1] // 1000 + int(told["offset"]), int(told["at"]))
        return _read_standing(told, numbers, now), entries

    async def read_time(self, table_id: str) -> int:
        """Return the table's time in ms; raise UnknownTable if it is gone."""
        asked = self._client.pipeline(transaction=True)
        asked.time()
        asked.hmget(build_key(table_id), ("offset", "at"))
        time, (offset, at) = await self._await_reply(asked.execute())
        if offset is None:
            raise UnknownTable(thing=table_id)
        now: int = time[0] * 1000 + time[1] // 1000 + int(offset)
        return max(now, int(at))

    async def list_due(self, grace_ms: int) -> list[str]:
        """Return open tables whose deadline expired at least this long ago."""
        time = await self._await_reply(self._client.time())
        now, before = time[0] * 1000 + time[1] // 1000, self._latest
        self._latest = now
        # Redis' clock was set back: each table is asked, so that its own time goes on
        last = "+inf" if now < before - grace_ms else now - grace_ms
        return list(
            await self._await_reply(self._client.zrangebyscore(OPEN, "-inf", last, start=0, num=MOST))
        )

    async def forget_table(self, table_id: str) -> None:
        """Remove a table that is gone from the list."""
        await self._await_reply(self._client.zrem(OPEN, table_id))

    async def list_unreported(self, grace_ms: int) -> list[str]:
        """Return tables that have been over for this long and whose result is not confirmed."""
        time = await self._await_reply(self._client.time())
        now = time[0] * 1000 + time[1] // 1000
        parts = ("-inf", now - grace_ms), (f"({now}", "+inf")  # the latter after a clock set back
        found = [
            await self._await_reply(self._client.zrangebyscore(UNREPORTED, *part, start=0, num=MOST))
            for part in parts
        ]
        return [table_id for part in found for table_id in part]

    async def mark_reported(self, table_id: str) -> None:
        """Mark a table's result as confirmed."""
        await self._await_reply(self._client.zrem(UNREPORTED, table_id))

    async def list_open(self) -> dict[str, list[str]]:
        """Return the ids of open tables by state, oldest first."""
        ids = sorted(await self._await_reply(self._client.zrange(OPEN, 0, LISTED)))
        asked = self._client.pipeline(transaction=False)
        for table_id in ids:
            asked.hget(build_key(table_id), "state")
        found: dict[str, list[str]] = {}
        for table_id, state in zip(ids, await self._await_reply(asked.execute()), strict=True):
            found.setdefault(state or "", []).append(table_id)
        return found

    async def find_age(self, table_id: str) -> int | None:
        """Return a table's age in ms, by Redis' clock; None if it is gone."""
        heads, time = await self.read_heads([table_id]), await self._await_reply(self._client.time())
        now = time[0] * 1000 + time[1] // 1000
        return max(0, now - heads[0].created_at) if heads else None

    async def count_unreported(self) -> tuple[int, int | None]:
        """Return the number of unconfirmed results, and how many ms ago the first table ended, or None."""
        found: tuple[int, int | None] = await self._await_reply(redis.count_since(self._client, UNREPORTED))
        return found

    async def list_tables(self, *, ended: bool) -> list[str]:
        """Return the ids of tables, newest first."""
        return sorted(
            await self._await_reply(self._client.zrange(ENDED if ended else OPEN, 0, -1)), reverse=True
        )

    async def reserve_table(self, account_id: str, table_id: str, now: int) -> None:
        """Count a table about to be made for an account; raise QuotaReached if it has too many."""
        if not await self._try_reserve(account_id, table_id, now, MINE):
            words = f"You have {MINE} open tables, as many as this arena allows; end one first."
            raise QuotaReached(words, quota="open tables")

    async def hold_for_network(self, network: str, table_id: str, now: int) -> None:
        """Count a guest's table for the guest's network, too; raise QuotaReached if that has too many."""
        if not await self._try_reserve(network, table_id, now, NETWORK):
            words = (
                f"Guests from your network have {NETWORK} open tables, as many as allowed: log in, or wait."
            )
            raise QuotaReached(words, quota="open tables of a network")

    async def _try_reserve(self, account_id: str, table_id: str, now: int, most: int) -> bool:
        """Count a table for an owner; return False, and do not count it, if the owner has too many.

        It is counted before the others are, so that of two concurrent ones each sees the other.
        """
        mine = f"maumau:account:{{{account_id}}}:tables"
        await self._await_reply(self._client.zadd(mine, {table_id: now}))
        is_guests = account_id.startswith((GUEST_PREFIX, NETWORK_PREFIX))
        await self._await_reply(self._client.expire(mine, DAY if is_guests else TTL))
        known = await self._await_reply(self._client.zrange(mine, 0, -1, withscores=True))
        asked = self._client.pipeline(transaction=False)
        for other, _ in known:
            asked.hget(build_key(other), "state")
        states = zip(known, await self._await_reply(asked.execute()), strict=True)
        ended = [
            one
            for (one, since), state in states
            if state not in ("waiting", "playing") and (state or since < now - MAKING)
        ]
        too_many = len(known) - len(ended) > most
        if gone := [*ended, *([table_id] if too_many else [])]:
            await self._await_reply(self._client.zrem(mine, *gone))
        return not too_many

    async def hold_attempt(self, day: date, owner: str, table_id: str, instead: str = "") -> str:
        """Count a table about to be made as its owner's attempt at the deal of a day, and return "".

        It is kept a day longer than needed, as Redis may have another time than this replica.
        If the owner has made one, return that table, and count nothing, unless it is `instead`.
        """
        begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
        ends = [int((begin + timedelta(days=days)).timestamp()) for days in (2, 3)]
        keys = [_key_of_day(day, "owners"), _key_of_day(day, "tables")]
        return str(await self._await_reply(self._attempt(keys=keys, args=[owner, table_id, instead, *ends])))

    async def list_attempts(self, day: date) -> list[str]:
        """Return the ids of the tables that are attempts at the deal of a day, newest first."""
        return sorted(
            await self._await_reply(self._client.smembers(_key_of_day(day, "tables"))), reverse=True
        )

    async def read_lengths(self, table_ids: Sequence[str]) -> dict[str, int]:
        """Return the lengths of those tables that exist."""
        asked = self._client.pipeline(transaction=False)
        for table_id in table_ids:
            asked.hget(build_key(table_id), "length")
        found = await self._await_reply(asked.execute())
        return {name: int(value) for name, value in zip(table_ids, found, strict=True) if value is not None}

    async def await_news(self, after: str, wait_ms: int) -> tuple[str, dict[str, int]]:
        """Return the last entry of the news, and the tables changed after `after`, with their lengths.

        A length of -1 means that a seat was taken.
        """
        found = await self._await_reply(self._reader.xread({NEWS: after}, count=MOST, block=wait_ms))
        entries = found[0][1] if found else []
        changed: dict[str, int] = {}
        for _, fields in entries:
            length = int(fields["length"])
            changed[fields["table"]] = -1 if length < 0 else max(length, changed.get(fields["table"], 0))
        return (entries[-1][0] if entries else after), changed

    async def last_news(self) -> str:
        """Return the newest entry of the news."""
        found = await self._await_reply(self._client.xrevrange(NEWS, count=1))
        return str(found[0][0]) if found else "0"

    async def check_redis(self) -> None:
        """Raise an error unless Redis answers, and is a single server."""
        await redis.check_single(self._client)

    async def close(self) -> None:
        await self._client.aclose()
        await self._reader.aclose()

    async def _await_reply(self, answer: Any) -> Any:
        try:
            return await answer
        except RedisError as error:
            raise DatabaseUnavailable(f"The arena's tables cannot be reached just now ({error}).") from error


def _read_standing(told: dict[str, Any], numbers: range, now: int) -> TableState:
    return TableState(
        state=told["state"],
        length=int(told["length"]),
        left_ms=int(told["deadline"]) - now,
        ran_ms=now - int(told["began"]),
        banks_ms=[int(told[f"bank:{seat}"]) for seat in numbers],
        joined=[int(seat) for seat in told["joined"].split(",") if seat],
        streams=[told[f"stream:{seat}"] or "" for seat in numbers],
        accounts=[told[f"name:{seat}"] or "" for seat in numbers],
        bots=[told[f"bot:{seat}"] or "" for seat in numbers],
        claims=[told[f"claim:{seat}"] or "" for seat in numbers],
    )


def _join_seats(seats: Sequence[int]) -> str:
    return ",".join(map(str, seats))
