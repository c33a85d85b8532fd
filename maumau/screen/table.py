"""Tables of matches, ratings and anything else, as wide as the terminal lets them be."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import comb
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

from maumau.client.answer import Entry, Match, Standing, Version
from maumau.contest.claim import WALKOVER_RULES, Claim, claim_of
from maumau.screen.output import count_things, minutes

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
    from rich.table import Table

BOUND: Final = 100.0
"""A rating is shown once its interval is at most this many Elo to each side, or clearly on one side of 0."""
SCORE_BOUND: Final = 0.15
"""The bound for the score of a match in progress: 100 Elo are 0.64."""
PLENTY: Final = 500
"""More sets than any bot needs: one that seems to need them has met too few others."""
ALPHA: Final = 0.05
"""The default of a spec."""
MEDIUM, WIDE = 70, 100
"""Columns that a table needs for its second and its last details."""
STAYED: Final = "staying in"
MISSING: Final = "Until a rating is known to within ±100 Elo, the table says how many sets are missing."
OUTSIDE: Final = (
    "A score can lie outside its 95 % interval: the interval allows for the early stop, since a lead that is"
    " large enough for one is partly luck."
)


def write_legend(spec_toml: str) -> list[str]:
    """Return the lines that explain a tournament's tables. spec_toml: its spec, which has alpha."""
    spec = tomllib.loads(spec_toml)
    match, stages = spec.get("match", {}), spec.get("stage", [])
    games = ["game" in spec or "game" in one for one in stages]
    unit = "game" if games and all(games) else "deal or game" if any(games) else "deal"
    scores = f"A {unit} is played once in every seating. Scores are the first bot's, ratings are Elo."
    return [scores, *_explain_matches(match, stages), MISSING]


def _explain_matches(match: dict[str, Any], stages: list[dict[str, Any]]) -> list[str]:
    """Return the lines on what decides a match; a race and counted matches have no test."""
    races = bool(stages) and all(one.get("format") == "race" for one in stages)
    if races or match.get("kind", "sequential") != "sequential":
        return ["No test decides a match: whoever is ahead after its deal sets, or has won enough, wins."]
    seats = max((one.get("seats", 2) for one in stages), default=2)
    return _explain_decision(match.get("alpha", ALPHA), match.get("decide"), seats)


def _explain_decision(alpha: float, decide: str | None, seats: int) -> list[str]:
    if decide == "better":
        return [
            "Is better: the 95 % interval, valid at every moment, excludes one half.",
            "Leads: the cap was reached first.",
        ]
    odds = f"{(1 - alpha) / alpha:.3g} times as likely (alpha {alpha:g})"
    pairs = comb(seats, 2)
    shared = f"At a table of {seats} its {pairs} pairs share alpha: {(pairs - alpha) / alpha:.3g} times."
    return [
        f"Leads: a lead of delta is {odds} as a deficit of delta.",
        *([shared] if pairs > 1 else []),
        "Is better: the 95 % interval excludes one half as well.",
    ]


class Fitted:
    """A table made for the available width; unless it is tight, a line below names omitted columns."""

    def __init__(self, made: Callable[[int], Table], *, tight: bool = False) -> None:
        self.made, self.tight = made, tight

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        shown, whole = self.made(options.max_width), self.made(WIDE)
        yield shown
        headers = [column.header for column in shown.columns]
        left_out = [str(column.header) for column in whole.columns if column.header not in headers]
        if left_out and not self.tight:
            words = f"in a wider terminal or with --json: {', '.join(left_out)}"
            yield Text(fill(words, options.max_width), style="dim")


def is_rating_known(elo: float, low: float, high: float) -> bool:
    """Return True if the interval says something: at most BOUND to either side, or at most the rating."""
    return (high - low) / 2 <= max(BOUND, abs(elo))


def rating_cells(elo: float, low: float, high: float, sets: int, what: str = "set") -> tuple[str, str]:
    """Return a rating and its interval; while that says nothing, how many sets are missing.

    what: the name of one of them, where games are counted.
    """
    if not sets:
        return "", "no result yet"
    if not is_rating_known(elo, low, high):
        return "", _short(sets, (high - low) / 2 / BOUND, what)
    return f"{elo:+z.0f}", f"{low:+z.0f} to {high:+z.0f}"


def score_cells(estimate: float, low: float, high: float, sets: int) -> tuple[str, str]:
    """Return a score and its interval; while that says nothing, how many sets are missing."""
    half = (high - low) / 2
    if not sets:
        return "", "no result yet"
    if half > SCORE_BOUND:
        return "", _short(sets, half / SCORE_BOUND)
    return f"{estimate:.3f}", f"{low:.3f} to {high:.3f}"


def _short(sets: int, times: float, what: str = "set") -> str:
    """Return what is missing: an interval shrinks with the root of the number, given enough opponents."""
    missing = max(1, round(sets * (times * times - 1)))
    if missing > PLENTY:
        return "needs more opponents"
    return f"about {count_things(missing, what)} short"


def match_table(
    matches: Iterable[Match], ahead: dict[str, int] | None = None, *, tight: bool = False
) -> Fitted:
    """Return a table of matches with estimate, interval, sets, and the winner with the rule."""
    shown = list(matches)
    return Fitted(lambda width: _match_table(shown, ahead or {}, width, tight=tight), tight=tight)


