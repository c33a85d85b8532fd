"""An author's own pages: their bots with logs and faults, uploads, entries."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.bots import USUAL_OPPONENT
from maumau.client.answer import Bot, Ladder, ListPracticeResponse, Tournament, Version
from maumau.contest.practice import MAX_SETS
from maumau.errors import (
    ArenaUnreachable,
    DatabaseUnavailable,
    DeadlinePassed,
    InternalFault,
    NotEntered,
    NotYours,
    UnknownBot,
)
from maumau.game import variants
from maumau.page.fault import build_fault_file, fault_parts, name_faulty_bot
from maumau.protocol.limit import UploadLimits
from services.shared.base.auth import HOUSE
from services.web.http.response import PRIVATE
from services.web.http.session import Session
from services.web.private.organiser import PLAYED, count_waiting
from services.web.private.page import PrivatePages, read_field, try_preview
from services.web.private.standing import group_faults, list_last_matches, list_own_entries, list_standings
from services.web.private.upload import pack_form

CONTESTS = 3  # in which the last matches of bots are looked for, the newest
PRACTICE_ROWS = 10  # practice matches that are listed at once
FILES = 1200  # that a browser may send: some are left out before they are counted


class Mine:
    """Handlers of an author's pages. limits: of a submission. has_provider: people can log in elsewhere."""

    def __init__(self, pages: PrivatePages, limits: UploadLimits, *, has_provider: bool = False) -> None:
        self._pages, self._limits, self._has_provider = pages, limits, has_provider

    async def show_home(self, request: Request) -> Response:
        after = request.query_params.get("practice", "")
        more = {"has_provider": self._has_provider}
        return await self._pages.show_page(
            request, "me", lambda session: {**_see_home(session, after), **more}
        )

    async def upload_bot(self, request: Request) -> Response:
        """Submit a bot and redirect to its version; known bytes lead to their existing version."""

        def submit(session: Session, form: FormData) -> str:
            packed = pack_form(form, self._limits)
            activate = not read_field(form, "idle")
            version = session.arena.submit(packed.manifest.name, packed.archive, activate=activate).version
            return f"/me/versions/{quote(version.id, safe='')}"

        return await self._pages.handle_form(request, "/me#upload", submit, FILES)

    async def show_version(self, request: Request) -> Response:
        name = request.path_params["id"]
        return await self._pages.show_page(request, "my_version", lambda session: _see_version(session, name))

    async def activate_version(self, request: Request) -> Response:
        name = request.path_params["id"]

        def activate(session: Session, _: FormData) -> str:
            return f"/me/bots/{quote(session.arena.activate(name).bot_name, safe='')}"

        return await self._pages.handle_form(request, f"/me/versions/{quote(name, safe='')}", activate)

    async def let_play_people(self, request: Request) -> Response:
        """Let people play a version at the arena's tables, or no longer."""
        name = request.path_params["id"]

        def let(session: Session, form: FormData) -> str:
            version = session.arena.let_play_people(name, plays=bool(read_field(form, "plays")))
            return f"/me/bots/{quote(version.bot_name, safe='')}"

        return await self._pages.handle_form(request, f"/me/versions/{quote(name, safe='')}", let)

    async def show_bot(self, request: Request) -> Response:
        name = request.path_params["name"]
        return await self._pages.show_page(request, "my_bot", lambda session: _see_bot(session, name))

    async def show_fault(self, request: Request) -> Response:
        name = request.path_params["id"]

        def look(session: Session) -> Mapping[str, Any]:
            found = session.arena.fault(name)
            text = "\n".join(fault_parts(found))
            return {"id": name, "text": text, "bot_name": name_faulty_bot(found)}

        return await self._pages.show_page(request, "my_fault", look)

    async def send_deal(self, request: Request) -> Response:
        """Send the deal at the moment of a fault, as a file that shows it without a network."""
        name, session = request.path_params["id"], await self._pages.sessions.require_session(request)
        found = await self._pages.sessions.call_for_person(session.arena.fault, name)
        text = await asyncio.to_thread(build_fault_file, name, found)
        headers = {**PRIVATE, "content-disposition": 'attachment; filename="fault.html"'}
        return Response(text, 200, headers, "text/html")

    async def send_bundle(self, request: Request) -> Response:
        """Send the file that `maumau reproduce` reads."""
        session = await self._pages.sessions.require_session(request)
        found = await self._pages.sessions.call_for_person(session.arena.fault, request.path_params["id"])
        headers = {**PRIVATE, "content-disposition": 'attachment; filename="fault.json"'}
        return Response(msgspec.json.encode(found), 200, headers, "application/json")

    async def enter_bot(self, request: Request) -> Response:
        """Enter a bot and redirect to the contest, whose page confirms it."""
        name = request.path_params["name"]
        back = f"/me/contests/{quote(name, safe='')}"

        def enter(session: Session, form: FormData) -> str:
            bot = read_field(form, "bot")
            session.arena.enter(name, bot)
            return f"{back}?entered={quote(bot, safe='')}"

        return await self._pages.handle_form(request, back, enter)

    async def ask_withdraw(self, request: Request) -> Response:
        """Show the effects of an entry's withdrawal, and ask for confirmation, without changing anything."""
        name, bot = request.path_params["name"], request.query_params.get("bot", "")

        def look(session: Session) -> Mapping[str, Any]:
            contest = session.arena.tournament(name)
            if bot not in list_own_entries(contest, session.owners):
                raise NotEntered(f"No bot {bot[:80]!r} of yours is in {contest.name}.")
            tried = try_preview(session, "Withdraw", tournament=name, bot_name=bot)
            return {"c": contest, "bot_name": bot, **tried}

        return await self._pages.show_page(request, "confirm_withdraw", look)

    async def withdraw_bot(self, request: Request) -> Response:
        return await self._pages.act_with_bot(
            request, "contests", lambda session, *names: session.arena.withdraw(*names)
        )


