"""A fixed piece of work, similar to that of programs: its CPU time measures how fast a core is.

Changing anything here changes what a reference millisecond is: `REFERENCE` in pace.py must be measured again.
"""

from __future__ import annotations

import gc
import json
import time
from functools import cache
from itertools import pairwise
from random import Random

NODES = 40_000  # objects of some 100 bytes: more than the cache that a core has to itself
STEPS = 2_000  # of them visited in one probe
MASK = (1 << 104) - 1  # as wide as a hand of two packs
MESSAGE = {
    "deal": 17,
    "rng": "ab" * 32,
    "ask": "turn",
    "seat": 1,
    "hand": ["7S", "KD", "TC", "9H"],
    "legal": ["7S", "draw"] * 4,
    "call": {"7S": "!"},
    "events": ["A 9H", "B +2"] * 6,
    "counts": [4, 2, 5],
}


class Node:
    """A small object with a link to the next one, anywhere in memory."""

    __slots__ = ("next", "value")

    def __init__(self, value: int) -> None:
        self.value = value
        self.next = self


class ProbeObject:
    """A small short-lived object."""

    def __init__(self, rank: int, suit: int) -> None:
        self.rank, self.suit = rank, suit

    def may_follow(self, other: ProbeObject) -> bool:
        """Return True if suit or rank are equal."""
        return self.suit == other.suit or self.rank == other.rank


def run_probe() -> float:
    """Do the work once; return the CPU seconds of this thread."""
    nodes, text = _build_ring(), json.dumps(MESSAGE)
    swept = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        _calculate_numbers()
        _make_objects()
        _read_and_write(text)
        _count_bits()
        nodes[0] = _walk_ring(nodes[0])
        return time.thread_time() - began
    finally:
        if swept:
            gc.enable()


@cache
def _build_ring() -> list[Node]:
    """Return the node to continue from; all nodes form one ring, in an order that no prefetcher guesses."""
    nodes = [Node(number) for number in range(NODES)]
    order = list(nodes)
    Random(1).shuffle(order)  # noqa: S311  # the same order everywhere
    for node, after in zip(order, order[1:] + order[:1], strict=True):
        node.next = after
    return [order[0]]


def _calculate_numbers() -> dict[int, int]:
    """Run interpreted code with branches, small numbers and a dictionary."""
    state, total, found = 1, 0, dict[int, int]()
    for _ in range(3_000):
        state = (state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        if state & 3:
            total += state >> 5
        else:
            total ^= state
        found[state & 63] = total
    return found


def _make_objects() -> int:
    """Make small objects, sort them, and compare them by method calls."""
    cards = [ProbeObject(number % 8, number & 3) for number in range(900)]
    cards.sort(key=lambda card: (card.rank, card.suit))
    return sum(card.may_follow(other) for card, other in pairwise(cards))


def _read_and_write(text: str) -> str:
    """Encode and decode messages as JSON."""
    for _ in range(18):
        text = json.dumps(json.loads(text))
    return text


def _count_bits() -> int:
    """Count cards in sets wider than a machine word."""
    state, total = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED, 0
    for number in range(900):
        state = (state * 0x5851_F42D_4C95_7F2D + number) & MASK
        total += (state & (state >> 7)).bit_count()
    return total


def _walk_ring(node: Node) -> Node:
    """Follow links between objects scattered over some MiB."""
    total = 0
    for _ in range(STEPS):
        total ^= node.value
        node = node.next
    return node
