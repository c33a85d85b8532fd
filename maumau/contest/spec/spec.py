"""The spec of a tournament: what is played, by whom at most, in which format, until when.

A spec is written in TOML. Reading is strict: an unknown key, a misspelt word or a number out of its range is
an error that names the key and the known values. Missing keys have the defaults below.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from maumau.contest import strict
from maumau.contest.entrant import MOST_ENTRANTS
from maumau.contest.format import FORMATS, choose_stage, count_meeting, count_seats
from maumau.contest.format.cut import FEWEST, check_takes, list_fields
from maumau.contest.format.seeding import check_seeds
from maumau.contest.format.stage import Stage
from maumau.contest.length import OPTION
from maumau.contest.match_rule import MatchRule, check_match, complete_match
from maumau.contest.mystery import check_mystery, check_open, check_reveal, check_seal, find_reveal
from maumau.contest.score import SEATINGS
from maumau.contest.seed import GAMES, VERSION
from maumau.contest.spec.line import name_line
from maumau.contest.spec.part import BotLimits, Entries, GroupName, Mystery, Schedule
from maumau.contest.whole_game import GAME_BLOCK, PLACES, StageRules, WholeGame, build_stage_rules, hash_all
from maumau.errors import BadOption, BadSpec, TooFewEntrants
from maumau.game import Rules, load_any
from maumau.game.ruleset.toml import load_toml

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
TABLE_BLOCK: Final = 25
"""Deal sets of a block where more than two sit at a table, unless the spec chooses."""


class Spec(msgspec.Struct, frozen=True):
    """A tournament before anybody has entered it. Equal specs mean equal tournaments.

    docs/reference/contest.md shows the strings below the fields. Before the end only `spec.public()` may be
    shown.
    """

    name: Name
    """The name of the tournament."""
    rules: str
    """The variant that is played, or the `.toml` file of one of your own, beside the spec."""
    stages: tuple[Stage, ...] = msgspec.field(name="stage")
    """The stages, in the order in which they are played."""
    options: dict[str, Option] = {}
    """The variant's options that differ from their defaults, by name, and the bound of a deal if one is
    chosen."""
    seats: int = 2
    """How many bots meet in a match: two; a stage of `tables` has `seats` of its own."""
    score: Literal["win", "places", "points"] = "win"
    """The worth of a deal."""
    secret: Secret | None = None
    """The secret that all deals come from, published at the end; without it, one is drawn."""
    entries: Entries = Entries()
    """Rules of entry."""
    schedule: Schedule = Schedule()
    """Dates of automatic steps."""
    release: Literal["public", "participants", "end"] = "public"
    """Who may see results before the tournament is decided; its organiser always may, then everybody."""
    visibility: Literal["public", "unlisted", "group"] = "public"
    """Who sees the tournament: everybody; everybody who has its address, while no list names it; or the
    members of a `group`, while for all others there is no such tournament."""
    group: GroupName | None = None
    """With `visibility = "group"`, the group, which its maker organises."""
    match: MatchRule = MatchRule()
    """The rule that decides a match."""
    game: WholeGame | None = None
    """Whole games in place of single deals, in all stages that say nothing else; without it, deals."""
    bot: BotLimits = BotLimits()
    """Limits of a bot's program."""
    mystery: Mystery | None = None
    """Has the rules sealed until the start or a moment before: `rules`, `options` and the variant's text."""
    variant_toml: str | None = None
    """The text of a variant of your own; `maumau tournament create` fills it in from the file that `rules`
    names."""

    def load_rules(self) -> Rules:
        """Return the rules that are played; raise RulesSealed while nobody may know them."""
        check_open(self)
        return load_any(self.rules, self.variant_toml or "", **self.options)

    def hide_secret(self) -> Spec:
        """Return this spec without its secret."""
        return msgspec.structs.replace(self, secret=None)

    def copy_as(self, name: str, now: datetime) -> Spec:
        """Return this spec for another tournament: without its secret, its salt and times in the past."""
        check_open(self)
        closes, starts = self.entries.closes, self.schedule.starts
        replace = msgspec.structs.replace
        entries = replace(self.entries, closes=closes if closes and closes > now else None)
        schedule = replace(self.schedule, starts=starts if starts and starts > now else None)
        parts = {"entries": entries, "schedule": schedule, "mystery": Mystery() if self.mystery else None}
        return replace(self, name=name, secret=None, **parts)

    @property
    def is_sealed(self) -> bool:
        """True if its rules are not revealed yet."""
        return self.mystery is not None and self.mystery.is_sealed

    @property
    def warnings(self) -> list[str]:
        """Warnings about probably unintended settings, in sentences."""
        closes, starts = self.entries.closes, self.schedule.starts
        if self.entries.opening_minutes or (closes and (starts is None or starts > closes)):
            return []
        return ["the deals come from the arena's secret alone, as entries.opening_minutes is 0"]

    @property
    def shown(self) -> dict[str, Any]:
        """The part that the root binds and an export shows: without secret, entries and schedule.

        `release`, `visibility` and `group` are left out too: they change nothing of the result.
        """
        table = msgspec.to_builtins(self.hide_secret())
        table["stage"] = [stage.shown for stage in self.stages]
        hidden = {"secret", "entries", "schedule", "release", "visibility", "group"} | (
            {key for key in ("mystery", "variant_toml") if getattr(self, key) is None}
        )
        table["match"] = self.match.shown
        self._show_game(table)
        if self.mystery:
            table["mystery"] = self.mystery.shown
        return {key: value for key, value in table.items() if key not in hidden}

    def choose_match(self, stage: int) -> MatchRule:
        """Return the rule that decides the matches of a stage, whose number is from 1."""
        return _choose_match(self.match, sum(map(count_meeting, self.stages[stage - 1 : stage])))

    @property
    def most_seats(self) -> int:
        """The largest number of seats of a table in any stage."""
        return max(map(count_seats, self.stages), default=SEATINGS)

    @property
    def rules_hash(self) -> str:
        """The hash of the rules, options and all, where there are games of all stages; "" while sealed."""
        if self.plays_games:
            return hash_all(self.list_stage_rules())
        return "" if self.is_sealed else self.load_rules().hash

    @property
    def version(self) -> int:
        """The version of its root and export if it begins now."""
        return GAMES if self.plays_games else VERSION

    def list_stage_rules(self) -> list[StageRules]:
        """Return the rules of each stage."""
        numbered = enumerate(self.stages, start=1)
        games = [
            (self.find_game(one), f"stage {number}.game" if one.game else "game") for number, one in numbered
        ]
        return build_stage_rules(self.rules, self.options, self.variant_toml or "", games)

    def to_toml(self) -> str:
        """Return the canonical text in one order; `parse_spec` gives the same spec back.

        Defaults stand in it, too, except those of `visibility` and of a stage's later keys, which an earlier
        release cannot read.
        """
        table = msgspec.to_builtins(self, builtin_types=(datetime,))
        if self.visibility == "public":
            del table["visibility"]
        self._show_game(table)
        table["stage"] = [stage.shown for stage in self.stages]
        table["match"] = self.match.shown
        return strict.write_table(table)

    def _show_game(self, table: dict[str, Any]) -> None:
        """Have the game in a table of this spec as it was given, if there is one."""
        if self.game is None:
            del table["game"]
        else:
            table["game"] = self.game.shown

    def find_game(self, stage: Stage) -> WholeGame | None:
        """Return the game of a stage, None where single deals are played."""
        return stage.game or self.game

    @property
    def plays_games(self) -> bool:
        """True if a stage plays whole games."""
        return any(map(self.find_game, self.stages))


