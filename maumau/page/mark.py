"""A bot's colour and mark, made from its name and the same everywhere. Pure."""

import hashlib
from typing import NamedTuple

CELLS = 5


class Mark(NamedTuple):
    """A colour as hue (0 to 359), and a mark: an SVG path in a box of 5 by 5."""

    hue: int
    path: str


def make_mark(name: str) -> Mark:
    """Return a name's mark: half of a pattern of 5 by 5 cells and its mirror image."""
    digest = hashlib.sha256(name.encode(errors="replace")).digest()
    bits = int.from_bytes(digest[2:6], "big")
    cells = [(x, y) for x in range(3) for y in range(CELLS) if bits >> (x * CELLS + y) & 1]
    cells = cells or [(2, 2)]
    both = sorted({*cells, *((CELLS - 1 - x, y) for x, y in cells)})
    return Mark(int.from_bytes(digest[:2], "big") % 360, "".join(f"M{x} {y}h1v1h-1z" for x, y in both))
