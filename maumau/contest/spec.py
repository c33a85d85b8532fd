"""The spec of a tournament: what is played, by whom at most, in which format, until when.

A spec is written in TOML. Reading is strict: an unknown key, a misspelt word or a number out of its range is
an error that names the key and says what is known. What is left out has the default written below.
"""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from maumau import game
from maumau.contest import strict
from maumau.contest.entrant import MOST_ENTRANTS
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


MOST_STAGES: Final = 16


AccountName = Annotated[
    str, Meta(pattern=r"^[a-z0-9-]{3,32}\Z", description="the name of an account, 3 to 32 of a-z, 0-9 and -")
]


class Entries(msgspec.Struct, frozen=True):
    """Who may enter."""

    closes: Annotated[datetime, Meta(tz=True)] | None = None
    """Until when bots may enter, such as `2026-11-30T18:00:00+01:00`; without it, until the start."""
    most: Annotated[int, Meta(ge=2, le=MOST_ENTRANTS)] = 64
    """How many bots may enter at most."""
    per_account: Annotated[int, Meta(ge=1, le=MOST_ENTRANTS)] = 3
    """How many bots of one account may enter, each with a program of its own; the arena's own accounts may
    enter any."""
    opening_minutes: Annotated[int, Meta(ge=0, le=10_080)] = 10
    """How long, after entries have closed, the start waits for nonces that are not opened yet; what is not
    opened by then is in no seed."""
    accounts: tuple[AccountName, ...] | None = None
    """Whose bots may enter, by the names of accounts, such as `["ada", "grace"]`; without it, everybody's."""


class Schedule(msgspec.Struct, frozen=True):
    """What happens by itself, and when."""

    starts: Annotated[datetime, Meta(tz=True)] | None = None
    """When the tournament starts, if its entries are open and two bots have entered; without it, it is
    started by hand."""
    protest_minutes: Annotated[int, Meta(ge=0, le=43_200)] = 0
    """How long, after the last match, the result may be protested and matches taken back before it is final
    and the secret is published."""


class Stage(msgspec.Struct, frozen=True):
    """One stage; the entrants of all stages are the same."""

    format: Literal["round_robin", "single_elimination"]
    """Who plays whom."""
    seeds: Literal["entry", "previous"] = "entry"
    """The order in which the entrants are seeded."""
    third_place: bool = False
    """Whether the losers of the semi-finals play for third place; only in `single_elimination`."""


class Match(msgspec.Struct, frozen=True):
    """When a match is decided: docs/verify.md, "A match"."""

    block: Annotated[int, Meta(ge=1, le=1000)] = 100
    """How many deal sets are played before the match is judged again."""
    delta: Annotated[float, Meta(gt=0, lt=0.5)] = 0.025
    """The lead, in mean score, that a match is meant to find: half the width of the indifference zone."""
    alpha: Annotated[float, Meta(gt=0, lt=0.5)] = 0.05
    """The chance, at most, that of two bots that differ by `delta` the weaker one wins a match."""
    cap: Annotated[int, Meta(ge=1, le=100_000)] = 2000
    """How many deal sets are played at most (before sudden death); a multiple of `block`."""


class Bot(msgspec.Struct, frozen=True):
    """What a bot's program may use."""

    deal_ms: Annotated[int, Meta(ge=1, le=60_000)] = 100
    """CPU time for a deal, in reference milliseconds: docs/time.md."""
    memory: Annotated[int, Meta(ge=16, le=16_384)] = 512
    """Memory in MiB."""


class Spec(msgspec.Struct, frozen=True):
    """A tournament before anybody has entered it. Equal specs mean equal tournaments.

    docs/contest.md shows the strings below the fields. Whoever shows a spec before the end shows
    `spec.public()`.
    """

    name: Name
    """What the tournament is called."""
    rules: str
    """The variant that is played, or the `.toml` file of one of your own, beside the spec."""
    stages: tuple[Stage, ...] = msgspec.field(name="stage")
    """The stages, in the order in which they are played."""
    options: dict[str, Option] = {}
    """The variant's options that differ from their defaults, by name."""
    seats: int = 2
    """How many bots sit at a table: two, since both formats pair two entrants."""
    score: Literal["win", "places", "points"] = "win"
    """What a deal is worth."""
    secret: Secret | None = None
    """The secret that all deals come from, published at the end; without it, one is drawn."""
    entries: Entries = Entries()
    """Who may enter."""
    schedule: Schedule = Schedule()
    """What happens by itself, and when."""
    release: Literal["public", "participants", "end"] = "public"
    """Who may see results before the tournament is over; its organiser always may, afterwards everybody."""
    match: Match = Match()
    """When a match is decided."""
    bot: Bot = Bot()
    """What a bot's program may use."""
    variant_toml: str | None = None
    """The text of a variant of your own; `maumau tournament create` fills it in from the file that `rules`
    names."""

    def load_rules(self) -> game.Rules:
        """What is played."""
        return game.load_any(self.rules, self.variant_toml or "", **self.options)

    def public(self) -> Spec:
        """This spec without its secret."""
        return msgspec.structs.replace(self, secret=None)

    @property
    def warnings(self) -> list[str]:
        """What its author may not have meant, in sentences."""
        closes, starts = self.entries.closes, self.schedule.starts
        if self.entries.opening_minutes or (closes and (starts is None or starts > closes)):
            return []
        words = "entries.opening_minutes is 0, and entries do not close before the start (entries.closes)"
        return [f"no nonce can be opened, so that none is in the seeds: {words}"]

    @property
    def shown(self) -> dict[str, Any]:
        """What the root binds and an export shows: all but the secret, who may enter, and when.

        `release` is left out too: it changes nothing of the result.
        """
        table = msgspec.to_builtins(self.public())
        hidden = {"secret", "entries", "schedule", "release"} | (
            {"variant_toml"} if self.variant_toml is None else set()
        )
        return {key: value for key, value in table.items() if key not in hidden}

    @property
    def rules_hash(self) -> str:
        """The hash of the rules that are played, options and all."""
        return self.load_rules().hash

    def to_toml(self) -> str:
        """The canonical text, defaults too, in one order; `parse_spec` gives the same spec back."""
        return strict.to_toml(self)


