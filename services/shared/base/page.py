"""Pages of lists: bounded in entries and in bytes, so that a message can hold them."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from maumau.errors import BadRequest
from services.shared.base.ident import is_ident

USUAL, MOST = 200, 1000  # entries of a page by default, and at most
DIGITS = 18
BYTES = 1 << 20  # of a page, not counting its last entry

T = TypeVar("T")


class Page(NamedTuple):
    """Messages, and the token of the next page; "" if there is none."""

    messages: list[Any]
    next_token: str


def count_entries(asked: int) -> int:
    """Return the number of entries of a page, for the number asked for; 0 means the default."""
    return min(asked or USUAL, MOST)


def number_of(token: str) -> int | None:
    """Return the number that a token stands for; None for the first page."""
    if not token:
        return None
    if not (token.isascii() and token.isdigit() and len(token) < DIGITS):
        raise BadRequest(f"{token[:80]!r} is not the token of a page.", field="page_token")
    return int(token)


def first_number(token: str, first: int) -> int:
    """Return the number that a page begins with: the one after its token's; without a token, `first`."""
    last = number_of(token)
    return first if last is None else last + 1


def check_ident(token: str, kind: str) -> str:
    """Return a token that is an id of this kind, or "" for the first page."""
    if token and not is_ident(token, kind):
        raise BadRequest(f"{token[:80]!r} is not the token of a page.", field="page_token")
    return token


def fill(things: Iterable[T], asked: int, say: Callable[[T], Any], token: Callable[[T], str]) -> Page:
    """Return a page of the things as messages; token: the token of a page that ends with a thing.

    Pass at least one thing more than the page may have, if there is one.
    """
    said: list[Any] = []
    room, last = BYTES, ""
    for thing in things:
        if said and (len(said) == count_entries(asked) or room <= 0):
            return Page(said, last)
        said.append(say(thing))
        room, last = room - said[-1].ByteSize(), token(thing)
    return Page(said, "")
