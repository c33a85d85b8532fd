"""Chance: one stream of bytes per purpose, the same in every language (docs/verify.md).

A stream is HMAC-SHA256(key = seed, purpose | 0x00 | n as 32-bit big-endian) for n = 0, 1, 2 ..., joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))
LIMITS: Final = (0, *(256 - 256 % m for m in range(1, 257)))


class Seed:
    """A seed made ready: HMAC's two hashes with the key already in them (RFC 2104)."""

    __slots__ = ("inner", "outer", "text")

    def __init__(self, text: str) -> None:
        key = text.encode()
        key = (sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
        self.text: str = text
        self.inner = sha256(key.translate(_INNER))
        self.outer = sha256(key.translate(_OUTER))

    def block(self, head: bytes, number: int) -> bytes:
        """The 32 bytes with this number of the stream whose purpose and 0x00 are `head`."""
        inner, outer = self.inner.copy(), self.outer.copy()
        inner.update(head + number.to_bytes(4, "big"))
        outer.update(inner.digest())
        return outer.digest()


class Stream:
    """The bytes of one purpose, and the numbers below m drawn from them."""

    __slots__ = ("bytes", "head", "number", "seed")

    def __init__(self, seed: Seed, head: bytes) -> None:
        self.seed = seed
        self.head = head  # the purpose and 0x00
        self.number = 1
        self.bytes = iter(seed.block(head, 0))

    def _more(self) -> None:
        """The next block, the one before being used up."""
        self.bytes = iter(self.seed.block(self.head, self.number))
        self.number += 1

    def below(self, m: int) -> int:
        """A number below m (1 to 256): bytes that would favour the low numbers are passed over."""
        while True:
            for byte in self.bytes:
                if byte < LIMITS[m]:
                    return byte % m
            self._more()

    def permutation(self, items: list[int]) -> list[int]:
        """The items in a drawn order: Fisher-Yates from the front."""
        order = list(items)
        self.shuffle(order, 0, len(order))
        return order

    def shuffle(self, items: list[int], start: int, stop: int) -> None:
        """Settle the places from start up to stop, in place; a later call goes on from stop."""
        place, left = start, len(items) - start
        while place < stop:
            for byte in self.bytes:  # `below`, written out: this is most of the work of a deal
                if byte < LIMITS[left]:
                    other = place + byte % left
                    items[place], items[other] = items[other], items[place]
                    place += 1
                    if place == stop:
                        return
                    left -= 1
            self._more()


class Permutation(Stream):
    """A permutation made only as far as it is asked for; what is made never changes, so copies share it."""

    __slots__ = ("items", "settled")

    def __init__(self, seed: Seed, head: bytes, items: list[int]) -> None:
        self.seed = seed
        self.head = head
        self.number = 1
        self.bytes = iter(seed.block(head, 0))
        self.items = items
        self.settled = 0

    def next(self, at: list[int], seat: int, stock: int) -> int:
        """The first card from place `at[seat]` on that is still in the stock; there must be one.

        `at[seat]` is the place behind it then.
        """
        items = self.items
        place = self.settled
        if at[seat] < place:  # settled by a copy of this deal
            for before in range(at[seat], place):
                bit = items[before]
                if bit & stock:
                    at[seat] = before + 1
                    return bit
        left = len(items) - place
        while True:
            for byte in self.bytes:  # `shuffle`, written out for one place after the other
                if byte < LIMITS[left]:
                    other = place + byte % left
                    bit = items[other]
                    items[other] = items[place]
                    items[place] = bit
                    place += 1
                    if bit & stock:
                        self.settled = at[seat] = place
                        return bit
                    left -= 1
            self._more()


class Epoch:
    """The time from one shuffle to the next: every seat's own permutation of the cards then in the stock.

    It is a function of the seed, its number and that stock alone, so copies of a deal share it.
    """

    __slots__ = ("cards", "number", "perms", "pool")

    def __init__(self, number: int, stock: int, seats: int) -> None:
        self.number = number
        self.pool = stock
        self.cards: list[int] = []
        self.perms: list[Permutation | None] = [None] * seats

    def permutation(self, seed: Seed, seat: int, deck: list[int]) -> Permutation:
        """The seat's permutation of the stock (in the order of the deck), made at its first draw."""
        if not self.cards:
            self.cards = list(filter(self.pool.__and__, deck))
        made = self.perms[seat] = Permutation(seed, b"stock:%d:%d\0" % (seat, self.number), self.cards[:])
        return made


def stream(seed: str, purpose: str) -> Stream:
    """The stream of a purpose (`deal`, `cut`, `stock:<seat>:<epoch>`) under a seed, any text."""
    return Stream(Seed(seed), purpose.encode() + b"\0")


def bot_seed(seed: str, seat: int) -> str:
    """A seed for a program's own randomness in one deal: the first 32 bytes of `bot:<seat>`, in hex."""
    return Seed(seed).block(f"bot:{seat}".encode() + b"\0", 0).hex()


def deal_seed(seed: str, number: int) -> str:
    """The seed of a game's deal (0, 1, 2 ...): the first 32 bytes of `game:<number>`, in hex."""
    return Seed(seed).block(f"game:{number}".encode() + b"\0", 0).hex()


def order_seatings(seeds: Sequence[str], seatings: Sequence[int]) -> list[int]:
    """These seatings of a block, in the order in which they are played; `seeds`: of all its deal sets."""
    first = Seed(seeds[0])
    return sorted(seatings, key=lambda seating: first.block(b"seating:%d\0" % seating, 0))


def order_deals(seeds: Sequence[str], seating: int) -> list[int]:
    """The places of a block's deal sets, from 0, in the order in which a seating plays them."""
    head = b"order:%d\0" % seating
    return sorted(range(len(seeds)), key=lambda place: Seed(seeds[place]).block(head, 0))
