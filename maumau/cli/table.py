"""Tables of matches, ratings and anything else, as wide as the terminal lets them be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Final

from maumau.answer import Match, Standing
from maumau.contest.claim import Claim, claim_of

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
    from rich.table import Table

BOUND: Final = 100.0
"""A rating is shown once its interval is at most this many Elo to each side, or clearly on one side of 0."""
SCORE_BOUND: Final = 0.15
"""The same for the score of a match that is being played: 100 Elo are 0.64."""
PLENTY: Final = 500
"""More deals than any bot needs to be known so well: one that seems to need them has met too few others."""
MEDIUM, WIDE = 70, 100
"""Columns that a table needs for its second and its last details."""
LEGEND: Final = (
    "A deal is played once in every seating. Scores are the first bot's, ratings are Elo.\n"
    "Leads: a lead of delta is 19 times as likely (alpha 0.05) as a deficit of delta.\n"
    "Is better: the 95 % interval excludes one half as well.\n"
    "Until a rating is known to within ±100 Elo, the table says how many deals are missing."
)


class Fitted:
    """A table made for the width there is; unless it is tight, a line below names what was left out."""

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


def rating_cells(elo: float, low: float, high: float, deals: int) -> tuple[str, str]:
    """A rating and its interval; as long as that says nothing, how many deals are missing."""
    half = (high - low) / 2
    if not deals:
        return "", "no result yet"
    if half > max(BOUND, abs(elo)):
        return "", _short(deals, half / BOUND)
    return f"{elo:+z.0f}", f"{low:+z.0f} to {high:+z.0f}"


def score_cells(estimate: float, low: float, high: float, deals: int) -> tuple[str, str]:
    """A score and its interval, in the same way."""
    half = (high - low) / 2
    if not deals:
        return "", "no result yet"
    if half > SCORE_BOUND:
        return "", _short(deals, half / SCORE_BOUND)
    return f"{estimate:.3f}", f"{low:.3f} to {high:.3f}"


def _short(deals: int, times: float) -> str:
    """An interval shrinks with the root of the number of deals, if they link the bot to all the others."""
    missing = max(1, round(deals * (times * times - 1)))
    if missing > PLENTY:
        return "needs more opponents"
    return f"about {missing:,} {'deal' if missing == 1 else 'deals'} short"


def match_table(
    matches: Iterable[Match], ahead: dict[str, int] | None = None, *, tight: bool = False
) -> Fitted:
    """Matches with estimate, interval, deals, and who won by which rule."""
    shown = list(matches)
    return Fitted(lambda width: _match_table(shown, ahead or {}, width, tight=tight), tight=tight)


def _match_table(matches: Sequence[Match], ahead: dict[str, int], width: int, *, tight: bool) -> Table:
    wide = width >= MEDIUM
    made = table(
        "match", "first", "second", ">score", *([">95 %"] if wide else []), ">deals", "result", tight=tight
    )
    for match in matches:
        more = ahead.get(match.label, 0) if match.state == "playing" else 0
        score = _score(match)
        deals = f"{match.sets} + {more}" if more else str(match.sets)
        cells = (score if wide else score[:1]) + (deals, result(match))
        made.add_row(match.label, match.first_name, match.second_name, *cells)
    return made


def _score(match: Match) -> tuple[str, ...]:
    if match.state != "decided":
        return score_cells(match.estimate, match.low, match.high, match.sets)
    return (f"{match.estimate:.3f}", f"{match.low:.3f} to {match.high:.3f}") if match.sets else ("", "")


def result(match: Match) -> str:
    """The state of an open match; of a decided one the winner, by which rule, or by its deals how surely."""
    if match.state != "decided":
        return match.state
    names = {match.first: match.first_name, match.second: match.second_name}
    if not match.winner:
        return match.rule
    if match.rule == "sequential":
        return f"{names[match.winner]} {'is better' if match_claim(match) == 'better' else 'leads'}"
    return f"{names[match.winner]} ({match.rule})"


def match_claim(match: Match) -> Claim:
    """Whether the winner of a decided match is better or only leads; "" if it has no winner by its deals."""
    won = match.winner == match.first if match.winner else None
    return claim_of(won_by_first=won, rule=match.rule, low=match.low, high=match.high)


def standing_table(standings: Iterable[Standing], *, tight: bool = False) -> Fitted:
    """The table: rating with its interval, deals, matches, and what decided each place."""
    shown = list(standings)
    return Fitted(lambda width: _standing_table(shown, width, tight=tight), tight=tight)


def _standing_table(standings: Sequence[Standing], width: int, *, tight: bool) -> Table:
    more = [">won", ">lost"] if width >= MEDIUM else []
    most = [">level", ">faults", "decided by"] if width >= WIDE else []
    made = table(">#", "bot", ">rating", ">95 %", ">deals", *more, *most, tight=tight)
    for line in standings:
        cells = rating_cells(line.rating, line.low, line.high, line.sets)
        counts = [line.sets, *([line.won, line.lost] if more else [])]
        counts += [line.level, line.faults] if most else []
        rule = [line.rule] if most else []
        made.add_row(str(line.rank), line.bot_name, *cells, *map(str, counts), *rule)
    return made


def clock(at: datetime | None) -> str:
    """A moment by the reader's own clock; empty if it is not known, or not there yet."""
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S}" if at else ""


def say_span(start: datetime | None, end: datetime | None) -> str:
    """How long something took; empty if one of its ends is not known, or the start came again since."""
    if not start or not end or end < start:
        return ""
    seconds = (end - start).total_seconds()
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"


def table(*columns: str, tight: bool = False) -> Table:
    """A table without lines, each row one line; a column that begins with > is set flush right.

    `plain` has no rule below the names of the columns either.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(
        box=None if tight else SIMPLE_HEAD, pad_edge=False, show_edge=False,
        header_style="dim" if tight else "bold",
    )  # fmt: skip
    for column in columns:
        justify: JustifyMethod = "right" if column.startswith(">") else "left"
        made.add_column(column.lstrip(">"), justify=justify, no_wrap=tight)
    return made
