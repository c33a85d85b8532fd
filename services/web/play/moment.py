"""A moment of a deal that has been played, from which a person plays on: read from an address or a form."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.routing import compile_path

from maumau.client.answer import RuleSet
from maumau.errors import BadRecord, BadRequest
from maumau.game import Deal, load_text
from maumau.game.notation.action import SEATS
from maumau.game.prefix import cut_at_stage
from services.web.client import Arena
from services.web.delivery.frame import language_of
from services.web.public.deals.deal_sets import Find
from services.web.public.deals.review import Reviewed, find_reviewed_table, review_of_set
from services.web.words import TONGUES, Tongue

LONGEST: Final = 400  # characters of the address of a review
MOST_STAGES: Final = 100_000
FindReviewed = Callable[[Request], Awaitable[Reviewed]]


class Start(Struct, frozen=True):
    """The beginning of a record, to be played on from a seat. variant_toml: of a custom variant."""

    record: str
    seat: int
    variant_toml: str = ""


class PlayedMoment(Struct, frozen=True):
    """A moment of a deal: the address of its review, the number of the deal there, the seat and the stage.

    rules: the name of the variant. events: of the deal before it. names: of the players, by seat.
    """

    of: str
    deal: int
    stage: int
    rules: str
    names: tuple[str, ...]
    events: int
    start: Start

    @property
    def seat(self) -> int:
        return self.start.seat

    @property
    def contest(self) -> str:
        """The contest in whose match the deal was played, or ""."""
        head, _, rest = self.of.removeprefix("/contests/").partition("/")
        return head if self.of.startswith("/contests/") and rest else ""

    @property
    def fields(self) -> dict[str, str]:
        """The fields by which an address or a form names it."""
        return {"of": self.of, "deal": str(self.deal), "seat": SEATS[self.seat], "at": str(self.stage)}


class Moments:
    """The deals that may be played on: those whose review the reader may see.

    sources: by the path of their review, the function that finds it.
    """

    def __init__(self, sources: Mapping[str, FindReviewed]) -> None:
        self._sources = [(*compile_path(path)[::2], find) for path, find in sources.items()]

    async def find_moment(self, request: Request, given: Mapping[str, Any], t: Tongue) -> PlayedMoment:
        """Return the moment that an address or a form names; raise BadRequest, in words, if there is none."""
        of = str(given.get("of") or "")[:LONGEST]
        found = await self._find_reviewed(request, of, t)
        deal = _read_number(given.get("deal"), len(found.deals), t)
        record, names = found.deals[deal]
        letter = str(given.get("seat") or "A")
        if len(letter) != 1 or letter not in SEATS[: len(names)]:
            raise BadRequest(t("from_wrong"), field="seat")
        stage, seat = _read_number(given.get("at"), MOST_STAGES, t), SEATS.index(letter)
        own = found.rules if found.rules and found.rules.variant_toml else None
        text, d = await asyncio.to_thread(_cut_record, record, stage, own, t)
        if seat in d.faults or d.seats - len(d.faults) < 2:
            raise BadRequest(t("from_lost"), field="seat")
        start = Start(text, seat, own.variant_toml if own else "")
        return PlayedMoment(of, deal, stage, d.rules.name, names, len(d.log), start)

    async def _find_reviewed(self, request: Request, of: str, t: Tongue) -> Reviewed:
        for regex, convertors, find in self._sources:
            if match := regex.match(of):
                values = {name: convertors[name].convert(text) for name, text in match.groupdict().items()}
                return await find(Request({**request.scope, "path_params": values}))
        raise BadRequest(t("from_wrong"), field="of")


def _cut_record(record: str, stage: int, own: RuleSet | None, t: Tongue) -> tuple[str, Deal]:
    try:
        return cut_at_stage(record, stage, load_text(own.name, own.variant_toml) if own else None)
    except BadRecord:
        raise BadRequest(t("from_over"), field="at") from None


def _read_number(given: object, below: int, t: Tongue) -> int:
    text = str(given or 0)
    if not (text.isascii() and text.isdigit() and len(text) < 8 and int(text) < below):
        raise BadRequest(t("from_wrong"), field="at")
    return int(text)


async def find_table(arena: Arena, request: Request) -> Reviewed:
    """Return the deal of a live table that is over, as it can be played on."""
    table = await arena.get_table(request.path_params["id"])
    return find_reviewed_table(table, TONGUES[language_of(request)])


async def find_set(find: Find, request: Request) -> Reviewed:
    """Return the deals of a set, as they can be played on."""
    return review_of_set(await find(request))
