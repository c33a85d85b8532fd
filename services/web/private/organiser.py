"""An organiser's pages: contests from a form, and their management."""

import asyncio
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from maumau.client.answer import Bot, Entry, GetTrialResponse, Tournament
from maumau.contest.export.protest import MAX_PROTEST_LENGTH
from maumau.contest.spec.spec import parse_spec
from maumau.errors import BadRequest, BadSpec, MaumauError, NotAllowed, NotReleased, UnknownMatch
from maumau.game import variants
from maumau.game.ruleset.own import MAX_BYTES
from services.shared.base.auth import HOUSE
from services.web.http.response import PRIVATE
from services.web.http.session import Session
from services.web.private.page import PrivatePages, read_field, try_preview
from services.web.private.spec_copy import copy_fields
from services.web.private.spec_form import CHOICES, DEFAULTS, GROUP_PREFIX, OWN_RULES, Drawn, draw_spec
from services.web.private.stage_form import split_both
from services.web.private.zone import list_zones
from services.web.public.contest import Contest

STEPS: Mapping[str, tuple[str, ...]] = {
    "created": ("open", "cancel"),
    "open": ("start", "cancel"),
    "starting": ("now", "cancel"),
    "running": ("pause", "cancel"),
    "paused": ("resume", "cancel"),
    "decided": ("confirm", "cancel"),
}
"""The steps that an organiser may take with a contest, by its state."""
ALL_STEPS = tuple(dict.fromkeys(step for steps in STEPS.values() for step in steps))
PREVIEWED: Mapping[str, tuple[str, Mapping[str, bool]]] = {
    "start": ("Start", {}),
    "now": ("Start", {"now": True}),
    "cancel": ("Cancel", {}),
}
"""The calls that say beforehand what they would come to, and what they are asked, by step."""
PLAYED = ("running", "paused", "decided")
"""The states in which a bot can be disqualified and a match taken back."""
MAX_REASON_LENGTH = 200  # characters


