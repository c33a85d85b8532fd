"""The fields of a seat's view."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType


class Accused(Struct, frozen=True):
    """A charge before the court: accuser, accused, and violation."""

    by: int
    seat: int
    kind: str


class View(Struct, frozen=True, omit_defaults=False):
    """One decision as a seat is asked it, with the field names of the protocol (docs/reference/protocol.md).

    Cards and actions are notation, seats are numbers from 0, lists are by seat. `deal`, `rng` and `bank_ms`
    are the table's to fill in; these and what the variant or the decision does not have are left out.
    """

    ask: str
    seat: int
    hand: list[str]
    top: str | None
    wish: str | None
    owed: int
    skips: int
    direction: int
    counts: list[int]
    stock: int
    out: list[int]
    legal: list[str]
    call: dict[str, str]
    events: list[str]
    deal: int | UnsetType = UNSET
    rng: str | UnsetType = UNSET
    bank_ms: float | UnsetType = UNSET
    also: list[str] | UnsetType = UNSET
    shown: list[str] | UnsetType = UNSET
    drawn: str | UnsetType = UNSET
    claim: str | UnsetType = UNSET
    by: int | UnsetType = UNSET
    side: list[int] | UnsetType = UNSET
    accused: Accused | UnsetType = UNSET
    after: str | UnsetType = UNSET
    queens: int | UnsetType | None = UNSET
    added: list[str] | UnsetType = UNSET
    totals: list[int] | UnsetType = UNSET
    lives: list[int] | UnsetType = UNSET
