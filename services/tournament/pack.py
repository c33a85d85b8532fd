"""Results as they lie in the database: short bytes that nothing but this file reads."""

import zlib
from collections.abc import Sequence

import msgspec

from maumau.contest.score import BlockSums, SetScore


def pack_scores(scores: Sequence[SetScore]) -> bytes:
    """The sets of a block, in order: four numbers each, the number of the first before them."""
    return msgspec.msgpack.encode((scores[0].number, [(s.half_points, *s.points, s.gain) for s in scores]))


def unpack_scores(packed: bytes) -> list[SetScore]:
    """What an earlier arena stored has three numbers a set and no gain; nothing is exported of it."""
    first, lines = msgspec.msgpack.decode(packed, type=tuple[int, list[list[int]]])
    return [
        SetScore(first + i, half, (one, other), *(gain or [0]))
        for i, (half, one, other, *gain) in enumerate(lines)
    ]


def write_sums(sums: BlockSums) -> str:
    """Seven numbers."""
    return " ".join(map(str, sums))


def read_sums(text: str) -> BlockSums:
    return BlockSums(*map(int, text.split(" ")))


def squeeze(value: object) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(value), 6)


def expand(packed: bytes) -> bytes:
    """The MessagePack that was squeezed."""
    return zlib.decompress(packed)
