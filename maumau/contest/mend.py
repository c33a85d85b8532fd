"""Finds which byte of a damaged line was changed, so that its field can be named and the rest still be read.

A line's sum is right for exactly one line: where the sum does not fit, every single byte is tried, and the
lines before and after a lost or added line feed. What is damaged worse stays as it is.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from maumau.contest.difference import Difference, shown
from maumau.contest.line import SUM, TAIL, check_sum

TAIL_PATTERN = re.compile(rb',"sum":"[0-9a-f]{%d}"}' % SUM)
LONGEST = 8192
"""Bytes of a line that is tried byte by byte: that takes seconds."""

LONGEST_REST = 1 << 18
"""Bytes after a line feed that may have cut a line: hashed with each byte that may have stood there."""

MAX_TRIES = 8
"""Lines of a file that are tried."""

MAX_WORK = LONGEST**2
"""What trying lines may cost in a file: the square of its length for each, or that of one of the longest."""

AROUND = 12
"""Characters shown on each side of a changed one."""


class Raw(NamedTuple):
    """A line of the file: its number from 1, its bytes without the line feed, as they were written.

    damage: what was changed, None if nothing was. sound: False if it could not be put right.
    """

    number: int
    data: bytes
    damage: Difference | None = None
    sound: bool = True


def mended(file: Iterable[bytes]) -> Iterator[Raw]:
    """The lines of an export, the damaged ones put right where one byte was changed."""
    tries, work = MAX_TRIES, MAX_WORK
    lines = enumerate(file, start=1)
    for number, line in lines:
        data = line.removesuffix(b"\n")
        if line.endswith(b"\n") and is_sound(data):
            yield Raw(number, data)
            continue
        tries -= 1
        found = _joined(number, data) or _tail(number, data)
        if not found and tries >= 0 and len(data) ** 2 <= work:
            work -= len(data) ** 2
            found = _body(number, data)
        yield from found or _cut(number, data, next(lines, None), mend=tries >= 0)


def is_sound(data: bytes) -> bool:
    """Whether a line's sum is right."""
    return data[-TAIL:] == _right_tail(data[:-TAIL])


def _right_tail(body: bytes) -> bytes:
    return b',"sum":"' + check_sum(body) + b'"}'


def _broken(number: int, data: bytes) -> Raw:
    """A line that nothing puts right; who knows its meaning may still find the field."""
    sum_ = data[-SUM - 2 : -2].decode(errors="replace")
    fits = check_sum(data[:-TAIL]).decode()
    return Raw(number, data, Difference(number, "sum", shown(sum_), shown(fits)), sound=False)


def _joined(number: int, data: bytes) -> list[Raw]:
    """Two lines with another byte instead of the line feed between them; or the file's last without one."""
    end = _first_end(data)
    if end is None:
        return []
    feed = data[end : end + 1].decode(errors="replace")
    first = Raw(number, data[:end], Difference(number, "line feed", shown(feed), shown("\n")))
    rest = data[end + 1 :]
    second = [Raw(number, rest) if is_sound(rest) else _broken(number, rest)] if rest else []
    return [first, *second]


def _first_end(data: bytes) -> int | None:
    """Where the first line ends whose sum is right; what was hashed once is not hashed again."""
    digest, done = hashlib.sha256(), 0
    for tail in TAIL_PATTERN.finditer(data):
        digest.update(data[done : tail.start()])
        done = tail.start()
        if digest.hexdigest()[:SUM].encode() == tail.group()[-SUM - 2 : -2]:
            return tail.end()
    return None


def _tail(number: int, data: bytes) -> list[Raw]:
    """A byte changed in the sum, or in its key."""
    body = data[:-TAIL]
    said, right = data[-TAIL:], _right_tail(body)
    if len(said) < TAIL or sum(a != b for a, b in zip(said, right, strict=True)) != 1:
        return []
    damage = Difference(number, "sum", shown(said.decode(errors="replace")), shown(right.decode()))
    return [Raw(number, body + right, damage)]


