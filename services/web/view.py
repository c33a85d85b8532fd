"""What a page's parts are made of: values for the templates, and the deal at the table as data."""

from collections.abc import Mapping
from typing import Any

from maumau.cli.pile import top_after
from maumau.page.words import tell_event
from services.web.mark import mark
from services.web.table import STEP, ShownDeal


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
        "set": deal.set,
        "seating": deal.seating,
        "players": [{"name": name, "hue": (m := mark(name)).hue, "path": m.path} for name in names],
        "events": deal.events,
        "words": [tell_event(event, names, language) for event in deal.events],
        "tops": [top_after(deal.events[: n + 1]) for n in range(len(deal.events))],
        "counts": [deal.counts[n : n + seats] for n in range(0, len(deal.counts), seats)],
        "places": deal.places,
        "points": deal.points,
    }
