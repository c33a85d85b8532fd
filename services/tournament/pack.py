"""Results as they lie in the database: short bytes that nothing but this file reads."""

import zlib
from collections.abc import Sequence

import msgspec
import zstandard

from maumau.contest.score import SEATINGS, BlockSums, SetScore

LEVEL = 3  # of compression


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
    """A value that MessagePack can express, compressed. Level 6: a tenth less, four times the time."""
    return zstandard.compress(msgspec.msgpack.encode(value), LEVEL)


def expand(packed: bytes) -> bytes:
    """The MessagePack that was squeezed; an earlier arena compressed with zlib."""
    if packed.startswith(zstandard.FRAME_HEADER):
        return zstandard.decompress(packed)
    return zlib.decompress(packed)
