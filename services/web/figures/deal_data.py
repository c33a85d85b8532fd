"""Data for a page's parts: values for the templates, and the deal on show."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from maumau.client.live import Table
from maumau.game.notation.action import SEATS
from maumau.page.mark import make_mark
from maumau.page.pile import Top, follow_tops
from maumau.page.words import tell_event
from services.shared.base.auth import GUEST_NAME
from services.web.figures.shown_deal import STEP, ShownDeal, ShownGame
from services.web.words import TONGUES, Tongue


def deal_data(shown: ShownDeal, now: float, language: str) -> Mapping[str, Any]:
    """Return the deal on show: players by seat, and for each event its sentence, top of the pile and hands.

    age: seconds since its start. tops: card, wish and claim, each "" if there is none. counts: cards in
    hand by seat.
    """
    deal, game = shown.deal, shown.game
    names = tuple(game.names[number] for number in deal.entrants)
    seats = len(names)
    words, tops = _read_events(deal.events, names, language)
    return {
        "key": shown.key,
        "shown": shown.known(now),
        "age": round(now - shown.began, 2),
        "step": STEP,
        "contest": game.contest,
        "label": game.label,
        "where": _describe_place(shown, TONGUES[language]),
        "href": _build_address(game),
        "players": [{"name": name, "hue": (m := make_mark(name)).hue, "path": m.path} for name in names],
        "events": deal.events,
        "words": words,
        "tops": tops,
        "counts": [deal.counts[n : n + seats] for n in range(0, len(deal.counts), seats)],
        "places": deal.places,
        "points": deal.points,
        "hands": shown.hands,
        "clocks": (),  # only live tables have them
    }


@lru_cache(maxsize=64)
def _read_events(
    events: tuple[str, ...], names: tuple[str, ...], language: str
) -> tuple[tuple[str, ...], tuple[Top, ...]]:
    """Return for each event its sentence and the top of the pile; several pages show one deal, repeatedly."""
    return tuple(tell_event(event, names, language) for event in events), tuple(follow_tops(events))


def _describe_place(shown: ShownDeal, t: Tongue) -> str:
    """Return where the deal is from; its numbers are those that commands take and show."""
    what = f"{t('set_n', n=shown.deal.set)}, {t('seating_n', n=shown.deal.seating)}"
    if shown.game.is_ladder:
        return t("from_ladder", ladder=shown.game.contest, what=what)
    return t("from_archive" if shown.hands else "from_match", what=what)


def _build_address(game: ShownGame) -> str:
    """Return the address of a match or of a pairing."""
    name, label = quote(game.contest, safe=""), quote(game.label, safe="")
    return f"/ladders/{name}/pairings/{label}" if game.is_ladder else f"/contests/{name}/matches/{label}"


def name_player(t: Tongue, table: Table, seat: int) -> str:
    """Return the name of the player at a seat of a live table, a guest's in the reader's language."""
    name, is_bot = table.names[seat], bool(table.bot_names and table.bot_names[seat])
    if name == GUEST_NAME and not is_bot:
        return t("guest_name")
    return name or t("seat_n", n=SEATS[seat])


def list_winners(t: Tongue, table: Table) -> list[str]:
    """Return the names of the players of a live table who came first."""
    return [name_player(t, table, seat) for seat, place in enumerate(table.places) if place == 1]


def sides_of(count: int) -> list[str]:
    """Return the place of each seat, as `sidesOf` in board.js: the first at the bottom, then clockwise."""
    return {1: ["bottom"], 2: ["bottom", "top"], 3: ["bottom", "left", "right"]}.get(
        count, ["bottom", "left", *["top"] * (count - 3), "right"]
    )
