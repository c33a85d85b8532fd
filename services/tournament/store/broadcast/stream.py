"""Streams in Redis that watchers read by cursor.

All of Redis may be lost, at any time. A watcher notices by the stream's epoch, a random word made with its
first entry. A cursor is EPOCH/ENTRY.
"""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

CURSOR = re.compile(r"[0-9a-f]{8}/[0-9]{1,18}-[0-9]{1,18}")
MAX_ENTRIES = 500  # entries read at a time
TOLD_SECONDS = 3600  # seconds for which the number of a published entry is remembered

# KEYS stream, epoch, and for each numbered entry the key that remembers it
# ARGV epoch, longest, ttl, memory, entries; an entry is marked as told only after it has been appended
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


class EventStream(NamedTuple):
    """The events of a tournament or a match. longest: entries; ttl: seconds after the last one."""

    noun: str
    ident: str
    name: str
    longest: int
    ttl: int

    def build_key(self, part: str) -> str:
        return f"maumau:{self.noun}:{{{self.ident}}}:{part}"


class Entries(NamedTuple):
    """Entries after a cursor. lost: some in between are gone, or the cursor predates a loss of Redis."""

    entries: list[tuple[str, str]]
    lost: bool
    cursor: str


class Writer:
    """A writer of entries; `client` is a Redis client, sync or async, that never sends twice."""

    def __init__(self, client: Any) -> None:
        self._append = client.register_script(APPEND)

    def append_entry(self, stream: EventStream, entry: bytes) -> Any:
        """Append an entry; awaitable if the client is."""
        return self._run_script(stream, [entry], [])

    def append_once(self, stream: EventStream, entries: Mapping[int, bytes]) -> Any:
        """Append entries in order, each number only once over repeated calls; awaitable if the client is."""
        return self._run_script(stream, entries.values(), [f"told:{number}" for number in entries])

    def _run_script(self, stream: EventStream, entries: Iterable[bytes], told: Sequence[str]) -> Any:
        keys = [stream.build_key(part) for part in (stream.name, "epoch", *told)]
        return self._append(keys, [secrets.token_hex(4), stream.longest, stream.ttl, TOLD_SECONDS, *entries])


class Reader:
    """A reader of streams; `client` is an asyncio client without a socket timeout, for reads that wait."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def close(self) -> None:
        await self.client.aclose()

    async def read(self, stream: EventStream, cursor: str, wait_ms: int) -> Entries:
        """Return entries after the cursor, waiting for them; "" reads from the oldest entry known."""
        epoch, lost = await self._open_stream(stream, cursor)
        if lost:
            return Entries([], lost=True, cursor="")
        key, after = stream.build_key(stream.name), cursor.partition("/")[2]
        found = await self.client.xread({key: after or "0"}, count=MAX_ENTRIES, block=wait_ms)
        now = await self._read_epoch(stream) if found else epoch
        if epoch not in {"", now}:  # all was lost during the wait, and these entries are of a new epoch
            return Entries([], lost=True, cursor="")
        return _read_entries(now, cursor, found[0][1] if found else [])

    async def read_until(self, stream: EventStream, cursor: str, end: str) -> Entries:
        """Return the first entries after the cursor, up to `end`; both are cursors of this stream."""
        epoch, lost = await self._open_stream(stream, cursor)
        if lost:
            return Entries([], lost=True, cursor="")
        key, after, last = stream.build_key(stream.name), cursor.partition("/")[2], end.partition("/")[2]
        if not last:
            return Entries([], lost=False, cursor=cursor)
        found = await self.client.xrange(key, min=f"({after}" if after else "-", max=last, count=MAX_ENTRIES)
        return _read_entries(epoch, cursor, found)

    async def read_last(self, stream: EventStream) -> str:
        """Return the cursor of the newest entry; empty if there is none."""
        found = await self.client.xrevrange(stream.build_key(stream.name), count=1)
        return f"{await self._read_epoch(stream)}/{found[0][0]}" if found else ""

    async def _open_stream(self, stream: EventStream, cursor: str) -> tuple[str, bool]:
        """Return the stream's epoch, and True if the cursor is of another, or entries after it were cut."""
        if cursor and not CURSOR.fullmatch(cursor):
            return "", True
        epoch, _, after = cursor.partition("/")
        now = await self._read_epoch(stream)
        return now, epoch not in {"", now} or bool(after and await self._is_cut(stream, after))

    async def _read_epoch(self, stream: EventStream) -> str:
        return str(await self.client.get(stream.build_key("epoch")) or "")

    async def _is_cut(self, stream: EventStream, after: str) -> bool:
        """Return True if entries after this one were cut off because the stream grew too long."""
        key = stream.build_key(stream.name)
        first = await self.client.xrange(key, count=1)
        cut = await self.client.xlen(key) >= stream.longest
        return bool(first and cut and _parse_entry(after) < _parse_entry(first[0][0]))


def is_ahead(cursor: str, other: str) -> bool:
    """Return True if a cursor is later than another one of the same epoch."""
    (epoch, _, mine), (others, _, theirs) = cursor.partition("/"), other.partition("/")
    return bool(CURSOR.fullmatch(cursor)) and epoch == others and _parse_entry(mine) > _parse_entry(theirs)


def _read_entries(epoch: str, cursor: str, found: Sequence[tuple[str, Mapping[str, str]]]) -> Entries:
    entries = [(f"{epoch}/{number}", fields["entry"]) for number, fields in found]
    return Entries(entries, lost=False, cursor=entries[-1][0] if entries else cursor)


def _parse_entry(entry: str) -> tuple[int, int]:
    time, _, count = entry.partition("-")
    return int(time), int(count or 0)
