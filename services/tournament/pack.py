"""Results as they lie in the database: short bytes that nothing but this file reads."""

import zlib
from collections.abc import Sequence

import msgspec

from maumau.contest.score import SEATINGS, BlockSums, SetScore


def pack_scores(scores: Sequence[SetScore]) -> bytes:
    """The sets of a block, in order, the number of the first before them.

    Of each four numbers at two seats, at more as many again as it has scores and points.
    """
    lines = [(s.half_points, *s.points, s.gain, *s.scores) for s in scores]
    return msgspec.msgpack.encode((scores[0].number, lines))


def unpack_scores(packed: bytes) -> list[SetScore]:
    """What an earlier arena stored has three numbers a set and no gain; nothing is exported of it."""
    first, lines = msgspec.msgpack.decode(packed, type=tuple[int, list[list[int]]])
    return [_score(number, line) for number, line in enumerate(lines, start=first)]


def _score(number: int, line: list[int]) -> SetScore:
    half, *rest = line
    seats = max(SEATINGS, len(rest) // 2)
    points, (gain, *scores) = tuple(rest[:seats]), rest[seats:] or [0]
    return SetScore(number, half, points, gain, tuple(scores))


def write_sums(sums: BlockSums) -> str:
    """Seven numbers."""
    return " ".join(map(str, sums))


def read_sums(text: str) -> BlockSums:
    return BlockSums(*map(int, text.split(" ")))


def squeeze(value: object) -> bytes:
    """Level 6 would take three times as long and save a seventh of the room."""
    return zlib.compress(msgspec.msgpack.encode(value), 3)


def expand(packed: bytes) -> bytes:
    """The MessagePack that was squeezed."""
    return zlib.decompress(packed)