def parse_spec(text: str) -> Spec:
    """Read a spec from TOML; raise `BadSpec`, or the game's own error, with line, key and problem."""
    table = read_table(text)
    with name_line(text):
        return build_spec(table)


def read_table(text: str) -> dict[str, Any]:
    """Return the table of a spec's TOML, unchecked; raise `BadSpec` if it is not TOML."""
    try:
        return load_toml(text)
    except ValueError as error:
        raise BadSpec(f"The spec is not TOML: {error}.", field="spec_toml") from None
    except RecursionError:
        words = "The spec is not TOML that can be read: its values are nested too deeply."
        raise BadSpec(words, field="spec_toml") from None


def build_spec(table: dict[str, Any], *, is_export: bool = False) -> Spec:
    """Build a spec from a table as TOML gives it (key `stage` for the stages), with every check.

    is_export: the table is an export's, which does not say how many could have entered.
    """
    spec = _convert_table(table)
    _check_moments(spec)
    _check_visibility(spec)
    _check_stages(spec)
    check_seeds(spec.stages, spec.entries.guests)
    _check_formats(spec, None if is_export else spec.entries.most)
    check_match(spec.match)
    if spec.seats != 2:
        raise BadSpec(
            f"seats: {spec.seats} cannot be played; two bots meet in a match, so seats is 2. More sit at the "
            'tables of a [[stage]] with format = "tables", which has seats of its own.',
            field="seats",
        )
    check_mystery(spec)
    if spec.is_sealed:
        return spec
    _check_tables(spec)
    spec = msgspec.structs.replace(spec, options=_check_options(spec))
    spec.list_stage_rules()
    check_seal(spec)
    return spec


