"""An author's own pages: his bots with their logs and faults, uploads, entries, practice."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.answer import FaultSummary, Ladder, RuleSet, Tournament, Version
from maumau.bot.limit import UploadLimits
from maumau.errors import (
    ArenaUnreachable,
    BadRequest,
    DatabaseUnavailable,
    DeadlinePassed,
    NotEntered,
    NotReleased,
    NotYours,
    UnknownBot,
)
from maumau.game import variants
from maumau.page.fault import fault_parts
from services.web.private_page import PrivatePages, said, try_preview
from services.web.response import PRIVATE
from services.web.session import Session
from services.web.upload import pack_form

CONTESTS = 5  # in which a bot's faults are looked for, the newest
FAULTS = 100  # of a bot that are listed
FILES = 1200  # that a browser may send: some are left out before they are counted
MAX_PRACTICE_SETS = 500  # of a practice match


class Mine:
    """Handlers. limits: of a submission."""

    def __init__(self, pages: PrivatePages, limits: UploadLimits) -> None:
        self._pages, self._limits = pages, limits

    async def home(self, request: Request) -> Response:
        return await self._pages.show(request, "me", _see_home)

    async def upload(self, request: Request) -> Response:
        """The same bytes again lead to the version that they are."""

        def submit(session: Session, form: FormData) -> str:
            packed = pack_form(form, self._limits)
            version = session.arena.submit(packed.manifest.name, packed.archive).version
            return f"/me/versions/{quote(version.id, safe='')}"

        return await self._pages.act(request, "/me#upload", submit, FILES)

    async def version(self, request: Request) -> Response:
        name = request.path_params["id"]
        return await self._pages.show(request, "my_version", lambda session: _see_version(session, name))

    async def activate(self, request: Request) -> Response:
        name = request.path_params["id"]

        def activate(session: Session, _: FormData) -> str:
            return f"/me/bots/{quote(session.arena.activate(name).bot_name, safe='')}"

        return await self._pages.act(request, f"/me/versions/{quote(name, safe='')}", activate)

    async def bot(self, request: Request) -> Response:
        name = request.path_params["name"]
        return await self._pages.show(request, "my_bot", lambda session: _see_bot(session, name))

    async def fault(self, request: Request) -> Response:
        name = request.path_params["id"]

        def look(session: Session) -> Mapping[str, Any]:
            return {"id": name, "text": "\n".join(fault_parts(session.arena.fault(name)))}

        return await self._pages.show(request, "my_fault", look)

    async def bundle(self, request: Request) -> Response:
        """The file that `maumau reproduce` reads."""
        session = await self._pages.sessions.need(request)
        found = await self._pages.sessions.call_for_person(session.arena.fault, request.path_params["id"])
        headers = {**PRIVATE, "content-disposition": 'attachment; filename="fault.json"'}
        return Response(msgspec.json.encode(found), 200, headers, "application/json")

    async def enter(self, request: Request) -> Response:
        return await self._pages.act_with_bot(
            request, "contests", lambda one, *asked: one.arena.enter(*asked)
        )

    async def ask_withdraw(self, request: Request) -> Response:
        """Says what an entry's withdrawal comes to, and asks; looking at it changes nothing."""
        name, bot = request.path_params["name"], request.query_params.get("bot", "")

        def look(session: Session) -> Mapping[str, Any]:
            contest = session.arena.tournament(name)
            if bot not in _own_entries(contest, session.account):
                raise NotEntered(f"No bot {bot[:80]!r} of yours is in {contest.name}.")
            tried = try_preview(session, "Withdraw", tournament=name, bot_name=bot)
            return {"c": contest, "bot_name": bot, **tried}

        return await self._pages.show(request, "confirm_withdraw", look)

    async def withdraw(self, request: Request) -> Response:
        return await self._pages.act_with_bot(
            request, "contests", lambda one, *asked: one.arena.withdraw(*asked)
        )

    async def practise(self, request: Request) -> Response:
        def practise(session: Session, form: FormData) -> str:
            sets = said(form, "sets")
            if not (sets.isascii() and sets.isdigit() and 1 <= int(sets[:9]) <= MAX_PRACTICE_SETS):
                raise BadRequest(f"A practice match has 1 to {MAX_PRACTICE_SETS} deal sets.", field="sets")
            rules = RuleSet(said(form, "rules"), "", "", "")
            asked = session.matchmaking.practise(said(form, "bot"), said(form, "against"), rules, int(sets))
            return f"/me/practice/{quote(asked.id, safe='')}"

        return await self._pages.act(request, "/me#practice", practise)

    async def practice(self, request: Request) -> Response:
        name = request.path_params["id"]

        def look(session: Session) -> Mapping[str, Any]:
            watched = session.matchmaking.watch_practice(name)
            return {"one": next(iter(watched))}

        return await self._pages.show(request, "my_practice", look)


def _see_home(session: Session) -> Mapping[str, Any]:
    bots = session.arena.bots()
    playing = [one for one in bots if any(v.state == "active" for v in one.versions)]
    contests = session.arena.tournaments()
    return {
        "mine": [one for one in bots if one.account_name == session.account],
        "others": sorted(playing, key=lambda one: one.account_name == session.account),
        "open": [one for one in contests if one.state == "open"],
        "entered": [one for one in contests if _own_entries(one, session.account)][:20],
        "organised": [one for one in contests if one.organiser == session.account][:20],
        "variants": variants(),
        "ladders": _ladders(session),
    }


def _ladders(session: Session) -> tuple[Ladder, ...] | None:
    """All of them; None while their service is silent: the rest of the page does not need it."""
    try:
        return session.matchmaking.ladders()
    except (ArenaUnreachable, DatabaseUnavailable, DeadlinePassed):
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
    return {"name": name, "versions": versions, "faults": _faults(session, name)[:FAULTS]}


def _faults(session: Session, name: str) -> list[tuple[str, str, FaultSummary]]:
    """Contest, match and fault, those of the newest contests first."""
    played = [one for one in session.arena.tournaments() if name in _own_entries(one, session.account)]
    found = []
    for contest in played[:CONTESTS]:
        with suppress(NotReleased):  # a list of matches would tell who has come how far
            found += _faults_in(session, contest.name, name)
    return found


def _faults_in(session: Session, contest: str, name: str) -> list[tuple[str, str, FaultSummary]]:
    return [
        (contest, match.label, fault)
        for match in session.arena.matches(contest)
        if name in {match.first_name, match.second_name} and any(match.faults)
        for fault in session.arena.faults(contest, match.label, name)
    ]


def _own_entries(contest: Tournament, account: str) -> list[str]:
    return [one.bot_name for one in contest.entries if one.account_name == account and not one.withdrawn]


def _check_own(session: Session, owner: str, name: str) -> None:
    if owner != session.account:
        raise NotYours(f"{name} belongs to {owner}, not to {session.account}.")
