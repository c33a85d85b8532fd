"""Lists in pages: so many entries, and never more than a message can hold."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from maumau.errors import BadRequest

USUAL, MOST = 200, 1000  # entries of a page, where the caller names no number, and at most
DIGITS = 18
BYTES = 1 << 20  # of a page, but for its last entry

T = TypeVar("T")


class Page(NamedTuple):
    """Messages, and the token of the next page; "" if there is none."""

    messages: list[Any]
    next_token: str


def count_entries(asked: int) -> int:
    """How many entries a page may have, for the number the caller asks for; 0 means the default."""
    return min(asked or USUAL, MOST)


def number_of(token: str) -> int | None:
    """The number that a token stands for; None for the first page."""
    if not token:
        return None
    if not (token.isascii() and token.isdigit() and len(token) < DIGITS):
        raise BadRequest(f"{token[:80]!r} is not the token of a page.", field="page_token")
    return int(token)


def fill(things: Iterable[T], asked: int, say: Callable[[T], Any], token: Callable[[T], str]) -> Page:
    """The first of the things as messages; token: where the page ends that ends with this thing.

    At least one more thing than the page may have must be given, if there is one.
    """
    said: list[Any] = []
    room, last = BYTES, ""
    for thing in things:
        if said and (len(said) == count_entries(asked) or room <= 0):
            return Page(said, last)
        said.append(say(thing))
        room, last = room - said[-1].ByteSize(), token(thing)
    return Page(said, "")
