"""The chain of a tournament: what was booked, in the order in which it was, each link made of all before it.

The arena makes a link with every block that it books, in the same transaction, and tells it to whoever
watches. So who has seen one link can tell whether anything before it was written anew (docs/verify.md).

The first link is made of the root, and link n is SHA-256(link n - 1, line feed, label of the match, space,
take, space, number of the block, space, digest of the block, line feed), hex digits and decimal numbers as
ASCII. A take is how often the match has been begun: one that is taken back is played anew, from take 2 on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from maumau.contest.entrant import Sha256

Count = Annotated[int, Meta(ge=0)]


class Booking(msgspec.Struct, frozen=True):
    """A block that was booked, whether it counts in the end or not. digest: of its records."""

    match: str
    take: Annotated[int, Meta(ge=1)]
    block: Count
    digest: Sha256


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A booking with its link, as an export has it."""

    match: str
    take: Annotated[int, Meta(ge=1)]
    block: Count
    digest: Sha256
    chain: Sha256

    @property
    def booking(self) -> Booking:
        """Without the link."""
        return Booking(self.match, self.take, self.block, self.digest)


def add_link(before: str, booking: Booking) -> str:
    """The link of a booking. before: the link before it, or the root."""
    named = f"{booking.match} {booking.take} {booking.block} {booking.digest}"
    return hashlib.sha256(f"{before}\n{named}\n".encode()).hexdigest()


def links(root: str, bookings: Iterable[Booking]) -> Iterator[Link]:
    """The chain of these bookings."""
    chain = root
    for booking in bookings:
        chain = add_link(chain, booking)
        yield Link(booking.match, booking.take, booking.block, booking.digest, chain)
