"""What is compressed in the database can be read, whichever arena compressed it."""

import zlib

from services.tournament.pack import expand, squeeze

PACKED = b"\x93\x01\x02\x03"  # [1, 2, 3] in MessagePack


def test_what_is_squeezed_can_be_expanded():
    assert expand(squeeze([1, 2, 3])) == PACKED


def test_what_an_earlier_arena_compressed_is_still_read():
    assert expand(zlib.compress(PACKED, 3)) == PACKED