def _check_moments(spec: Spec) -> None:
    """Raise BadSpec for moments before the year 1 or after 9999 in UTC, which messages cannot hold."""
    moments = {"entries.closes": spec.entries.closes, "schedule.starts": spec.schedule.starts}
    for key, at in (moments | {"mystery.reveal": find_reveal(spec)}).items():
        if at is None:
            continue
        try:
            at.astimezone(UTC)
        except OverflowError:
            raise BadSpec(f"{key}: {at.isoformat()} is out of range.", field=key) from None


def _check_visibility(spec: Spec) -> None:
    """Raise BadSpec unless a group is named exactly where it is for one."""
    if spec.visibility == "group" and spec.group is None:
        raise BadSpec('visibility: "group" needs the name of one: group = "class-9b".', field="group")
    if spec.visibility != "group" and spec.group is not None:
        words = f'a group is named with visibility = "group", and visibility is "{spec.visibility}".'
        raise BadSpec(f"group: {words}", field="group")


def check_seats(rules: Rules, seats: int, key: str) -> None:
    """Raise BadSpec unless these rules allow this number of seats."""
    fewest, most = rules.seats
    if not fewest <= seats <= most:
        words = f"{key}: {rules.name} is played by {fewest} to {most}, not by {seats}."
        raise BadSpec(words, field=strict.name_field(key))


@lru_cache(maxsize=256)
def _choose_match(match: MatchRule, sets: int) -> MatchRule:
    return MatchRule(kind="fixed", block=sets, cap=sets, sets=sets) if sets else match


def check_order(spec: Spec) -> None:
    """Raise BadSpec if its steps are not in order; earlier tournaments may be read so."""
    check_reveal(spec)
    closes, starts = spec.entries.closes, spec.schedule.starts
    if closes and starts and starts < closes:
        raise BadSpec(
            f"schedule.starts: {starts.isoformat()} is before entries close ({closes.isoformat()}).",
            field="schedule.starts",
        )


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
        if stage.format not in FORMATS:
            known = ", ".join(sorted(FORMATS))
            words = f"stage {number}.format: {stage.format!r} is unknown; known: {known}."
            raise BadSpec(words, field=f"stage[{number}].format")


def _check_formats(spec: Spec, most: int | None) -> None:
    """Check the stages for fields up to this size; None: up to the most that a tournament can have.

    Whether a stage suits the next one depends on their number, and is not checked if that is unknown.
    """
    field = MOST_ENTRANTS if most is None else most
    check_takes(spec.stages, field)
    afters = (*spec.stages[1:], None)
    fields = list_fields(spec.stages, field)
    for number, (stage, after, size) in enumerate(zip(spec.stages, afters, fields, strict=True), start=1):
        FORMATS[stage.format].check(stage, f"stage {number}", size)
        if most is not None:
            FORMATS[stage.format].check_next(stage, f"stage {number}", size, after)


