"""An organiser's page with two reports: who seems to help whom, and who may have copied whom."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from maumau.client.fairness import collect_fairness
from services.web.http.session import Session
from services.web.private.organiser import own_contest
from services.web.private.page import PrivatePages

SHOWN: Final = 25
"""Lines of a report, if no more are named."""


class FairnessPages:
    """Handler of the page; both services check who asks."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show_fairness(self, request: Request) -> Response:
        name = request.path_params["name"]
        return await self._pages.show_page(
            request, "my_fairness", lambda session: _load_fairness(session, name)
        )


def _load_fairness(session: Session, name: str) -> Mapping[str, Any]:
    contest = own_contest(session, name)
    if not contest.has_begun:
        return {"c": contest, "found": None}
    found = collect_fairness(session.arena, contest.name)
    helps = sum(one.found.named for one in found.helps)
    copies = sum(one.named for one in found.copies)
    return {
        "c": contest,
        "found": found,
        "helps": found.helps[: max(SHOWN, helps)],
        "helps_named": helps,
        "copies": found.copies[: max(SHOWN, copies)],
        "copies_named": copies,
    }
