"""An organiser's pages: contests from a form, and what becomes of them."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.answer import Tournament
from maumau.errors import BadSpec, NotAllowed, NotReleased, UnknownMatch
from maumau.game import variants
from services.web.contest import Contest
from services.web.private_page import PrivatePages, said, try_preview
from services.web.response import PRIVATE
from services.web.session import Session
from services.web.spec_form import DEFAULTS, draw_spec

STEPS: Mapping[str, tuple[str, ...]] = {
    "created": ("open", "cancel"),
    "open": ("start", "cancel"),
    "running": ("pause", "cancel"),
    "paused": ("resume", "cancel"),
    "decided": ("confirm", "cancel"),
}
"""What an organiser may do with a contest, by its state."""
ALL_STEPS = tuple(dict.fromkeys(step for steps in STEPS.values() for step in steps))
PREVIEWED = {"start": "Start", "cancel": "Cancel"}
"""The calls that say beforehand what they would come to, by step."""
DISQUALIFIED_IN = ("running", "paused", "decided")
"""The states in which a bot can be disqualified."""
MAX_REASON_LENGTH = 200  # characters


class Organise:
    """Handlers; whose contest it is, the tournament service says."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def new(self, request: Request) -> Response:
        """An empty form with its defaults; one that was sent, with its TOML or what is wrong with it."""
        session = await self._pages.sessions.need(request)
        _check_organiser(session)
        return self._form(request, session, dict(DEFAULTS), is_sent=False)

    async def check(self, request: Request) -> Response:
        session, form = await self._pages.read(request)
        _check_organiser(session)
        fields = _fields(form)
        return await asyncio.to_thread(self._form, request, session, fields, is_sent=True)

    async def download(self, request: Request) -> Response:
        session, form = await self._pages.read(request)
        _check_organiser(session)
        fields = _fields(form)
        drawn = await asyncio.to_thread(draw_spec, fields)
        if drawn.wrong:
            return self._form(request, session, fields, is_sent=True, status=400)
        headers = {**PRIVATE, "content-disposition": 'attachment; filename="cup.toml"'}
        return Response(drawn.toml, 200, headers, "application/toml")

    async def create(self, request: Request) -> Response:
        def create(session: Session, form: FormData) -> str:
            drawn = draw_spec(_fields(form))
            if drawn.wrong:
                raise BadSpec(" ".join(drawn.wrong.values()))
            return own_page(session.arena.create(drawn.toml).name)

        return await self._pages.act(request, "/me/new-contest", create)

    def _form(
        self, request: Request, session: Session, fields: dict[str, str], *, is_sent: bool, status: int = 200
    ) -> Response:
        drawn = draw_spec(fields) if is_sent else None
        return self._pages.frame.private(
            request, "new_contest", session, status, fields=fields, drawn=drawn, variants=variants()
        )

    async def contest(self, request: Request) -> Response:
        name = request.path_params["name"]
        return await self._pages.show(request, "my_contest", lambda session: _see(session, name))

    async def ask_step(self, request: Request) -> Response:
        """Says what a step does to this contest, and asks."""
        name, step = request.path_params["name"], request.path_params["step"]

        def look(session: Session) -> Mapping[str, Any]:
            contest = own_contest(session, name)
            tried: dict[str, Any] = {"found": None, "refused": ""}
            if change := PREVIEWED.get(step):
                tried = try_preview(session, change, tournament=name)
            return {"c": contest, "step": step, **tried}

        return await self._pages.show(request, "confirm_step", look)

    async def take_step(self, request: Request) -> Response:
        name, step = request.path_params["name"], request.path_params["step"]

        def take(session: Session, _: FormData) -> str:
            return own_page(getattr(session.arena, step)(name).name)

        return await self._pages.act(request, own_page(name), take)

    async def ask_retake(self, request: Request) -> Response:
        name, label = request.path_params["name"], request.path_params["label"]

        def look(session: Session) -> Mapping[str, Any]:
            contest, matches = own_contest(session, name), session.arena.matches(name)
            match = next((one for one in matches if one.label == label), None)
            if match is None:
                raise UnknownMatch(f"{name} has no match {label[:40]}.")
            asked = {"tournament": name, "label": label, "reason": "to be given"}
            found = session.arena.preview("RetakeMatch", **asked)
            return {"c": contest, "match": match, "most": MAX_REASON_LENGTH, "found": found}

        return await self._pages.show(request, "confirm_retake", look)

    async def retake(self, request: Request) -> Response:
        name, label = request.path_params["name"], request.path_params["label"]

        def retake(session: Session, form: FormData) -> str:
            fresh = bool(said(form, "fresh"))
            session.arena.retake(name, label, said(form, "reason", MAX_REASON_LENGTH), fresh_seeds=fresh)
            return own_page(name)

        return await self._pages.act(request, f"{own_page(name)}/matches/{quote(label, safe='')}", retake)


def _see(session: Session, name: str) -> Mapping[str, Any]:
    contest = session.arena.tournament(name)
    bots = [one for one in session.arena.bots(mine=True) if any(v.state == "active" for v in one.versions)]
    entered = [one for one in contest.entries if one.account_name == session.account and not one.withdrawn]
    is_own = session.is_organiser and contest.organiser == session.account
    results = _results(session, contest)
    return {
        "c": contest, "bots": bots, "entered": entered, "is_own": is_own, "view": results,
        "steps": STEPS.get(contest.state, ()) if is_own else (),
        "matches": [one for one in results.matches if one.state != "withdrawn"] if is_own else [],
        "may_disqualify": is_own and contest.state in DISQUALIFIED_IN,
    }  # fmt: skip


def _results(session: Session, contest: Tournament) -> Contest:
    """As far as they are released to this person."""
    try:
        table = session.arena.standings(contest.name)
    except NotReleased:
        return Contest(contest, (), False, (), (), is_hidden=True)  # noqa: FBT003 - it is not final
    matches = session.arena.matches(contest.name)
    return Contest(contest, table.standings, table.final, (), matches)


def own_contest(session: Session, name: str) -> Tournament:
    """The contest of this name; NotAllowed for who does not organise it."""
    _check_organiser(session)
    contest = session.arena.tournament(name)
    if contest.organiser != session.account:
        raise NotAllowed(f"{contest.name} is organised by {contest.organiser}, not by {session.account}.")
    return contest


def _check_organiser(session: Session) -> None:
    if not session.is_organiser:
        raise NotAllowed("This is for organisers; you are logged in with an author's token.")


def own_page(name: str) -> str:
    """The address of a contest's private page."""
    return f"/me/contests/{quote(name, safe='')}"


def _fields(form: FormData) -> dict[str, str]:
    return {name: said(form, name, most=None) for name in DEFAULTS}
