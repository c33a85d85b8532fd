"""Streams in Redis that watchers read by cursor.

All of Redis may be lost, at any time. A watcher notices by the stream's epoch, a random word made with its
first entry. A cursor is EPOCH/ENTRY.
"""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

CURSOR = re.compile(r"[0-9a-f]{8}/[0-9]{1,18}-[0-9]{1,18}")
MAX_ENTRIES = 500  # that are read at once
TOLD_SECONDS = 3600  # that the number of a told entry is remembered

# KEYS stream, epoch, and for each entry that has a number where it is remembered
# ARGV epoch, longest, ttl, memory, entries; one counts as told only after it has been appended
APPEND = """
for place = 1, #ARGV - 4 do
  local told = KEYS[2 + place]
  if not told or redis.call('EXISTS', told) == 0 then
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'entry', ARGV[4 + place])
    redis.call('SET', KEYS[2], ARGV[1], 'NX')
    if told then redis.call('SET', told, 1, 'EX', ARGV[4]) end
  end
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
"""


class Stream(NamedTuple):
    """What happens in a tournament or a match. longest: entries; ttl: seconds after the last one."""

    noun: str
    ident: str
    name: str
    longest: int
    ttl: int

    def key(self, part: str) -> str:
        return f"maumau:{self.noun}:{{{self.ident}}}:{part}"


class Entries(NamedTuple):
    """What came after a cursor. lost: something between is gone, or the cursor is from before a loss."""

    entries: list[tuple[str, str]]
    lost: bool
    cursor: str


class Writer:
    """Appends entries; `client` is a Redis client, of either kind, that never sends twice."""

    def __init__(self, client: Any) -> None:
        self._append = client.register_script(APPEND)

    def append(self, stream: Stream, entry: bytes) -> Any:
        """Awaitable if the client is."""
        return self._run(stream, [entry], [])

    def append_once(self, stream: Stream, entries: Mapping[int, bytes]) -> Any:
        """In this order, each once by its number however often this is called; awaitable if the client is."""
        return self._run(stream, entries.values(), [f"told:{number}" for number in entries])

    def _run(self, stream: Stream, entries: Iterable[bytes], told: Sequence[str]) -> Any:
        keys = [stream.key(part) for part in (stream.name, "epoch", *told)]
        return self._append(keys, [secrets.token_hex(4), stream.longest, stream.ttl, TOLD_SECONDS, *entries])


class Reader:
    """Reads streams; `client` is an asyncio client without a socket timeout, for reads that wait."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def close(self) -> None:
        await self.client.aclose()

    async def read(self, stream: Stream, cursor: str, wait_ms: int) -> Entries:
        """What comes after the cursor, waiting for it; "" reads from the oldest entry known."""
        epoch, lost = await self._opened(stream, cursor)
        if lost:
            return Entries([], lost=True, cursor="")
        key, after = stream.key(stream.name), cursor.partition("/")[2]
        found = await self.client.xread({key: after or "0"}, count=MAX_ENTRIES, block=wait_ms)
        now = await self._epoch(stream) if found else epoch
        if epoch not in {"", now}:  # all was lost while it waited, and this is the beginning of something new
            return Entries([], lost=True, cursor="")
        return _entries(now, cursor, found[0][1] if found else [])

    async def read_until(self, stream: Stream, cursor: str, end: str) -> Entries:
        """The first of what comes after the cursor and not after `end`, both as they were given."""
        epoch, lost = await self._opened(stream, cursor)
        if lost:
            return Entries([], lost=True, cursor="")
        key, after, last = stream.key(stream.name), cursor.partition("/")[2], end.partition("/")[2]
        if not last:
            return Entries([], lost=False, cursor=cursor)
        found = await self.client.xrange(key, min=f"({after}" if after else "-", max=last, count=MAX_ENTRIES)
        return _entries(epoch, cursor, found)

    async def last(self, stream: Stream) -> str:
        """The cursor of the newest entry; empty if there is none."""
        found = await self.client.xrevrange(stream.key(stream.name), count=1)
        return f"{await self._epoch(stream)}/{found[0][0]}" if found else ""

    async def _opened(self, stream: Stream, cursor: str) -> tuple[str, bool]:
        """The stream's epoch, and whether it is not the cursor's any more, or something between was cut."""
        if cursor and not CURSOR.fullmatch(cursor):
            return "", True
        epoch, _, after = cursor.partition("/")
        now = await self._epoch(stream)
        return now, epoch not in {"", now} or bool(after and await self._is_cut(stream, after))

    async def _epoch(self, stream: Stream) -> str:
        return str(await self.client.get(stream.key("epoch")) or "")

    async def _is_cut(self, stream: Stream, after: str) -> bool:
        """Whether entries after this one were cut off, because the stream grew too long."""
        key = stream.key(stream.name)
        first = await self.client.xrange(key, count=1)
        cut = await self.client.xlen(key) >= stream.longest
        return bool(first and cut and _number(after) < _number(first[0][0]))


def is_ahead(cursor: str, other: str) -> bool:
    """Whether a cursor is of a later entry than another one of the same epoch."""
    (epoch, _, mine), (others, _, theirs) = cursor.partition("/"), other.partition("/")
    return bool(CURSOR.fullmatch(cursor)) and epoch == others and _number(mine) > _number(theirs)


def _entries(epoch: str, cursor: str, found: Sequence[tuple[str, Mapping[str, str]]]) -> Entries:
    entries = [(f"{epoch}/{number}", fields["entry"]) for number, fields in found]
    return Entries(entries, lost=False, cursor=entries[-1][0] if entries else cursor)


def _number(entry: str) -> tuple[int, int]:
    time, _, count = entry.partition("-")
    return int(time), int(count or 0)
