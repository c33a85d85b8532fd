"""Structs with which the pages ask for live tables and their seats."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from maumau.contest.ladder.time_control import TimeControl

USUAL_CLOCK: Final = TimeControl(bank_ms=300_000, increment_ms=5000, window_ms=15_000)
"""The clocks of the page's own tables."""


class SeatView(Struct, frozen=True):
    """A seat's view as of a cursor, and the clocks by seat. window_ms: left of an open window, else None."""

    cursor: int
    view: Mapping[str, Any]
    clocks_ms: tuple[int, ...]
    window_ms: int | None


class TableWish(Struct, frozen=True):
    """A table to be made: a variant, names by seat, and the clocks. join_ms: 0 for the usual one.

    record: the beginning of one, from which the deal is played on. variant_toml: of a custom variant.
    is_named: the account may be named on the board of people. day: of whose deal it is an attempt, else "".
    """

    rules: str
    names: tuple[str, ...]
    bank_ms: int
    increment_ms: int
    window_ms: int
    join_ms: int = 0
    record: str = ""
    variant_toml: str = ""
    is_named: bool = False
    day: str = ""

    @property
    def seats(self) -> int:
        return len(self.names)


class Payer(Struct, frozen=True):
    """By whom tables are counted: the account of a token, or a guest of the page and the guest's network."""

    token: str = ""
    guest: str = ""
    network: str = ""
