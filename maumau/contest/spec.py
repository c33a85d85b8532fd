"""The spec of a tournament (design §5): what is played, by whom at most, in which format, until when.

A spec is written in TOML. Reading is strict: an unknown key, a misspelt word or a number out of its range is
an error that names the key and says what is known. What is left out has the default written below.
"""

from __future__ import annotations

import tomllib
from datetime import datetime
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from maumau import game
from maumau.contest import strict
from maumau.errors import BadSpec

Name = Annotated[
    str,
    Meta(
        pattern=r"^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?\Z",
        description="1 to 64 of a-z, 0-9, - and _, with a letter or digit at both ends",
    ),
]
Secret = Annotated[
    str, Meta(pattern=r"^[!-~]{16,256}\Z", description="16 to 256 visible ASCII characters without spaces")
]
Option = bool | int | str | list[str | int]


class Entries(msgspec.Struct, frozen=True):
    """Who may enter: until `closes` (an instant with its offset; None: until the start), at most `most`."""

    closes: Annotated[datetime, Meta(tz=True)] | None = None
    most: Annotated[int, Meta(ge=2, le=256)] = 64


class Stage(msgspec.Struct, frozen=True):
    """One stage: a format, the order its entrants are seeded in, and whether third place is played for."""

    format: Literal["round_robin", "single_elimination"]
    seeds: Literal["entry", "previous"] = "entry"
    third_place: bool = False


class Match(msgspec.Struct, frozen=True):
    """When a match is decided (design §2).

    block: deal sets in a block. delta: half the width of the indifference zone, in mean score. alpha: chance
    of a wrong decision at its edge; the bound is ln((1 - alpha) / alpha). cap: deal sets at most before
    sudden death, a whole number of blocks.
    """

    block: Annotated[int, Meta(ge=1, le=1000)] = 100
    delta: Annotated[float, Meta(gt=0, lt=0.5)] = 0.025
    alpha: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    cap: Annotated[int, Meta(ge=1, le=100_000)] = 2000


class Bot(msgspec.Struct, frozen=True):
    """What a program may use: CPU time for a deal in ms, memory in MiB."""

    deal_ms: Annotated[int, Meta(ge=1, le=60_000)] = 100
    memory: Annotated[int, Meta(ge=16, le=16_384)] = 512


class Spec(msgspec.Struct, frozen=True):
    """A tournament before anybody has entered it. Equal specs mean equal tournaments.

    `options` holds only what differs from the variant's defaults. `secret` is the secret all deals come from
    (16 to 256 visible ASCII characters); None: one is drawn. Whoever shows a spec before the end shows
    `spec.public()`.
    """

    name: Name
    rules: str
    stages: tuple[Stage, ...] = msgspec.field(name="stage")
    options: dict[str, Option] = {}
    seats: int = 2
    score: Literal["win", "places", "points"] = "win"
    secret: Secret | None = None
    entries: Entries = Entries()
    match: Match = Match()
    bot: Bot = Bot()

    def public(self) -> Spec:
        """This spec without its secret."""
        return msgspec.structs.replace(self, secret=None)

    def to_toml(self) -> str:
        """The canonical text, defaults too, in one order; `parse_spec` gives the same spec back."""
        return strict.to_toml(self)


def parse_spec(text: str) -> Spec:
    """Read a spec from TOML; `BadSpec`, or the game's own error, says in words what is wrong and where."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSpec(f"The spec is not TOML: {error}.") from None
    return build_spec(table)


def build_spec(table: dict[str, Any]) -> Spec:
    """Build a spec from a table as TOML gives it (key `stage` for the stages), with every check."""
    spec = strict.convert(Spec, table)
    _check_stages(spec)
    _check_match(spec.match)
    if spec.seats != 2:
        raise BadSpec(
            f"seats: {spec.seats} cannot be played; round_robin and single_elimination pair two entrants, "
            "so seats is 2."
        )
    return msgspec.structs.replace(spec, options=_options(spec))


def exact(number: float) -> Fraction:
    """The fraction that a decimal number in a spec means: 0.025 is 1/40."""
    return Fraction(str(number))


def _check_stages(spec: Spec) -> None:
    if not spec.stages:
        raise BadSpec("stage: a tournament has at least one [[stage]].")
    for number, stage in enumerate(spec.stages, start=1):
        if number == 1 and stage.seeds == "previous":
            raise BadSpec('stage 1: seeds is "previous", but there is no stage before it; use "entry".')
        if stage.third_place and stage.format != "single_elimination":
            raise BadSpec(f"stage {number}: third_place belongs to single_elimination, not {stage.format}.")


def _check_match(match: Match) -> None:
    if match.cap % match.block:
        raise BadSpec(
            f"match.cap: {match.cap} sets are no whole number of blocks of {match.block}; "
            f"the nearest caps are {_nearest(match)}."
        )


def _nearest(match: Match) -> str:
    low = match.cap // match.block * match.block
    return f"{low} and {low + match.block}" if low else f"{match.block} and {2 * match.block}"


def _options(spec: Spec) -> dict[str, Option]:
    """Check rules and options by loading them; keep what differs from the defaults, in order of name."""
    given = game.load(spec.rules, **spec.options).options
    default = game.load(spec.rules).options
    return {name: given[name] for name in sorted(spec.options) if given[name] != default[name]}