def check_start(spec: Spec, entrants: int, guests: int = 0) -> None:
    """Raise TooFewEntrants if one of the stages cannot be played by the bots that have entered."""
    if guests and entrants - guests < FEWEST:
        words = f"At least two entrants must not be guests; there are {entrants - guests}."
        raise TooFewEntrants(words)
    fields = [list_fields(spec.stages, count) for count in (entrants, entrants - guests)]
    is_without = False  # guests play neither in a knock-out nor after a cut, nor in a later stage
    for number, (stage, *field) in enumerate(zip(spec.stages, *fields, strict=True), start=1):
        is_without |= FORMATS[stage.format].has_bracket or stage.take is not None
        FORMATS[stage.format].check_start(stage, f"stage {number}", field[is_without])


def _check_options(spec: Spec) -> dict[str, Option]:
    """Check rules and options by loading them; return the options that differ from the defaults, by name."""
    if spec.rules.endswith(".toml"):
        raise BadSpec(
            f"rules: {spec.rules!r} is a file, which only `maumau tournament create` reads; a spec that is "
            "sent names the variant and has its text under variant_toml.",
            field="rules",
        )
    for number, stage in enumerate(spec.stages, start=1):
        if (seats := count_seats(stage)) > SEATINGS:
            check_seats(load_any(spec.rules, spec.variant_toml or ""), seats, f"stage {number}.seats")
    return check_rules(spec.rules, spec.options, spec.variant_toml or "", spec.seats)


def _convert_table(table: dict[str, Any]) -> Spec:
    """Return the table as a spec; with games or large tables blocks are smaller, unless it says otherwise."""
    spec = strict.convert_table(Spec, table, choose={Stage: choose_stage})
    given = table.get("match", {})
    match = complete_match(spec.match, given)
    is_small = spec.plays_games or spec.most_seats > SEATINGS
    if is_small and "block" not in given and match.kind == "sequential":
        block = GAME_BLOCK if spec.plays_games else TABLE_BLOCK
        match = msgspec.structs.replace(match, block=block)
    return msgspec.structs.replace(spec, match=match)


def _check_tables(spec: Spec) -> None:
    """Raise BadSpec for keys that tables of more than two cannot have."""
    if spec.most_seats == SEATINGS:
        return
    if spec.match.kind != "sequential":
        words = f'a match of kind "{spec.match.kind}" has two players; tables of more play sequential matches'
        raise BadSpec(f"match.kind: {words}.", field="match.kind")
    if spec.score == "points":
        words = "score: places count at tables of more than two, not points; leave score out."
        raise BadSpec(words, field="score")
    if spec.options.get(PLACES) is False and can_play_on(spec):
        words = "at tables of more than two a deal goes on until one has cards left, since places count"
        raise BadSpec(f"options.{PLACES}: {words}; leave it out.", field=f"options.{PLACES}")


def can_play_on(spec: Spec) -> bool:
    """Return True if the rules let a deal go on after the first player is out."""
    try:
        return bool(load_any(spec.rules, spec.variant_toml or "", **{**spec.options, PLACES: True}))
    except BadOption:
        return False


def check_rules(name: str, options: dict[str, Option], text: str, seats: int) -> dict[str, Option]:
    """Return the options that differ from the variant's defaults, in order of name.

    A chosen bound of a deal's length is kept, also if it is the default: no other takes its place. Raises
    BadSpec for a wrong number of seats, and the game's own errors. text: of a custom variant.
    """
    rules = load_any(name, text, **options)
    check_seats(rules, seats, "seats")
    given, default = rules.options, load_any(name, text).options
    return {key: given[key] for key in sorted(options) if key == OPTION or given[key] != default[key]}