def _body(number: int, data: bytes) -> list[Raw]:
    """A byte changed before the sum."""
    if not TAIL_PATTERN.fullmatch(data[-TAIL:]) or len(data) > LONGEST:
        return []
    right = _one_byte(data[:-TAIL], bytes.fromhex(data[-SUM - 2 : -2].decode()))
    if right is None:
        return []
    whole = right + data[-TAIL:]
    return [Raw(number, whole, _changed(number, data, whole))]


@functools.lru_cache(MAX_TRIES)  # a file is read more than once
def _one_byte(body: bytes, wanted: bytes) -> bytes | None:
    """The line whose SHA-256 begins with `wanted` and that differs from `body` in one byte."""
    known = [b"%c" % byte for byte in (*range(32, 127), *(() if body.isascii() else range(128, 256)))]
    before = hashlib.sha256()
    for position in range(len(body)):
        after = body[position + 1 :]
        for byte in known:
            tried = before.copy()
            tried.update(byte + after)
            if tried.digest().startswith(wanted):
                return body[:position] + byte + after
        before.update(body[position : position + 1])
    return None


def _cut(number: int, data: bytes, following: tuple[int, bytes] | None, *, mend: bool) -> Iterator[Raw]:
    """A line cut in two by a line feed; or one that nothing puts right, and the next."""
    if following is None:
        yield _broken(number, data)
        return
    rest = following[1].removesuffix(b"\n")
    whole = _one_line(data, rest) if mend else None
    if whole:
        yield Raw(number, whole, _changed(number, data + b"\n" + rest, whole))
        return
    yield _broken(number, data)
    yield Raw(following[0], rest) if is_sound(rest) else _broken(following[0], rest)


def _one_line(data: bytes, rest: bytes) -> bytes | None:
    """The sound line that is these two with one byte between them, if there is one."""
    kept = TAIL - 1 - len(rest)
    if kept >= 0:  # the line feed is in the sum
        body = data[: len(data) - kept]
        tail = _right_tail(body)
        fits = tail[:kept] == data[len(body) :] and tail[kept + 1 :] == rest
        return body + tail if fits else None
    if not TAIL_PATTERN.fullmatch(rest[-TAIL:]) or len(rest) > LONGEST_REST:
        return None
    before, body, wanted = hashlib.sha256(data), rest[:-TAIL], rest[-SUM - 2 : -2]
    for byte in range(256):
        tried = before.copy()
        tried.update(b"%c" % byte + body)
        if tried.hexdigest()[:SUM].encode() == wanted:
            return data + b"%c" % byte + rest
    return None


def _changed(number: int, said: bytes, right: bytes) -> Difference:
    """Names the field of the byte in which a line differs from what it was."""
    position = next(at for at, pair in enumerate(zip(said, right, strict=False)) if pair[0] != pair[1])
    start = max(position - AROUND, 0)
    was, should_be = (
        shown(line[start : position + AROUND].decode(errors="replace")) for line in (said, right)
    )
    try:
        field = field_at(right, position).lstrip(".")
    except RecursionError:
        field = ""
    return Difference(number, field or "line", was, should_be)


def field_at(text: bytes, position: int) -> str:
    """The field that a byte belongs to, in JSON without spaces: ".points[1]"; "" for a byte of no field."""
    start = 1
    for name, key, value in _parts(text) if position else ():
        end = start + key + len(value)
        if position < end:
            inside = position - start - key
            return name + (field_at(value, inside) if inside >= 0 else "")
        start = end + 1
    return ""


def _parts(text: bytes) -> Iterator[tuple[str, int, bytes]]:
    """The parts of a table or a list: what names each, the bytes of its key, its value."""
    if text[:1] == b"{":
        for key, value in msgspec.json.decode(text, type=dict[str, msgspec.Raw]).items():
            yield f".{key}", len(msgspec.json.encode(key)) + 1, bytes(value)
    elif text[:1] == b"[":
        for index, value in enumerate(msgspec.json.decode(text, type=list[msgspec.Raw])):
            yield f"[{index}]", 0, bytes(value)
