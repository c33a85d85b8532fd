"""What a page's parts are made of: values for the templates, and the deal at the table as data."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from maumau.cli.pile import top_after
from maumau.page.mark import make_mark
from maumau.page.words import tell_event
from services.web.table import STEP, ShownDeal
from services.web.words import TONGUES, Tongue


def deal_data(shown: ShownDeal, now: float, language: str) -> Mapping[str, Any]:
    """The deal on the table: who sits where, and after each event its words, the top of the pile, the hands.

    age: seconds since its show began. tops: card, wish and claim, each "" if there is none. counts: cards in
    hand by seat.
    """
    deal, match = shown.deal, shown.match
    entrants = (match.first_name, match.second_name)
    names = [entrants[number] for number in deal.entrants]
    seats = len(names)
    return {
        "key": shown.key,
        "shown": shown.known(now),
        "age": round(now - shown.began, 2),
        "step": STEP,
        "contest": shown.contest,
        "label": match.label,
        "where": _where(shown, TONGUES[language]),
        "href": f"/contests/{quote(shown.contest, safe='')}/matches/{quote(match.label, safe='')}",
        "players": [{"name": name, "hue": (m := make_mark(name)).hue, "path": m.path} for name in names],
        "events": deal.events,
        "words": [tell_event(event, names, language) for event in deal.events],
        "tops": [top_after(deal.events[: n + 1]) for n in range(len(deal.events))],
        "counts": [deal.counts[n : n + seats] for n in range(0, len(deal.counts), seats)],
        "places": deal.places,
        "points": deal.points,
        "hands": shown.hands,
        "clocks": (),  # only live tables have them
    }


def _where(shown: ShownDeal, t: Tongue) -> str:
    what = f"{t('set_n', n=shown.deal.set)}, {t('seating_n', n=shown.deal.seating + 1)}"
    return t("from_archive", what=what) if shown.hands else what


def sides_of(count: int) -> list[str]:
    """Where each seat sits, as `sidesOf` in board.js: the first at the bottom, the others clockwise."""
    return {1: ["bottom"], 2: ["bottom", "top"], 3: ["bottom", "left", "right"]}.get(
        count, ["bottom", "left", *["top"] * (count - 3), "right"]
    )
