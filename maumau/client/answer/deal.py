"""Structs shared by all services: rule sets, deals and their faults, deals in progress."""

from __future__ import annotations

from msgspec import Struct


class RuleSet(Struct, frozen=True):
    """The exact rules of a deal; variant_toml is "" for a known variant."""

    name: str
    options_json: str
    hash: str
    variant_toml: str


class Fault(Struct, frozen=True):
    """All that is known of a fault; used_ms and granted_ms are reference ms, on a core of this pace."""

    entrant: int
    seating: int
    deal: int
    kind: str
    words: str
    ask: str
    lines: tuple[str, ...]
    stderr: str
    cpu_ms: int
    wall_ms: int
    memory_mib: int
    exit: str
    overran: bool
    used_ms: float
    granted_ms: float
    pace: float
    killed: bool


class Note(Struct, frozen=True):
    """A bot's remark, made when the record had this many events."""

    event: int
    seat: int
    text: str


class DealResult(Struct, frozen=True):
    """A deal as it was played; entrants, places and points by seat, an entrant 0 is the match's first."""

    entrants: tuple[int, ...]
    places: tuple[int, ...]
    points: tuple[int, ...]
    record: str
    faults: tuple[Fault, ...]
    notes: tuple[Note, ...]


class SetResult(Struct, frozen=True):
    """A deal set: its deal in each seating."""

    number: int
    deals: tuple[DealResult, ...]


class LiveDeal(Struct, frozen=True):
    """A piece of a deal while it is played, without its hidden parts; entrants 0 is the match's first.

    counts: cards in hand by seat, after each of the events. places and points are empty until it is over.
    """

    set: int
    seating: int
    entrants: tuple[int, ...]
    start: int
    events: tuple[str, ...]
    counts: tuple[int, ...]
    places: tuple[int, ...]
    points: tuple[int, ...]


class BotLimits(Struct, frozen=True):
    """Limits of a program."""

    deal_ms: int
    memory_mib: int
