"""One's own team at the page: founded, joined, changed and left."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import MaumauError
from services.web.http import problem
from services.web.http.session import Session, check_request_id
from services.web.private.page import PrivatePages, read_field

PLACE: Final = "/me/team"
Step = Callable[[Session, FormData], object]


class TeamPages:
    """Handlers of these pages; the registry checks what a member may do."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show(self, request: Request) -> Response:
        return await self._pages.show_page(request, "my_team", _find_values)

    async def take_step(self, name: str, request: Request) -> Response:
        """Carry out a form of the page; where it leads back to is always the page."""
        step = STEPS[name]

        def carry_out(session: Session, form: FormData) -> str:
            step(session, form)
            return PLACE

        return await self._pages.handle_form(request, PLACE, carry_out)

    async def invite(self, request: Request) -> Response:
        """Invite an account, or show a new code: this once, as nothing keeps it."""
        session, form = await self._pages.read(request)
        asking = session.with_request_id(check_request_id(form.get("request_id")))

        def invite() -> Any:
            return asking.arena.invite_to_team(read_field(form, "account"))

        try:
            made = await self._pages.sessions.call_for_person(invite)
        except MaumauError as error:
            status = problem.of_error(error, request.url.path).status
            return self._pages.frame.render_private(
                request, "refused", session, status, back=PLACE, error=error, typed=[]
            )
        found = await self._pages.sessions.call_for_person(_find_values, session)
        return self._pages.frame.render_private(request, "my_team", session, **{**found, "code": made.code})


STEPS: Final[Mapping[str, Step]] = {
    "create": lambda session, form: session.arena.create_team(read_field(form, "name")),
    "join": lambda session, form: session.arena.join_team(
        read_field(form, "code"), read_field(form, "invitation")
    ),
    "end": lambda session, form: session.arena.end_team_invitation(read_field(form, "invitation")),
    "promote": lambda session, form: session.arena.set_team_role(read_field(form, "account"), "owner"),
    "demote": lambda session, form: session.arena.set_team_role(read_field(form, "account"), "member"),
    "leave": lambda session, _: session.arena.leave_team(),
    "remove": lambda session, form: session.arena.leave_team(read_field(form, "account")),
    "dissolve": lambda session, _: session.arena.dissolve_team(),
}
"""The actions of the page's forms, by the last part of their addresses."""


def _find_values(session: Session) -> Mapping[str, Any]:
    invitations = session.arena.list_team_invitations()
    team = session.arena.team() if session.arena.who().team_name else None
    members = team.members if team else ()
    owns = any(one.account_name == session.account and one.role == "owner" for one in members)
    return {
        "team": team,
        "owns": owns,
        "mine": [one for one in invitations if one.account_name == session.account],
        "ours": [one for one in invitations if team and one.team_name == team.team.name],
        "code": "",
    }
