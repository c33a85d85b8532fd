"""Chance: one stream of bytes per purpose, the same in every language (docs/reference/verify.md).

A stream is HMAC-SHA256(key = seed, purpose | 0x00 | n as 32-bit big-endian) for n = 0, 1, 2 ..., joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from _hashlib import HASH

_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))
LIMITS: Final = (0, *(256 - 256 % m for m in range(1, 257)))


class Chance(Protocol):
    """The part of `random.Random` that playouts and guesses need: chance that no deal is made of."""

    def random(self) -> float: ...
    def getrandbits(self, k: int, /) -> int: ...


class Seed:
    """A seed, and from its first block on HMAC's two hashes with the key already in them (RFC 2104)."""

    __slots__ = ("_ready", "text")

    def __init__(self, text: str) -> None:
        self.text: str = text
        self._ready: tuple[HASH, HASH] | None = None

    def block(self, head: bytes, number: int) -> bytes:
        """Return block `number` (32 bytes) of the stream whose purpose and 0x00 are `head`."""
        ready = self._ready
        if ready is None:
            ready = self._ready = _hash_key(self.text.encode())
        inner, outer = ready[0].copy(), ready[1].copy()
        inner.update(head + number.to_bytes(4, "big"))
        outer.update(inner.digest())
        return outer.digest()


def _hash_key(key: bytes) -> tuple[HASH, HASH]:
    key = (sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    return sha256(key.translate(_INNER)), sha256(key.translate(_OUTER))


class Stream:
    """The bytes of one purpose, and the numbers below m drawn from them."""

    __slots__ = ("bytes", "head", "number", "seed")

    def __init__(self, seed: Seed, head: bytes) -> None:
        self.seed = seed
        self.head = head  # the purpose and 0x00
        self.number = 1
        self.bytes = iter(seed.block(head, 0))

    def _more(self) -> None:
        """Load the next block, after the previous one is used up."""
        self.bytes = iter(self.seed.block(self.head, self.number))
        self.number += 1

    def below(self, m: int) -> int:
        """Return a number below m (1 to 256), skipping bytes that would favour low numbers."""
        while True:
            for byte in self.bytes:
                if byte < LIMITS[m]:
                    return byte % m
            self._more()

    def permutation(self, items: list[int]) -> list[int]:
        """Return the items in random order: Fisher-Yates from the front."""
        order = list(items)
        self.shuffle(order, 0, len(order))
        return order

    def shuffle(self, items: list[int], start: int, stop: int) -> None:
        """Settle the places from start up to stop, in place; a later call continues from stop."""
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
    """A permutation computed only as far as needed; what is settled never changes, so copies share it."""

    __slots__ = ("items", "settled")

    def __init__(self, seed: Seed, head: bytes, items: list[int]) -> None:
        self.seed = seed
        self.head = head
        self.number = 1
        self.bytes = iter(seed.block(head, 0))
        self.items = items
        self.settled = 0

    def next(self, at: list[int], seat: int, stock: int) -> int:
        """Return the first card from place `at[seat]` on that is still in the stock; there must be one.

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


class ShuffleEpoch:
    """The time from one shuffle to the next: every seat's own permutation of the cards then in the stock.

    It is a function of the seed, its number and that stock alone, so copies of a deal share it. In a deal by
    hand the stock of the first epoch is an `order`, drawn first to last.
    """

    __slots__ = ("cards", "number", "order", "perms", "pool", "seed")

    def __init__(self, number: int, stock: int, seats: int, seed: Seed, order: tuple[int, ...] = ()) -> None:
        self.number = number
        self.seed = seed
        self.order = order
        self.pool = stock
        self.cards: list[int] = []
        self.perms: list[Permutation | None] = [None] * seats

    def permutation(self, seat: int, deck: list[int]) -> Permutation:
        """Return the seat's permutation of the stock (in the order of the deck), made at its first draw."""
        if not self.cards:
            self.cards = list(filter(self.pool.__and__, deck))
        made = self.perms[seat] = Permutation(
            self.seed, b"stock:%d:%d\0" % (seat, self.number), self.cards[:]
        )
        return made


def shuffle_cards(cards: list[int], rng: Chance) -> None:
    """Shuffle at most 255 cards in place: the order and the bits used are those of `random.Random.shuffle`.

    That draws a word of 32 bits for each place, of which the top bits count, and another one as long as they
    are too high. As each place takes one word at least, so many are drawn at once.
    """
    place = len(cards) - 1
    shift = 8 - (place + 1).bit_length()
    bound = 128 >> shift
    while place > 0:
        for top in rng.getrandbits(32 * place).to_bytes(4 * place, "little")[3::4]:
            other = top >> shift
            if other <= place:
                cards[place], cards[other] = cards[other], cards[place]
                if place == bound - 1:
                    shift += 1
                    bound >>= 1
                place -= 1


def stream(seed: str, purpose: str) -> Stream:
    """Return the stream of a purpose (`deal`, `cut`, `stock:<seat>:<epoch>`) under a seed, any text."""
    return Stream(Seed(seed), purpose.encode() + b"\0")


def bot_seed(seed: str, seat: int) -> str:
    """Return the seed of a program's own randomness in a deal: the first 32 bytes of `bot:<seat>`, in hex."""
    return Seed(seed).block(f"bot:{seat}".encode() + b"\0", 0).hex()


def deal_seed(seed: str, number: int) -> str:
    """Return the seed of a game's deal (0, 1, 2 ...): the first 32 bytes of `game:<number>`, in hex."""
    return Seed(seed).block(f"game:{number}".encode() + b"\0", 0).hex()


def order_seatings(seeds: Sequence[str], seatings: Sequence[int]) -> list[int]:
    """Return these seatings of a block in the order of play; `seeds`: of all its deal sets."""
    first = Seed(seeds[0])
    return sorted(seatings, key=lambda seating: first.block(b"seating:%d\0" % seating, 0))


def order_deals(seeds: Sequence[str], seating: int) -> list[int]:
    """Return the places of a block's deal sets, from 0, in the order in which a seating plays them."""
    head = b"order:%d\0" % seating
    return sorted(range(len(seeds)), key=lambda place: Seed(seeds[place]).block(head, 0))
