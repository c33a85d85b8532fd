"""A group's page: its members and, for its organisers, the codes that lead into it."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import BadRequest, MaumauError, UnknownGroup
from maumau.process.loopback import is_own_address
from services.web.figures.qr_code import draw_code
from services.web.http import problem
from services.web.http.host import find_site
from services.web.http.session import Session, check_request_id
from services.web.private.page import PrivatePages, read_field

MOST_CODES: Final = 100  # of a sheet that a page draws
DAYS: Final = 14  # that codes last, unless the form says otherwise


class GroupPages:
    """Handlers of these pages; the registry checks who organises a group."""

    def __init__(self, pages: PrivatePages, page_url: str) -> None:
        self._pages, self._page_url = pages, page_url

    async def show_group(self, request: Request) -> Response:
        name = request.path_params["name"]
        is_local = is_own_address(self._find_site(request, self._page_url))
        return await self._pages.show_page(
            request, "my_group", lambda session: {**_find_values(session, name), "is_local": is_local}
        )

    def _find_site(self, request: Request, named: str) -> str:
        """Return the page's address for cards. named: the arena's own, if it is set."""
        return find_site(request, "" if is_own_address(named) else named)

    async def invite_people(self, request: Request) -> Response:
        """Make codes, and show them as a sheet to print: this once, as nothing keeps them."""
        name = request.path_params["name"]
        session, form = await self._pages.read(request)
        asking = session.with_request_id(check_request_id(form.get("request_id")))

        def make_codes() -> Any:
            count, days = _read_number(form, "count", MOST_CODES), _read_number(form, "days", 365)
            return asking.arena.create_invitations(name, count, 24 * days)

        try:
            made = await self._pages.sessions.call_for_person(make_codes)
        except MaumauError as error:
            status = problem.of_error(error, request.url.path).status
            back = own_page(name)
            return self._pages.frame.render_private(
                request, "refused", session, status, back=back, error=error, typed=[]
            )
        site = self._find_site(request, made.page or self._page_url)
        cards = [(one.code, draw_code(f"{site}/join/{one.code}")) for one in made.invitations]
        shown: dict[str, Any] = {"cards": cards, "address": f"{site}/join", "is_local": is_own_address(site)}
        return self._pages.frame.render_private(
            request, "group_sheet", session, name=name, ends_at=made.expires_at, **shown
        )

    async def revoke_codes(self, request: Request) -> Response:
        """Revoke all open codes."""
        name = request.path_params["name"]

        def revoke_all(session: Session, _: FormData) -> str:
            session.arena.revoke_invitations(group=name)
            return own_page(name)

        return await self._pages.handle_form(request, own_page(name), revoke_all)

    async def set_member(self, request: Request) -> Response:
        """Put an account into the group, or give a member another role."""
        name = request.path_params["name"]

        def change_role(session: Session, form: FormData) -> str:
            role = "organiser" if read_field(form, "role") == "organiser" else "member"
            session.arena.set_member(name, read_field(form, "account"), role)
            return own_page(name)

        return await self._pages.handle_form(request, own_page(name), change_role)

    async def remove_member(self, request: Request) -> Response:
        """Remove a member; who leaves is led home."""
        name = request.path_params["name"]

        def remove_account(session: Session, form: FormData) -> str:
            account = read_field(form, "account")
            session.arena.remove_member(name, account)
            return "/me" if account == session.account else own_page(name)

        return await self._pages.handle_form(request, own_page(name), remove_account)


def own_page(name: str) -> str:
    """Return the address of a group's page."""
    return f"/me/groups/{quote(name, safe='')}"


def _find_values(session: Session, name: str) -> Mapping[str, Any]:
    found = session.arena.list_groups(name)
    if not found:
        raise UnknownGroup(f"There is no group {name[:80]!r} that you are in.", thing=name)
    leads = found[0].role == "organiser"
    codes = session.arena.list_invitations(name) if leads else ()
    contests = [one for one in session.arena.tournaments() if one.group == name]
    return {
        "group": found[0],
        "leads": leads,
        "members": session.arena.list_members(name),
        "codes": codes,
        "open_codes": sum(one.state == "open" for one in codes),
        "contests": contests,
        "most": MOST_CODES,
        "days": DAYS,
    }


def _read_number(form: FormData, field: str, most: int) -> int:
    text = read_field(form, field)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= most):
        raise BadRequest(
            f"{field}: expected a whole number from 1 to {most}, not {text[:20]!r}.", field=field
        )
    return int(text)
