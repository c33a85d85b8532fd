"""Templates, and the numbers of the figures in them. Everything is escaped."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from maumau.answer import Match, Standing
from maumau.page.words import show_cards
from services.web.mark import mark
from services.web.words import TONGUES, WORDS, Tongue

FOLDER = Path(__file__).parent
BOUND = log(19)  # of the sequential test, where alpha is as usual
DIGEST = 10  # hex digits that tell one state of a part from another


class Whisker(NamedTuple):
    """An interval on an axis from 0 to 100: its ends and its dot; least and most are the axis's ends."""

    low: float
    dot: float
    high: float
    least: float
    most: float


def whisker(estimate: float, low: float, high: float) -> Whisker:
    """Of a score: the axis is symmetrical about one half and grows by tenths until the interval fits."""
    reach = next((r / 10 for r in range(1, 6) if 0.5 - r / 10 <= low and high <= 0.5 + r / 10), 0.5)
    axis = [50 + 50 * (value - 0.5) / reach for value in (low, estimate, high)]
    bounded = [round(min(100.0, max(0.0, value)), 2) for value in axis]
    return Whisker(bounded[0], bounded[1], bounded[2], 0.5 - reach, 0.5 + reach)


def verdict(match: Match) -> str:
    """What may be said of a match: `level`, `won`, or `better` where the interval excludes one half."""
    if not match.winner:
        return "level"
    return "better" if match.low > 0.5 or match.high < 0.5 else "won"


def winner_first(match: Match) -> tuple[str, str, float]:
    """Winner, loser, and the winner's score."""
    if match.winner == match.second:
        return match.second_name, match.first_name, 1 - match.estimate
    return match.first_name, match.second_name, match.estimate


class Axis(NamedTuple):
    """An axis of ratings: its ends in Elo, and where on its 200 units zero lies, None if it does not."""

    least: float
    most: float
    zero: float | None


def rating_axis(standings: Sequence[Standing]) -> Axis:
    """An axis that holds every interval that says something."""
    said = [s for s in standings if _says_something(s)]
    least = min((s.low for s in said), default=-100.0)
    most = max((s.high for s in said), default=100.0)
    room = 0.04 * max(most - least, 1.0)
    least, most = least - room, most + room
    zero = round(200 * -least / (most - least), 1)
    return Axis(least, most, zero if 0 <= zero <= 200 else None)


def on_axis(axis: Axis, standing: Standing) -> tuple[float, float, float] | None:
    """Low end, dot and high end of an interval in units of its axis; None if it is too wide."""
    if not _says_something(standing):
        return None
    places = (standing.low, standing.rating, standing.high)
    low, dot, high = (round(200 * (value - axis.least) / (axis.most - axis.least), 1) for value in places)
    return low, dot, high


def _says_something(standing: Standing) -> bool:
    """As in the terminal: at most 100 Elo either way, or at most the rating itself."""
    return standing.sets > 0 and (standing.high - standing.low) / 2 <= max(100.0, abs(standing.rating))


class Cell(NamedTuple):
    """A match seen from one of its sides: `won`, `lost`, `level` or `open`, and that side's score."""

    label: str
    kind: str
    score: float
    sets: int


class Row(NamedTuple):
    """A line of a crosstable: None where a bot meets itself, "" where there is no match."""

    name: str
    cells: list[Cell | str | None]


def crosstable(view: Any) -> list[Row]:
    """The matches of the round robin, the best first; of pairs that met more than once the last."""
    met = [m for m in view.matches if m.format == "round_robin" and m.state != "withdrawn"]
    order = [s.entrant for s in view.standings]
    order += [e.number for e in view.tournament.entries if e.number not in order]
    names = {e.number: e.bot_name for e in view.tournament.entries}
    cells: dict[tuple[int, int], Cell] = {}
    for m in met:
        cells[m.first, m.second] = _cell(m, m.first, m.estimate)
        cells[m.second, m.first] = _cell(m, m.second, 1 - m.estimate)
    playing = [n for n in order if any(n in pair for pair in cells)]
    return [
        Row(names[n], [None if n == other else cells.get((n, other), "") for other in playing])
        for n in playing
    ]


def _cell(match: Match, side: int, score: float) -> Cell:
    kind = "open"
    if match.state == "decided":
        kind = "level" if not match.winner else "won" if match.winner == side else "lost"
    return Cell(match.label, kind, score, match.sets)


def llr_place(llr: float) -> float:
    """Where a log likelihood ratio lies on the walk's axis: its bounds, ±ln 19, are at 10 and 190."""
    share = max(-1.0, min(1.0, llr / BOUND))
    return round(100 + 90 * share, 1)


def round_name(t: Tongue, name: str) -> str:
    """A round's name in the language of the page."""
    head, _, number = name.partition(" ")
    return t("round_n", n=number) if head == "round" else t(name) if name in WORDS else name


def entry_name(view: Any, number: int) -> str:
    """The name of the entrant with this number."""
    return next((e.bot_name for e in view.tournament.entries if e.number == number), "")


class Renderer:
    """Pages and their parts in every language. `assets` is the path under which files are served."""

    def __init__(self, assets: str) -> None:
        self._env = Environment(
            loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        known = (
            rating_axis, on_axis, crosstable, llr_place, round_name, entry_name, show_cards, mark, whisker,
            verdict, winner_first, clock,
        )  # fmt: skip
        self._env.globals.update({each.__name__: each for each in known}, assets=assets)

    def page(self, name: str, language: str, **values: Any) -> str:
        """A whole page from `templates/NAME.html`."""
        return self._env.get_template(f"{name}.html").render(t=TONGUES[language], **values)

    def part(self, name: str, language: str, **values: Any) -> str:
        """What stands inside the element with the id NAME."""
        return self._env.get_template(f"parts/{name}.html").render(t=TONGUES[language], **values).strip()


def digest(text: str) -> str:
    """What tells this text from others."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:DIGEST]


def clock(seconds: float) -> str:
    """Hours, minutes and seconds, UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S")