def _match_table(matches: Sequence[Match], ahead: dict[str, int], width: int, *, tight: bool) -> Table:
    wide = width >= MEDIUM
    made = table(
        "match", "first", "second", ">score", *([">95 %"] if wide else []), ">sets", "result", tight=tight
    )
    for match in matches:
        more = ahead.get(match.label, 0) if match.state == "playing" else 0
        score = _score(match)
        sets = f"{match.sets} + {more}" if more else str(match.sets)
        cells = (score if wide else score[:1]) + (sets, result(match))
        first, *others = match.names.values()
        made.add_row(match.label, first, ", ".join(others), *cells)
    return made


def _score(match: Match) -> tuple[str, ...]:
    if match.state != "decided":
        return score_cells(match.estimate, match.low, match.high, match.sets)
    return (f"{match.estimate:.3f}", f"{match.low:.3f} to {match.high:.3f}") if match.sets else ("", "")


def explain_scores(matches: Iterable[Match]) -> list[str]:
    """Return the line that explains a score shown outside its interval, nothing if there is none."""
    return [OUTSIDE] if any(match.is_score_outside and _score(match)[0] for match in matches) else []


def result(match: Match) -> str:
    """Return the state of an open match; of a decided one the winner, with the rule or the claim."""
    if match.state != "decided":
        return match.state
    names = match.names
    rule = name_rule(match)
    if len(match.ahead) > 1:
        going = f"{', '.join(names[one] for one in match.ahead)} go on"
        return going if match.rule == "sequential" else f"{going} ({rule})"
    if not match.winner:
        return match.rule
    if match.rule == "sequential":
        return f"{names[match.winner]} {'is better' if match_claim(match) == 'better' else 'leads'}"
    return f"{names[match.winner]} ({rule})"


def name_rule(match: Match) -> str:
    """Return by what a match was decided; the winner of a walkover is not the one who has gone."""
    return "walkover" if match.rule in WALKOVER_RULES else match.rule


def match_claim(match: Match) -> Claim:
    """Return the claim about a decided match's winner; "" if it has no winner by its deals."""
    if match.players:
        return "leads" if match.state == "decided" and match.winner else ""
    won = match.winner == match.first if match.winner else None
    return claim_of(won_by_first=won, rule=match.rule, low=match.low, high=match.high)


def standing_table(
    standings: Iterable[Standing], entries: Iterable[Entry] = (), *, tight: bool = False
) -> Fitted:
    """Return the table: rating with its interval, sets, matches, and what put each above the next.

    entries: those of the tournament; a bot that has left or was disqualified says so in its own row.
    """
    shown, gone = list(standings), {entry.number: describe_departure(entry) for entry in entries}
    return Fitted(lambda width: _standing_table(shown, gone, width, tight=tight), tight=tight)


def describe_departure(entry: Entry) -> str:
    """Return how an entrant left, or that it is a guest, in parentheses, or an empty string."""
    if entry.disqualified or entry.withdrawn:
        return " (disqualified)" if entry.disqualified else " (withdrawn)"
    return " (guest)" if entry.guest else ""


def _standing_table(
    standings: Sequence[Standing], gone: Mapping[int, str], width: int, *, tight: bool
) -> Table:
    more = [">won", ">lost"] if width >= MEDIUM else []
    most = [">level", ">faults", "above the next by"] if width >= WIDE else []
    made = table(">#", "bot", ">rating", ">95 %", ">sets", *more, *most, tight=tight)
    for line in standings:
        cells = rating_cells(line.rating, line.low, line.high, line.sets)
        counts = [line.sets, *([line.won, line.lost] if more else [])]
        counts += [line.level, line.faults] if most else []
        rule = [STAYED if line.rule in WALKOVER_RULES else line.rule] if most else []
        name = line.bot_name + gone.get(line.entrant, "")
        made.add_row(str(line.rank), name, *cells, *map(str, counts), *rule)
    return made


def clock(at: datetime | None) -> str:
    """Return a time by the reader's own clock, with its zone; empty if it is unknown, or still to come."""
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S %Z}" if at else ""


def say_span(start: datetime | None, end: datetime | None) -> str:
    """Return a duration; empty if one of its ends is unknown, or the start is later."""
    if not start or not end or end < start:
        return ""
    seconds = (end - start).total_seconds()
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"


def how_far(version: Version) -> str:
    """Return the progress of a version's validation, or its place in the queue."""
    if not version.queue_place:
        return version.progress or version.state
    about = f", about {minutes(version.queue_seconds)}" if version.queue_seconds else ""
    return f"number {version.queue_place} in the queue{about}"


def table(*columns: str, tight: bool = False) -> Table:
    """Return a table without lines, each row one line; a column that begins with > is aligned right.

    `plain` has no rule below the names of the columns either.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(
        box=None if tight else SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        header_style="dim" if tight else "bold",
    )
    for column in columns:
        justify: JustifyMethod = "right" if column.startswith(">") else "left"
        made.add_column(column.lstrip(">"), justify=justify, no_wrap=tight)
    return made
