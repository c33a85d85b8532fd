"""Templates, and what they ask of the values in them. Everything is escaped."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from maumau.answer import Entry, Ladder, Match
from maumau.arena_status import say_span
from maumau.link import new_request_id
from maumau.page.mark import make_mark
from maumau.page.words import show_cards
from services.web.figure import on_axis, rating_axis, rating_of, share, whisker
from services.web.history import draw_history
from services.web.live_table import name_of
from services.web.status import (
    bound_words,
    count_words,
    needs_line,
    state_words,
    verdict_words,
    wait_words,
)
from services.web.tree import draw_tree, list_slots, sides, third_place
from services.web.view import sides_of
from services.web.walk import STRIP_CELLS, draw_walk, said_scores, score_kind
from services.web.words import TONGUES, WORDS, Tongue

FOLDER = Path(__file__).parent
DIGEST = 10  # hex digits that tell one state of a part from another


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


def round_name(t: Tongue, name: str) -> str:
    """A round's name in the language of the page."""
    head, _, number = name.partition(" ")
    return t("round_n", n=number) if head == "round" else t(name) if name in WORDS else name


def rule_words(t: Tongue, rule: str) -> str:
    """What decided a match, in the language of the page."""
    key = f"rule_{rule.replace(': ', '_').replace(' ', '_')}"
    return t(key) if key in WORDS else rule


def ladder_facts(t: Tongue, ladder: Ladder) -> str:
    """How many bots are on a ladder and how many deal sets they have played."""
    bots = t.count("bots", ladder.members)
    sets = t.count("deal_sets", ladder.sets)
    return t("ladder_facts", bots=bots, sets=sets, epoch=ladder.epoch)


def entry_name(view: Any, number: int) -> str:
    """The name of the entrant with this number."""
    return next((e.bot_name for e in view.tournament.entries if e.number == number), "")


def entries_by_number(view: Any) -> dict[int, Entry]:
    """A contest's entries by their numbers, for what became of them."""
    return {each.number: each for each in view.tournament.entries}


class Renderer:
    """Pages and their parts in every language. `assets` is the path under which files are served."""

    def __init__(self, assets: str) -> None:
        self._env = Environment(
            loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        functions = (
            rating_axis, on_axis, rating_of, whisker, crosstable, round_name, entry_name,
            show_cards, make_mark, verdict, winner_first, clock, chance, query, known, moment,
            share, draw_history, sides_of, name_of, new_request_id, draw_walk, said_scores, score_kind,
            draw_tree, list_slots, third_place, sides, rule_words,
            entries_by_number, ladder_facts, bound_words, count_words, needs_line, state_words, verdict_words,
            wait_words, say_span,
        )  # fmt: skip
        self._env.globals.update(
            {each.__name__: each for each in functions}, assets=assets, STRIP_CELLS=STRIP_CELLS
        )

    def page(self, name: str, language: str, /, **values: Any) -> str:
        """A whole page from `templates/NAME.html`."""
        return self._env.get_template(f"{name}.html").render(t=TONGUES[language], **values)

    def part(self, name: str, language: str, /, **values: Any) -> str:
        """What stands inside the element with the id NAME."""
        return self._env.get_template(f"parts/{name}.html").render(t=TONGUES[language], **values).strip()


def chance(t: Tongue, share: float) -> str:
    """A chance in whole percents; one that is nearly 0 or 1 is never said to be it."""
    if 0.01 <= share <= 0.99:
        return f"{t.number(100 * share)} %"
    return t("less_than", n="1 %") if share < 0.5 else t("more_than", n="99 %")


def query(**values: str) -> str:
    """The part of an address after the path, with what is not empty; "" if all is."""
    text = urlencode({name: value for name, value in values.items() if value}, quote_via=quote)
    return f"?{text}" if text else ""


def digest(text: str) -> str:
    """What tells this text from others."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:DIGEST]


def known(key: str) -> bool:
    """Whether the catalogue has words for this."""
    return key in WORDS


def moment(at: datetime) -> str:
    """Day and time, UTC."""
    return at.strftime("%Y-%m-%d %H:%M")


def clock(seconds: float) -> str:
    """Hours, minutes and seconds, UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S")