class Organise:
    """Handlers of an organiser's pages; the tournament service checks whose contest it is."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show_new(self, request: Request) -> Response:
        """Show a form with its defaults, or with what draws a copy of the contest that is asked for."""
        session = await self._pages.sessions.require_session(request)
        _check_organiser(session)
        fields = dict(DEFAULTS)
        if (group := request.query_params.get("group", "")) in session.led:
            fields["audience"] = f"{GROUP_PREFIX}{group}"
        if earlier := request.query_params.get("copy", ""):
            fields = await self._pages.sessions.call_for_person(_copy_fields, session, earlier)
        return self._show_form(request, session, fields, is_sent=False)

    async def check_spec(self, request: Request) -> Response:
        session, form = await self._pages.read(request, 1)
        _check_organiser(session)
        fields = await asyncio.to_thread(_read_fields, form)
        return await asyncio.to_thread(self._show_form, request, session, fields, is_sent=True)

    async def download_spec(self, request: Request) -> Response:
        session, form = await self._pages.read(request, 1)
        _check_organiser(session)
        fields = await asyncio.to_thread(_read_fields, form)
        drawn = await asyncio.to_thread(draw_spec, fields)
        if drawn.wrong:
            return self._show_form(request, session, fields, is_sent=True, status=400)
        headers = {**PRIVATE, "content-disposition": 'attachment; filename="cup.toml"'}
        return Response(drawn.toml, 200, headers, "application/toml")

    async def create_contest(self, request: Request) -> Response:
        def create(session: Session, form: FormData) -> str:
            drawn = draw_spec(_read_fields(form))
            if drawn.wrong:
                raise BadSpec(" ".join(drawn.wrong.values()))
            return own_page(session.arena.create(drawn.toml).name)

        def again(_: Session, form: FormData, error: MaumauError) -> tuple[str, Mapping[str, Any]]:
            fields = _read_fields(form)
            drawn = draw_spec(fields)
            return "new_contest", _form_values(fields, drawn if drawn.wrong else Drawn("", {"": str(error)}))

        return await self._pages.handle_form(request, "/me/new-contest", create, 1, again)

    def _show_form(
        self, request: Request, session: Session, fields: dict[str, str], *, is_sent: bool, status: int = 200
    ) -> Response:
        drawn = draw_spec(fields) if is_sent else None
        values = _form_values(fields, drawn)
        return self._pages.frame.render_private(request, "new_contest", session, status, **values)

    async def show_contest(self, request: Request) -> Response:
        name = request.path_params["name"]
        bot = request.query_params.get("entered", "")
        return await self._pages.show_page(
            request, "my_contest", lambda session: _load_contest(session, name, bot)
        )

    async def ask_step(self, request: Request) -> Response:
        """Show the effects of a step on this contest, and ask for confirmation."""
        name, step = request.path_params["name"], request.path_params["step"]

        def look(session: Session) -> Mapping[str, Any]:
            contest = own_contest(session, name)
            tried: dict[str, Any] = {"found": None, "refused": ""}
            if step in PREVIEWED:
                change, asked = PREVIEWED[step]
                tried = try_preview(session, change, tournament=name, **asked)
            seen = request.query_params.get("chain", contest.chain)  # with the standings, before this page
            return {"c": contest, "step": step, "chain": seen, **tried}

        return await self._pages.show_page(request, "confirm_step", look)

    async def take_step(self, request: Request) -> Response:
        name, step = request.path_params["name"], request.path_params["step"]

        def take(session: Session, form: FormData) -> str:
            if step == "now":
                return own_page(session.arena.start(name, now=True).name)
            if step == "confirm":
                return own_page(session.arena.confirm(name, read_field(form, "chain")).name)
            if step == "cancel":
                return own_page(session.arena.cancel(name, read_field(form, "state")).name)
            return own_page(getattr(session.arena, step)(name).name)

        return await self._pages.handle_form(request, own_page(name), take)

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

        return await self._pages.show_page(request, "confirm_retake", look)

    async def retake_match(self, request: Request) -> Response:
        name, label = request.path_params["name"], request.path_params["label"]

        def retake(session: Session, form: FormData) -> str:
            session.arena.retake(
                name,
                label,
                read_field(form, "reason", MAX_REASON_LENGTH),
                fresh_seeds=bool(read_field(form, "fresh")),
                take=read_take(form),
                state=read_field(form, "state"),
            )
            return own_page(name)

        return await self._pages.handle_form(
            request, f"{own_page(name)}/matches/{quote(label, safe='')}", retake
        )


def read_take(form: FormData) -> int:
    """Return the take that a form names, 0 without one; raise BadRequest unless it is a number."""
    text = read_field(form, "take", 9) or "0"
    if not (text.isascii() and text.isdecimal()):
        raise BadRequest("A take is a number.", field="take")
    return int(text)


def _form_values(fields: Mapping[str, str], drawn: Drawn | None) -> Mapping[str, Any]:
    return {
        "fields": fields,
        "drawn": drawn,
        "variants": variants(),
        "formats": CHOICES,
        "own_rules": OWN_RULES,
        "zones": list_zones(),
    }


def _load_contest(session: Session, name: str, bot: str) -> Mapping[str, Any]:
    """Return the values of a contest's private page. bot: one that has just been entered, or ""."""
    contest = session.arena.tournament(name)
    all_entered = [one for one in contest.entries if not one.withdrawn]
    entered = [one for one in all_entered if one.account_name in session.owners]
    is_own = may_organise(session, contest)
    bots = _list_playing(session, with_house=is_own)
    results, may_change = _load_results(session, contest), is_own and contest.state in PLAYED
    return {
        "c": contest,
        "bots": bots,
        "entered": entered,
        "is_own": is_own,
        "view": results,
        "steps": list_steps(contest) if is_own else (),
        "matches": [one for one in results.matches if one.state != "withdrawn"] if may_change else [],
        "may_disqualify": may_change,
        "most_protest": MAX_PROTEST_LENGTH,
        "protesting": _list_protesting(contest, session.owners),
        "all_entered": all_entered,
        "has_entered": bot if any(one.bot_name == bot for one in all_entered) else "",
        "waiting": count_waiting(contest) if is_own else 0,
        "trials": _list_trials(session, contest, bots),
    }