def _see_home(session: Session, practice_after: str) -> Mapping[str, Any]:
    """Return the values of the page. practice_after: the token of a page of practice matches."""
    bots = session.arena.bots()
    mine = [one for one in bots if one.account_name in session.owners]
    contests = session.arena.tournaments()
    entered = [one for one in contests if list_own_entries(one, session.owners)]
    ladders = _list_ladders(session)
    organised = [one for one in contests if _is_led(one, session)][:20]
    return {
        "mine": mine,
        "playing": [one for one in mine if _is_active(one)],
        "others": sorted(filter(_is_active, bots), key=lambda one: _order_opponents(one, session.owners)),
        "open": [one for one in contests if one.state == "open"],
        "entered": entered[:20],
        "organised": organised,
        "groups": session.arena.list_groups() if session.groups else (),
        "waiting": _count_waiting(session, organised),
        "variants": variants(),
        "max_sets": MAX_SETS,
        "ladders": ladders,
        "practised": None if ladders is None else _list_practice(session, practice_after),
        "practice_after": practice_after,
        "standings": list_standings(session, ladders or ()),
        "last_matches": list_last_matches(session, entered[:CONTESTS]),
    }


def _is_led(contest: Tournament, session: Session) -> bool:
    """Return True if the person organises the group that the contest is for, or has made it for no group."""
    return contest.group in session.led if contest.group else contest.organiser == session.account


def _count_waiting(session: Session, contests: Sequence[Tournament]) -> dict[str, int]:
    """Return the number of protests to answer, by contest; a list of contests does not tell protests."""
    begun = (one.name for one in contests if one.state in PLAYED)
    return {name: count_waiting(session.arena.tournament(name)) for name in begun}


def _is_active(bot: Bot) -> bool:
    """Return True if a version of a bot is active."""
    return any(version.state == "active" for version in bot.versions)


def _order_opponents(bot: Bot, owners: Collection[str]) -> tuple[bool, bool, bool, str]:
    """Return the key by which house bots come first, the usual one before them, and one's own bots last."""
    return bot.account_name in owners, bot.account_name != HOUSE, bot.name != USUAL_OPPONENT, bot.name


def _list_ladders(session: Session) -> tuple[Ladder, ...] | None:
    """Return all ladders; None if their service is silent, as the rest of the page does not need it."""
    try:
        return session.matchmaking.ladders()
    except (ArenaUnreachable, DatabaseUnavailable, DeadlinePassed):
        return None


def _list_practice(session: Session, token: str) -> ListPracticeResponse | None:
    """Return a page of practice matches; None if their service cannot list them now.

    During an upgrade a replica of an earlier version may answer, which has no such call (decision 60).
    """
    try:
        return session.matchmaking.practice_page(PRACTICE_ROWS, token)
    except (ArenaUnreachable, DatabaseUnavailable, DeadlinePassed, InternalFault):
        return None


def _see_version(session: Session, name: str) -> Mapping[str, Any]:
    version = session.arena.version(name)
    _check_own(session, version.account_name, version.bot_name)
    return {"version": version, "log": session.arena.log(version.id)}


def _see_bot(session: Session, name: str) -> Mapping[str, Any]:
    bot = next((one for one in session.arena.bots() if one.name == name), None)
    if bot is None:
        raise UnknownBot(f"There is no bot {name[:80]!r}.")
    _check_own(session, bot.account_name, name)
    versions: tuple[Version, ...] = session.arena.versions(name)
    return {"name": name, "versions": versions, "groups": group_faults(session, name)}


def _check_own(session: Session, owner: str, name: str) -> None:
    if owner not in session.owners:
        raise NotYours(f"{name} belongs to {owner}, not to {session.account}.")
