"""Results as bytes in the database: a compact encoding that only this module reads and writes."""

import zlib
from collections.abc import Sequence

import msgspec
import zstandard

from maumau.contest.score import SEATINGS, BlockSums, SetScore

SCALARS = 7  # fields of `BlockSums` that every match has
LEVEL = 3  # of compression


def pack_scores(scores: Sequence[SetScore]) -> bytes:
    """Return the sets of a block, in order, as bytes, preceded by the number of the first.

    Each set takes four numbers at two seats; with more seats, its points and scores come on top.
    """
    lines = [(s.half_points, *s.points, s.gain, *s.scores) for s in scores]
    return msgspec.msgpack.encode((scores[0].number, lines))


def unpack_scores(packed: bytes) -> list[SetScore]:
    """Return the sets of a block; those of an earlier arena have three numbers each and no gain.

    Results without a gain are never exported.
    """
    first, lines = msgspec.msgpack.decode(packed, type=tuple[int, list[list[int]]])
    return [_unpack_score(number, line) for number, line in enumerate(lines, start=first)]


def _unpack_score(number: int, line: list[int]) -> SetScore:
    half, *rest = line
    seats = max(SEATINGS, len(rest) // 2)
    points, (gain, *scores) = tuple(rest[:seats]), rest[seats:] or [0]
    return SetScore(number, half, points, gain, tuple(scores))


def write_sums(sums: BlockSums) -> str:
    """Return the seven sums as text, separated by spaces.

    At more than two seats the players' points, totals and products follow, each after a semicolon. Leads are
    not stored: the scores of the sets are.
    """
    rows = [sums[:SCALARS]]
    if sums.totals:
        rows += [sums.all_points, sums.totals, sums.products]
    return ";".join(" ".join(map(str, row)) for row in rows)


def read_sums(text: str) -> BlockSums:
    two, *many = (tuple(map(int, part.split(" "))) for part in text.split(";"))
    sets, total, squares, first_points, second_points, gain, gain_squares = two
    sums = BlockSums(sets, total, squares, first_points, second_points, gain, gain_squares)
    if not many:
        return sums
    points, totals, products = many
    return sums._replace(all_points=points, totals=totals, products=products)


def pack_value(value: object) -> bytes:
    """Return a value as compressed MessagePack. Level 6 would save a tenth, at four times the time."""
    return zstandard.compress(msgspec.msgpack.encode(value), LEVEL)


def expand_bytes(packed: bytes) -> bytes:
    """Return the MessagePack that was squeezed; an earlier arena compressed with zlib."""
    if packed.startswith(zstandard.FRAME_HEADER):
        return zstandard.decompress(packed)
    return zlib.decompress(packed)
