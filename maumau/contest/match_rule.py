"""The rule that decides a match, as a spec gives it."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from maumau.errors import BadSpec

MOST_SETS: Final = 100_000
"""The most deal sets of a match."""

LATER: Final = ("decide", "kind", "sets", "wins")
"""Keys that specs of before do not have."""

LEAST_BLOCK, MOST_BLOCK = 10, 100
"""Bounds of the block of a fixed match that does not choose one: few sets are played in a single block."""

RACING_BLOCK: Final = 10
"""The block of a match to a number of wins that does not choose one."""


class MatchRule(msgspec.Struct, frozen=True):
    """The rule that decides a match: docs/reference/verify.md, "A match"."""

    block: Annotated[int, Meta(ge=1, le=1000)] = 100
    """The deal sets played before the match is judged again."""
    delta: Annotated[float, Meta(ge=1e-6, lt=0.5)] = 0.025
    """The lead, in mean score, that a match is meant to find: half the width of the indifference zone."""
    alpha: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    """The chance, at most, that of two bots that differ by `delta` the weaker one wins a match."""
    cap: Annotated[int, Meta(ge=1, le=MOST_SETS)] = 2000
    """The most deal sets that are played (before sudden death); a multiple of `block`."""
    decide: Literal["better"] | None = None
    """With `better` a match goes on until the 95 % interval of its score, which then holds at every moment,
    excludes one half; one of two equal bots wins it before the cap with a chance of at most 5 %. Without it,
    a match ends when one bot leads."""
    kind: Literal["sequential", "fixed", "first_to"] = "sequential"
    """The end of a match. Only a sequential one goes on until a result means something."""
    sets: Annotated[int, Meta(ge=1, le=MOST_SETS)] | None = None
    """With `kind = "fixed"`, the deal sets that are played."""
    wins: Annotated[int, Meta(ge=1, le=MOST_SETS)] | None = None
    """With `kind = "first_to"`, the deal sets that a bot has to win; those in which both are level are won by
    nobody."""

    @property
    def shown(self) -> dict[str, Any]:
        """The keys that the root binds; later ones only where they differ from the default."""
        table: dict[str, Any] = msgspec.to_builtins(self)
        defaults = {field.encode_name: field.default for field in msgspec.structs.fields(self)}
        return {key: each for key, each in table.items() if key not in LATER or each != defaults[key]}


def complete_match(match: MatchRule, given: Collection[str]) -> MatchRule:
    """Return the rule with the block and cap that its kind implies, where the spec gives none.

    given: the keys that the spec has.
    """
    if match.kind == "fixed" and match.sets:
        cap = match.cap if "cap" in given else match.sets
        block = match.block if "block" in given else _divide(match.sets) or match.block
        return msgspec.structs.replace(match, cap=cap, block=block)
    if match.kind == "first_to" and "block" not in given:
        return msgspec.structs.replace(match, block=RACING_BLOCK)
    return match


def check_match(match: MatchRule) -> None:
    """Raise BadSpec for keys that do not suit the kind of match, or one another."""
    for key, kind, example in (("sets", "fixed", "sets = 500"), ("wins", "first_to", "wins = 20")):
        given = getattr(match, key) is not None
        if given and match.kind != kind:
            words = f'{key} belongs to kind = "{kind}", and kind is "{match.kind}"'
            raise BadSpec(f"match.{key}: {words}.", field=f"match.{key}")
        if match.kind == kind and not given:
            words = f'a match of kind "{kind}" needs its number of deal sets, such as {example}'
            raise BadSpec(f"match.{key}: {words}.", field=f"match.{key}")
    if match.kind == "sequential":
        _check_sequential(match)
    else:
        _check_counted(match)
    if match.cap % match.block:
        raise BadSpec(
            f"match.cap: {match.cap} sets are not a whole number of blocks of {match.block}; "
            f"the nearest caps are {_nearest(match)}.",
            field="match.cap",
        )


def _check_counted(match: MatchRule) -> None:
    """Check a match that ends by a count of sets, which no test decides."""
    for key in ("decide", "alpha", "delta"):
        if getattr(match, key) != getattr(MatchRule(), key):
            words = f'{key} belongs to a sequential match, and kind is "{match.kind}"; leave it out'
            raise BadSpec(f"match.{key}: {words}.", field=f"match.{key}")
    if match.wins is not None and match.wins > match.cap:
        words = f"{match.wins} deal sets cannot be won within a cap of {match.cap}"
        most = f"{MOST_SETS:,} is the largest cap there is"
        raise BadSpec(f"match.wins: {words}; ask for fewer, or raise the cap ({most}).", field="match.wins")
    if match.sets is None:
        return
    if match.cap != match.sets:
        words = f"a fixed match ends after its {match.sets} sets, so a cap of {match.cap} says something else"
        raise BadSpec(f"match.cap: {words}; leave it out.", field="match.cap")
    if match.sets % match.block:
        words = f"{match.sets} sets are not a whole number of blocks of {match.block}"
        possible = f"possible are {_nearest(match)}"
        if not _divide(match.sets):
            possible = f"without a block of your own {_find_nearest(match.sets)} can be played"
        raise BadSpec(f"match.sets: {words}; {possible}.", field="match.sets")


def _divide(sets: int) -> int:
    """Return the largest usual block that divides a fixed match, 0 if none does."""
    return next((block for block in range(min(MOST_BLOCK, sets), 0, -1) if _suits(sets, block)), 0)


def _suits(sets: int, block: int) -> bool:
    return sets % block == 0 and (block >= LEAST_BLOCK or block == sets)


def _find_nearest(sets: int) -> str:
    low = next(one for one in range(sets, 0, -1) if _divide(one))
    high = next(one for one in range(sets, 2 * sets) if _divide(one))
    return f"{low} or {high}"


def _check_sequential(match: MatchRule) -> None:
    if match.decide and match.alpha != MatchRule().alpha:
        raise BadSpec(
            f"match.alpha: {match.alpha:g} belongs to the test for a lead; a match that is played until one"
            " bot is better ends by its interval of 95 %.",
            field="match.alpha",
        )


def _nearest(match: MatchRule) -> str:
    low = match.cap // match.block * match.block
    return f"{low} and {low + match.block}" if low else f"{match.block} and {2 * match.block}"


@lru_cache(maxsize=256)
def parse_exact(number: float) -> Fraction:
    """Return the fraction that a decimal number in a spec means: 0.025 is 1/40."""
    return Fraction(str(number))
