"""The pages of reviews: of a deal of a match, of a pairing, and of a live table that is over."""

from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import quote, urlencode

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from maumau.client.answer import RuleSet
from maumau.client.live import Table
from maumau.errors import BadRequest, NotYours
from maumau.game.notation.action import SEATS
from maumau.page.words import tell_choice, tell_event
from services.shared.base.peer import find_source
from services.web.client import Arena
from services.web.delivery.frame import Frame, language_of
from services.web.delivery.reviewer import Reviewer, make_order
from services.web.figures.deal_data import name_player
from services.web.figures.review_curve import draw_review
from services.web.public.deals.deal_sets import ShownSet
from services.web.words import TONGUES, Tongue

PLAY_ON: Final = "/play/from"
OK: Final = 200
STATUS: Final = {"busy": 503, "often": 429, "failed": 500}
"""Statuses of pages without their review, by its state."""
AGAIN: Final = {"waiting": 3, "busy": 20, "often": 20}
"""Seconds until they are loaded again."""


class Reviewed(Struct, frozen=True):
    """Deals that can be reviewed: their records with the players by seat, and the way to them.

    replay: address of their replay, "" if there is none.
    """

    deals: tuple[tuple[str, tuple[str, ...]], ...]
    way: tuple[tuple[str, str], ...]
    at: str
    replay: str
    rules: RuleSet | None = None


FindSet = Callable[[Request], Awaitable[ShownSet]]


class ReviewPages:
    """Handlers of these pages; they raise the arena's errors, which `app` turns into pages."""

    def __init__(self, arena: Arena, frame: Frame, reviewer: Reviewer) -> None:
        self._arena, self._frame, self._reviewer = arena, frame, reviewer

    async def show_set(self, here: str, find: FindSet, request: Request) -> Response:
        """Show the review of a deal of a set; whoever may not see the replay does not see it either."""
        return self._show_review(request, here, review_of_set(await find(request)))

    async def show_table(self, request: Request) -> Response:
        """Show the review of a live table's deal; raise NotYours while it is played."""
        table = await self._arena.get_table(request.path_params["id"])
        return self._show_review(request, "tables", find_reviewed_table(table, TONGUES[language_of(request)]))

    def _show_review(self, request: Request, here: str, found: Reviewed) -> Response:
        status, values = describe_review(self._reviewer, request, found)
        response = self._frame.render_page(request, "review", here=here, **values)
        if response.status_code == OK and values["review"] is None:
            response.headers["cache-control"] = "no-store"
            response.status_code = status
        return response


def describe_review(reviewer: Reviewer, request: Request, found: Reviewed) -> tuple[int, dict[str, Any]]:
    """Return the status of the page of a review, and what its template shows; begin it if need be.

    The deal and the seat are named in the address.
    """
    number, seat = _read_choice(request, found)
    record, names = found.deals[number]
    order = make_order(record, seat, found.rules)
    outcome = reviewer.find_review(order, find_source(request.client.host if request.client else ""))
    language, review = language_of(request), outcome.review
    return STATUS.get(outcome.state, OK), {
        "found": found,
        "state": outcome.state,
        "review": review,
        "number": number,
        "seat": seat,
        "names": names,
        "letters": SEATS,
        "play_on": lambda stage=0: link_moment(found.at, seat, stage, number),
        "again": AGAIN.get(outcome.state, 0),
        "curve": draw_review(review) if review else None,
        "tell_fault": lambda one: tell_event(f"forfeit {SEATS[one.seat]} {one.kind}", names, language),
        "say": lambda action: tell_choice(action, names, language),
    }


def find_reviewed_table(table: Table, t: Tongue) -> Reviewed:
    """Return the deal of a live table as it can be reviewed; raise NotYours while it is played."""
    if not (table.record and table.places):
        raise NotYours("A table's deal can be reviewed when it has been played to its end.")
    at = f"/tables/{quote(table.id, safe='')}"
    names = tuple(name_player(t, table, seat) for seat in range(len(table.names)))
    own = RuleSet(table.rules, table.options_json, "", table.variant_toml) if table.variant_toml else None
    way = ((t("live_table"), at),)
    return Reviewed(((table.record, names),), way, f"{at}/review", "", own)


def link_moment(of: str, seat: int, stage: int = 0, deal: int = 0) -> str:
    """Return the address of the page on which one plays a reviewed deal on from a stage of its replay."""
    named = {"of": of, "deal": deal, "seat": SEATS[seat], "at": stage}
    return f"{PLAY_ON}?{urlencode(named, quote_via=quote, safe='/')}"


def review_of_set(found: ShownSet) -> Reviewed:
    """Return the deals of a set as they can be reviewed."""
    number, listed = found.played.number, found.listed
    deals = tuple(
        (deal.record, tuple(listed.names[entrant] for entrant in deal.entrants))
        for deal in found.played.deals
    )
    here = f"{listed.at}/{number}"
    return Reviewed(deals, listed.way, f"{here}/review", here, found.rules)


def _read_choice(request: Request, found: Reviewed) -> tuple[int, int]:
    """Return the numbers of the deal and of the seat in an address; raise BadRequest for others."""
    typed, letter = request.query_params.get("deal", "0"), request.query_params.get("seat", "A")
    if not (typed.isascii() and typed.isdigit() and len(typed) < 4 and int(typed) < len(found.deals)):
        raise BadRequest(f"There are the deals 0 to {len(found.deals) - 1}.", field="deal")
    seats = SEATS[: len(found.deals[int(typed)][1])]
    if len(letter) != 1 or letter.upper() not in seats:
        raise BadRequest(f"Nobody sits there: the seats are {' '.join(seats)}.", field="seat")
    return int(typed), SEATS.index(letter.upper())
