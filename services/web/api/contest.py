"""Contests and their matches below `/api/v1`."""
# ruff: noqa: A002 - `format` is the word in the address

import msgspec
from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from maumau import answer
from services.web.api.reply import CURSOR, FORMAT, LIMIT, MANY, Api, Listed, as_json, as_list, as_table

NAME = Path(description="Name or id of a contest.", examples=["cup"])
LABEL = Path(description="stage.round.number", examples=["1.1.1"])


class SetRow(msgspec.Struct, frozen=True):
    """A deal set: what the first and the second scored, of so many units, and what the variant counted."""

    set: int
    block: int
    first: int
    second: int
    unit: int
    first_points: int
    second_points: int
    seed: str


def add(api: Api) -> None:
    """Puts the addresses of contests there."""
    arena, kept = api.arena, api.kept

    @api.get("/contests", answer.Tournament, "Contests, newest first")
    async def contests(
        request: Request, cursor: str = CURSOR, limit: int = LIMIT, format: str = FORMAT
    ) -> Response:
        found = await kept(("contests",), lambda: arena.tournaments(1000))
        return as_list(request, found, lambda one: one.id, cursor, limit, format)

    @api.get("/contests/{name}", answer.Tournament, "One contest")
    async def contest(request: Request, name: str = NAME) -> Response:
        return as_json(request, await kept(("contest", name), lambda: arena.tournament(name)))

    @api.get("/contests/{name}/standings", answer.Standing, "The table as it stands, best first")
    async def standings(request: Request, name: str = NAME, format: str = FORMAT) -> Response:
        found = await kept(("standings", name), lambda: arena.standings(name))
        return as_table(request, found.standings, format)

    @api.get("/contests/{name}/bracket", answer.Round, "The bracket, round by round")
    async def bracket(request: Request, name: str = NAME) -> Response:
        return as_json(request, Listed(await kept(("bracket", name), lambda: arena.bracket(name))))

    @api.get("/contests/{name}/matches", answer.Match, "All matches by label")
    async def matches(
        request: Request, name: str = NAME, cursor: str = CURSOR, limit: int = MANY, format: str = FORMAT
    ) -> Response:
        found = await kept(("matches", name), lambda: arena.matches(name))
        return as_list(request, found, lambda one: one.label, cursor, limit, format)

    add_match(api)


def add_match(api: Api) -> None:
    """Puts the addresses of one match there."""
    arena, kept = api.arena, api.kept
    path = "/contests/{name}/matches/{label}"

    @api.get(path, answer.GetMatchResponse, "A match with blocks and faults")
    async def match(request: Request, name: str = NAME, label: str = LABEL) -> Response:
        found = await kept(("match", name, label), lambda: arena.match(name, label))
        return as_json(request, public_match(found))

    @api.get(path + "/sets", SetRow, "The deal sets that are booked, once they may be seen")
    async def sets(
        request: Request, name: str = NAME, label: str = LABEL, cursor: str = CURSOR, limit: int = MANY,
        format: str = FORMAT,
    ) -> Response:  # fmt: skip
        found = await kept(("sets", name, label), lambda: arena.set_scores(name, label))
        return as_list(request, [_row(one) for one in found], lambda one: str(one.set), cursor, limit, format)

    @api.get(path + "/sets/{number}", answer.GetSetResponse, "A deal set, once it may be seen")
    async def deal_set(request: Request, number: int, name: str = NAME, label: str = LABEL) -> Response:
        key = ("set", name, label, str(number))
        return as_json(request, await kept(key, lambda: arena.deal_set(name, label, number)))


def _row(one: answer.SetSummary) -> SetRow:
    (first, second), (first_points, second_points) = one.scores, one.points
    return SetRow(one.set, one.block, first, second, one.unit, first_points, second_points, one.seed)


def public_match(found: answer.GetMatchResponse) -> answer.GetMatchResponse:
    """Without what a program wrote to its log, which is its author's."""
    faults = tuple(msgspec.structs.replace(fault, error="") for fault in found.faults)
    return msgspec.structs.replace(found, faults=faults)