def parse_spec(text: str) -> Spec:
    """Read a spec from TOML; `BadSpec`, or the game's own error, says in words what is wrong and where."""
    return build_spec(read_table(text))


def read_table(text: str) -> dict[str, Any]:
    """The table of a spec's TOML, nothing in it checked; `BadSpec` if it is not TOML."""
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise BadSpec(f"The spec is not TOML: {error}.", field="spec_toml") from None
    except RecursionError:
        words = "The spec is not TOML that can be read: its values are nested too deeply."
        raise BadSpec(words, field="spec_toml") from None


def build_spec(table: dict[str, Any]) -> Spec:
    """Build a spec from a table as TOML gives it (key `stage` for the stages), with every check."""
    spec = strict.convert(Spec, table)
    _check_moments(spec)
    _check_stages(spec)
    _check_match(spec.match)
    if spec.seats != 2:
        raise BadSpec(
            f"seats: {spec.seats} cannot be played; round_robin and single_elimination pair two entrants, "
            "so seats is 2.",
            field="seats",
        )
    return msgspec.structs.replace(spec, options=_options(spec))


@lru_cache(maxsize=256)
def exact(number: float) -> Fraction:
    """The fraction that a decimal number in a spec means: 0.025 is 1/40."""
    return Fraction(str(number))


def _check_moments(spec: Spec) -> None:
    """No message can tell a moment before the year 1 or after 9999 in UTC."""
    for key, at in (("entries.closes", spec.entries.closes), ("schedule.starts", spec.schedule.starts)):
        if at is None:
            continue
        try:
            at.astimezone(UTC)
        except OverflowError:
            raise BadSpec(f"{key}: {at.isoformat()} is out of range.", field=key) from None


def _check_stages(spec: Spec) -> None:
    if not spec.stages:
        raise BadSpec("stage: a tournament has at least one [[stage]].", field="stage")
    if len(spec.stages) > MOST_STAGES:
        words = f"stage: {len(spec.stages)} stages are more than the {MOST_STAGES} there may be."
        raise BadSpec(words, field="stage")
    for number, stage in enumerate(spec.stages, start=1):
        if number == 1 and stage.seeds == "previous":
            words = 'stage 1: seeds is "previous", but there is no stage before it; use "entry".'
            raise BadSpec(words, field="stage[1].seeds")
        if stage.third_place and stage.format != "single_elimination":
            words = f"stage {number}: third_place belongs to single_elimination, not {stage.format}."
            raise BadSpec(words, field=f"stage[{number}].third_place")


def _check_match(match: Match) -> None:
    if match.cap % match.block:
        raise BadSpec(
            f"match.cap: {match.cap} sets are not a whole number of blocks of {match.block}; "
            f"the nearest caps are {_nearest(match)}.",
            field="match.cap",
        )


def _nearest(match: Match) -> str:
    low = match.cap // match.block * match.block
    return f"{low} and {low + match.block}" if low else f"{match.block} and {2 * match.block}"


def _options(spec: Spec) -> dict[str, Option]:
    """Check rules and options by loading them; keep what differs from the defaults, in order of name."""
    if spec.rules.endswith(".toml"):
        raise BadSpec(
            f"rules: {spec.rules!r} is a file, which only `maumau tournament create` reads; a spec that is "
            "sent names the variant and has its text under variant_toml.",
            field="rules",
        )
    return check_rules(spec.rules, spec.options, spec.variant_toml or "", spec.seats)


def check_rules(name: str, options: dict[str, Option], text: str, seats: int) -> dict[str, Option]:
    """The options that differ from the variant's defaults, in order of name.

    BadSpec if it is not played by so many, and the game's own errors. text: of a variant of somebody's own.
    """
    rules = game.load_any(name, text, **options)
    fewest, most = rules.seats
    if not fewest <= seats <= most:
        raise BadSpec(f"seats: {name} is played by {fewest} to {most}, not by {seats}.", field="seats")
    given, default = rules.options, game.load_any(name, text).options
    return {key: given[key] for key in sorted(options) if given[key] != default[key]}