def _list_trials(
    session: Session, contest: Tournament, bots: Collection[Bot]
) -> list[tuple[str, GetTrialResponse]]:
    """Return the validations begun of this person's bots for a contest with mystery rules."""
    if not contest.mystery:
        return []
    own = [one.name for one in bots if one.account_name in session.owners]
    found = [(name, session.arena.trial(contest.id, name)) for name in own]
    return [(name, trial) for name, trial in found if trial.state != "none"]


def count_waiting(contest: Tournament) -> int:
    """Return how many protests wait for the organiser's answer."""
    return 0 if contest.over else sum(one.state == "open" for one in contest.protests)


def _list_protesting(contest: Tournament, owners: Collection[str]) -> list[Entry]:
    """Return a person's entries, also those that have gone, that have no open protest."""
    waiting = {one.entrant for one in contest.protests if one.state == "open"}
    own = (one for one in contest.entries if one.account_name in owners)
    return [one for one in own if one.number not in waiting]


def _list_playing(session: Session, *, with_house: bool) -> list[Bot]:
    """Return this person's bots that have an active version, and then the house bots."""
    owners = [*session.owners, *([HOUSE] if with_house else ())]
    found = session.arena.bots(mine=not with_house)
    playing = [one for one in found if any(version.state == "active" for version in one.versions)]
    own = (one for one in playing if one.account_name in owners)
    return sorted(own, key=lambda one: owners.index(one.account_name))


def list_steps(contest: Tournament) -> tuple[str, ...]:
    """Return what its organiser may do with a contest now."""
    if contest.state == "starting" and not contest.due_at:  # entries have closed, and nobody has started it
        return STEPS["open"]
    return STEPS.get(contest.state, ())


def _load_results(session: Session, contest: Tournament) -> Contest:
    """Return a contest's results, as far as they are released to this person."""
    try:
        table = session.arena.standings(contest.name)
    except NotReleased:
        return Contest(contest, (), False, (), (), is_hidden=True)  # noqa: FBT003 - it is not final
    matches = session.arena.matches(contest.name)
    known = tuple(one for one in table.foreknowledge if one.told or one.screened)
    return Contest(contest, table.standings, table.final, (), matches, foreknowledge=known)


def own_contest(session: Session, name: str) -> Tournament:
    """Return the contest of this name; raise NotAllowed unless the person organises it."""
    _check_organiser(session)
    contest = session.arena.tournament(name)
    if not may_organise(session, contest):
        raise NotAllowed(f"{contest.name} is organised by {contest.organiser}, not by {session.account}.")
    return contest


def may_organise(session: Session, contest: Tournament) -> bool:
    """Return True if the person organises the contest, or the group that it is for."""
    if contest.group:
        return contest.group in session.led
    return session.organises_public and contest.organiser == session.account


def _check_organiser(session: Session) -> None:
    if not session.is_organiser:
        raise NotAllowed("This is for organisers; you are logged in with an author's token.")


def own_page(name: str) -> str:
    """Return the address of a contest's private page."""
    return f"/me/contests/{quote(name, safe='')}"


def _read_fields(form: FormData) -> dict[str, str]:
    """Return the fields as typed; the file of a variant takes the place of its typed text."""
    fields = split_both({name: read_field(form, name, most=None) for name in DEFAULTS})
    file = form.get("files")
    if not isinstance(file, UploadFile) or not file.filename:
        return fields
    name = PurePosixPath(file.filename.replace("\\", "/")).stem
    text = file.file.read(MAX_BYTES + 1).decode(errors="replace")
    return {**fields, "rules": OWN_RULES, "variant_name": name, "variant_toml": text}


def _copy_fields(session: Session, earlier: str) -> dict[str, str]:
    spec = parse_spec(session.arena.tournament(earlier).own_spec_toml)
    return copy_fields(spec, datetime.now(UTC))
