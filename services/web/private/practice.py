"""Practice: asked for in a form, its result, and replays of its deal sets, for the one who asked."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.client.answer import GetPracticeSetResponse, PracticeMatch, RuleSet
from maumau.contest.practice import MAX_SETS
from maumau.errors import BadRequest, UnknownPractice, UnknownSet
from maumau.page.drawn import Drawn
from maumau.page.labels import list_labels
from services.web.client import MAX_SET_NUMBER
from services.web.delivery.frame import language_of
from services.web.delivery.reviewer import Reviewer
from services.web.http.response import PRIVATE
from services.web.http.session import Session
from services.web.private.page import PrivatePages, read_field
from services.web.public.deals.deal_sets import ROWS, ShownSet, read_number
from services.web.public.deals.replay import SetList, build_seatings, join_records, make_practice_sets
from services.web.public.deals.review import Reviewed, describe_review, review_of_set
from services.web.words import TONGUES


class OwnPractice:
    """Handlers of these pages."""

    def __init__(self, pages: PrivatePages, reviewer: Reviewer) -> None:
        self._pages, self._reviewer = pages, reviewer

    async def start_practice(self, request: Request) -> Response:
        def practise(session: Session, form: FormData) -> str:
            sets = read_field(form, "sets")
            if not (sets.isascii() and sets.isdigit() and 1 <= int(sets[:9]) <= MAX_SETS):
                raise BadRequest(f"A practice match has 1 to {MAX_SETS} deal sets.", field="sets")
            rules = RuleSet(read_field(form, "rules"), "", "", "")
            asked = session.matchmaking.practise(
                read_field(form, "bot"), read_field(form, "against"), rules, int(sets)
            )
            return f"/me/practice/{quote(asked.id, safe='')}"

        return await self._pages.handle_form(request, "/me#practice", practise)

    async def show_practice(self, request: Request) -> Response:
        name = request.path_params["id"]

        def look(session: Session) -> Mapping[str, Any]:
            watched = session.matchmaking.watch_practice(name)
            return {"one": next(iter(watched))}

        return await self._pages.show_page(request, "my_practice", look)

    async def show_sets(self, request: Request) -> Response:
        """Show its deal sets in a table, some at a time."""
        name, language = request.path_params["id"], language_of(request)
        first = read_number(request, "from")

        def look(session: Session) -> Mapping[str, Any]:
            one = next(iter(session.matchmaking.watch_practice(name)))
            sets = session.matchmaking.practice_sets(name, first, ROWS)
            listed = _make_sets(one, language)
            counts = {"counted": one.booked, "first": first, "rows": ROWS}
            return {"listed": listed, "sets": sets, "page": listed.at, **counts}

        return await self._pages.show_page(request, "sets", look)

    async def deal_set(self, request: Request) -> Response:
        """Show the replay of a deal set."""
        language = language_of(request)

        def look(session: Session) -> Mapping[str, Any]:
            found, deals = _see_set(session, request, language)
            if found.practice is None:
                raise UnknownPractice
            listed = _make_sets(found.practice, language)
            return {
                "listed": listed,
                "number": found.set.number,
                "deals": deals,
                "labels": list_labels(language),
                "games": (),
            }

        return await self._pages.show_page(request, "set", look)

    async def set_data(self, request: Request) -> Response:
        """Send the drawings, which the replay on the page shows."""
        _, deals = await self._find_set(request)
        return Response(msgspec.json.encode(deals), 200, PRIVATE, "application/json")

    async def set_record(self, request: Request) -> Response:
        found, _ = await self._find_set(request)
        return Response(join_records(found.set), 200, PRIVATE, "text/plain; charset=utf-8")

    async def set_review(self, request: Request) -> Response:
        """Show the review of a deal of a set, or that it is being made."""
        session = await self._pages.sessions.require_session(request)
        status, values = describe_review(self._reviewer, request, await self.find_reviewed(request))
        return self._pages.frame.render_private(request, "review", session, status, **values)

    async def find_reviewed(self, request: Request) -> Reviewed:
        """Return the deals of a set as they can be reviewed, for the one who asked for the practice."""
        found, deals = await self._find_set(request)
        if found.practice is None:
            raise UnknownPractice
        listed = _make_sets(found.practice, language_of(request))
        return review_of_set(ShownSet(listed, found.set, deals, found.practice.rules))

    async def _find_set(self, request: Request) -> tuple[GetPracticeSetResponse, list[Drawn]]:
        sessions = self._pages.sessions
        return await sessions.call_for_person(
            _see_set, await sessions.require_session(request), request, language_of(request)
        )


def _see_set(session: Session, request: Request, language: str) -> tuple[GetPracticeSetResponse, list[Drawn]]:
    """Return a deal set of a practice match, and its drawings."""
    name, number = request.path_params["id"], request.path_params["number"]
    if number > MAX_SET_NUMBER:
        raise UnknownSet(f"There is no deal set {number}.")
    found = session.matchmaking.practice_set(name, number)
    rules = found.practice.rules if found.practice else None
    return found, build_seatings(found.set, found.distinct_names, rules, language)


def _make_sets(one: PracticeMatch, language: str) -> SetList:
    return make_practice_sets(one.id, one.distinct_names, one.booked, TONGUES[language]("practice"))
