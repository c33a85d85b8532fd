"""Repair of damaged lines: finds the changed byte, so that its field can be named and the rest read.

A line's sum is right for exactly one line: where the sum does not fit, every single byte is tried, and the
lines before and after a lost or added line feed. Worse damage is not repaired.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from maumau.contest.export.difference import Difference, shorten_value
from maumau.contest.export.line import SUM, TAIL, check_sum

TAIL_PATTERN = re.compile(rb',"sum":"[0-9a-f]{%d}"}' % SUM)
LONGEST = 8192
"""Bytes of a line that is tried byte by byte: that takes seconds."""

LONGEST_REST = 1 << 18
"""Bytes after a line feed that may have cut a line: hashed with each byte that may have stood there."""

MAX_TRIES = 8
"""Lines of a file that are tried."""

MAX_WORK = LONGEST**2
"""The cost limit of repairs in a file: the square of each line's length, in sum that of one longest line."""

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


def mend_lines(file: Iterable[bytes]) -> Iterator[Raw]:
    """Yield the lines of an export, repaired where one byte was changed."""
    tries, work = MAX_TRIES, MAX_WORK
    lines = enumerate(file, start=1)
    for number, line in lines:
        data = line.removesuffix(b"\n")
        if line.endswith(b"\n") and is_sound(data):
            yield Raw(number, data)
            continue
        tries -= 1
        found = _split_joined(number, data) or _mend_tail(number, data)
        if not found and tries >= 0 and len(data) ** 2 <= work:
            work -= len(data) ** 2
            found = _mend_body(number, data)
        yield from found or _mend_cut(number, data, next(lines, None), mend=tries >= 0)


def is_sound(data: bytes) -> bool:
    """Return True if a line's sum is correct."""
    return data[-TAIL:] == _right_tail(data[:-TAIL])


def _right_tail(body: bytes) -> bytes:
    return b',"sum":"' + check_sum(body) + b'"}'


def _keep_broken(number: int, data: bytes) -> Raw:
    """Return a line that cannot be repaired; a reader that knows its meaning may still find the field."""
    sum_ = data[-SUM - 2 : -2].decode(errors="replace")
    fits = check_sum(data[:-TAIL]).decode()
    return Raw(number, data, Difference(number, "sum", shorten_value(sum_), shorten_value(fits)), sound=False)


def _split_joined(number: int, data: bytes) -> list[Raw]:
    """Return two lines whose line feed was changed, or the file's last without one."""
    end = _first_end(data)
    if end is None:
        return []
    feed = data[end : end + 1].decode(errors="replace")
    first = Raw(number, data[:end], Difference(number, "line feed", shorten_value(feed), shorten_value("\n")))
    rest = data[end + 1 :]
    second = [Raw(number, rest) if is_sound(rest) else _keep_broken(number, rest)] if rest else []
    return [first, *second]


def _first_end(data: bytes) -> int | None:
    """Return the end of the first line with a correct sum, hashing each byte once."""
    digest, done = hashlib.sha256(), 0
    for tail in TAIL_PATTERN.finditer(data):
        digest.update(data[done : tail.start()])
        done = tail.start()
        if digest.hexdigest()[:SUM].encode() == tail.group()[-SUM - 2 : -2]:
            return tail.end()
    return None


def _mend_tail(number: int, data: bytes) -> list[Raw]:
    """Return the line with a changed byte in the sum, or in its key, repaired."""
    body = data[:-TAIL]
    said, right = data[-TAIL:], _right_tail(body)
    if len(said) < TAIL or sum(a != b for a, b in zip(said, right, strict=True)) != 1:
        return []
    damage = Difference(
        number, "sum", shorten_value(said.decode(errors="replace")), shorten_value(right.decode())
    )
    return [Raw(number, body + right, damage)]


def _mend_body(number: int, data: bytes) -> list[Raw]:
    """Return the line with a changed byte before the sum repaired."""
    if not TAIL_PATTERN.fullmatch(data[-TAIL:]) or len(data) > LONGEST:
        return []
    right = _one_byte(data[:-TAIL], bytes.fromhex(data[-SUM - 2 : -2].decode()))
    if right is None:
        return []
    whole = right + data[-TAIL:]
    return [Raw(number, whole, _compare_lines(number, data, whole))]


@functools.lru_cache(MAX_TRIES)  # a file is read more than once
def _one_byte(body: bytes, wanted: bytes) -> bytes | None:
    """Return the line whose SHA-256 begins with `wanted` and that differs from `body` in one byte."""
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


def _mend_cut(number: int, data: bytes, following: tuple[int, bytes] | None, *, mend: bool) -> Iterator[Raw]:
    """Yield a line that a line feed cut in two; or one that cannot be repaired, and the next."""
    if following is None:
        yield _keep_broken(number, data)
        return
    rest = following[1].removesuffix(b"\n")
    whole = _one_line(data, rest) if mend else None
    if whole:
        yield Raw(number, whole, _compare_lines(number, data + b"\n" + rest, whole))
        return
    yield _keep_broken(number, data)
    yield Raw(following[0], rest) if is_sound(rest) else _keep_broken(following[0], rest)


def _one_line(data: bytes, rest: bytes) -> bytes | None:
    """Return the sound line made of these two with one byte between them, or None."""
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


def _compare_lines(number: int, said: bytes, right: bytes) -> Difference:
    """Return the difference of two lines, with the field of the first differing byte."""
    position = next(at for at, pair in enumerate(zip(said, right, strict=False)) if pair[0] != pair[1])
    start = max(position - AROUND, 0)
    was, should_be = (
        shorten_value(line[start : position + AROUND].decode(errors="replace")) for line in (said, right)
    )
    try:
        field = field_at(right, position).lstrip(".")
    except RecursionError:
        field = ""
    return Difference(number, field or "line", was, should_be)


def field_at(text: bytes, position: int) -> str:
    """Return the field of a byte in JSON without spaces: ".points[1]"; "" for a byte of no field."""
    start = 1
    for name, key, value in _split_parts(text) if position else ():
        end = start + key + len(value)
        if position < end:
            inside = position - start - key
            return name + (field_at(value, inside) if inside >= 0 else "")
        start = end + 1
    return ""


def _split_parts(text: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Yield the parts of a table or a list: name, bytes of its key, value."""
    if text[:1] == b"{":
        for key, value in msgspec.json.decode(text, type=dict[str, msgspec.Raw]).items():
            yield f".{key}", len(msgspec.json.encode(key)) + 1, bytes(value)
    elif text[:1] == b"[":
        for index, value in enumerate(msgspec.json.decode(text, type=list[msgspec.Raw])):
            yield f"[{index}]", 0, bytes(value)
