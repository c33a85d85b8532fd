"""Compressed data in the database can be read, whichever arena compressed them."""

import zlib

from maumau.contest.score import SetScore, add_up
from services.tournament.domain.pack import expand_bytes, pack_value, read_sums, write_sums

PACKED = b"\x93\x01\x02\x03"  # [1, 2, 3] in MessagePack


def test_what_is_squeezed_can_be_expanded():
    assert expand_bytes(pack_value([1, 2, 3])) == PACKED


def test_what_an_earlier_arena_compressed_is_still_read():
    assert expand_bytes(zlib.compress(PACKED, 3)) == PACKED


def test_sums_of_larger_tables_are_kept_with_all_players():
    rows = [(12, 6, 0), (0, 12, 6)]
    sums = add_up([SetScore(n, row[0], (1, 2, 3), 0, row) for n, row in enumerate(rows)])
    assert (sums.totals, sums.products) == ((12, 18, 6), (144, 72, 0, 180, 72, 36))
    assert sums.all_points == (2, 4, 6)
    assert read_sums(write_sums(sums)) == sums
