"""Answers about bots that seem to help each other or to be copies."""

from __future__ import annotations

from msgspec import Struct


class Help(Struct, frozen=True):
    """A bot's lead over what all other results predict, where another one sits at its table.

    way: over the helper itself ("against"), or over the others ("in_favour"). lead, error: in shares of a
    seating. p: at least the chance that honest bots ever seem to help so much. matches: labels.
    """

    helper: int
    helped: int
    way: str
    sets: int
    lead: float
    error: float
    p: float
    named: bool
    matches: tuple[str, ...]


class Likeness(Struct, frozen=True):
    """Two bots' decisions in the same positions of the same deals, by entry numbers.

    share: of decisions that were the same; usual: what the rest of the field predicts, None if it is too
    small; distance: from it, in units of the field's spread. label: of the match compared first.
    """

    first: int
    second: int
    deals: int
    same: int
    changed: int
    share: float
    usual: float | None
    distance: float | None
    named: bool
    label: str


class GetFairnessResponse(Struct, frozen=True):
    """Both reports; what is named comes first. help_tests, pairs_compared: how many lines there are."""

    helps: tuple[Help, ...]
    help_tests: int
    alike: tuple[Likeness, ...]
    pairs_compared: int


class SourceLikeness(Struct, frozen=True):
    """Two programs by content hash. common: fingerprints in both; share: of these in the shorter one."""

    first: str
    second: str
    first_fingerprints: int
    second_fingerprints: int
    common: int
    share: float
    named: bool


class CompareSourcesResponse(Struct, frozen=True):
    """Pairs with much in common; unreadable: programs of which too little can be read to compare them."""

    pairs: tuple[SourceLikeness, ...]
    unreadable: tuple[str, ...]
