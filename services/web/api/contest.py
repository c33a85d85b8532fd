"""Contests and their matches below `/api/v1`."""
# ruff: noqa: A002 - `format` is the word in the address

import msgspec
from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from maumau.client import answer
from maumau.contest.spec.spec import MOST_STAGES
from services.web.api.reply import (
    CURSOR,
    FORMAT,
    LIMIT,
    MANY,
    Api,
    Format,
    Listed,
    as_json,
    as_list,
    as_table,
)

NAME = Path(description="Name or id of a contest.", examples=["cup"])
LABEL = Path(description="stage.round.number", examples=["1.1.1"])
STAGE = Query(
    0, ge=0, le=MOST_STAGES, description="from 1: the table after this stage; 0: that of the last one begun"
)


class SetRow(msgspec.Struct, frozen=True):
    """A deal set: the scores of first and second, in parts of `unit`, and the points of the variant."""

    set: int
    block: int
    first: int
    second: int
    unit: int
    first_points: int
    second_points: int
    seed: str


class MatchRow(answer.Match, frozen=True):
    """A match as a line of CSV. others: the names of those at its table after first and second, by blanks."""

    others: str = ""


def _match_row(one: answer.Match) -> MatchRow:
    others = " ".join(list(one.names.values())[2:])
    return MatchRow(**{name: getattr(one, name) for name in one.__struct_fields__}, others=others)


def add(api: Api) -> None:
    """Add the addresses of contests."""
    arena, kept = api.arena, api.keep_answer

    @api.get_table("/contests", answer.Tournament, "Contests, newest first")
    async def contests(
        request: Request, cursor: str = CURSOR, limit: int = LIMIT, format: Format = FORMAT
    ) -> Response:
        key = ("contests", cursor, str(limit))
        found, more = await kept(key, lambda: arena.tournament_page(limit, cursor))
        return as_table(request, found, format, more)

    @api.get("/contests/{name}", answer.Tournament, "One contest")
    async def contest(request: Request, name: str = NAME) -> Response:
        return as_json(request, await kept(("contest", name), lambda: arena.get_tournament(name)))

    @api.get_table("/contests/{name}/standings", answer.Standing, "The table as it stands, best first")
    async def standings(
        request: Request, name: str = NAME, stage: int = STAGE, format: Format = FORMAT
    ) -> Response:
        found = await kept(("standings", name, str(stage)), lambda: arena.get_standings(name, stage))
        return as_table(request, found.standings, format)

    @api.get_list("/contests/{name}/bracket", answer.Round, "The bracket, round by round")
    async def bracket(request: Request, name: str = NAME) -> Response:
        return as_json(request, Listed(await kept(("bracket", name), lambda: arena.get_bracket(name))))

    @api.get_table("/contests/{name}/matches", answer.Match, "All matches by label")
    async def matches(
        request: Request, name: str = NAME, cursor: str = CURSOR, limit: int = MANY, format: Format = FORMAT
    ) -> Response:
        found = await kept(("matches", name), lambda: arena.list_matches(name))
        rows = [_match_row(one) for one in found] if format == "csv" else found
        return as_list(request, rows, lambda one: one.label, cursor, limit, format)

    add_match(api)


def add_match(api: Api) -> None:
    """Add the addresses of one match."""
    arena, kept = api.arena, api.keep_answer
    path = "/contests/{name}/matches/{label}"

    @api.get(path, answer.GetMatchResponse, "A match with blocks and faults")
    async def match(request: Request, name: str = NAME, label: str = LABEL) -> Response:
        found = await kept(("match", name, label), lambda: arena.get_match(name, label))
        return as_json(request, public_match(found))

    @api.get_table(path + "/sets", SetRow, "The deal sets that are booked, once they may be seen")
    async def sets(
        request: Request,
        name: str = NAME,
        label: str = LABEL,
        cursor: str = CURSOR,
        limit: int = MANY,
        format: Format = FORMAT,
    ) -> Response:
        found = await kept(("sets", name, label), lambda: arena.set_scores(name, label))
        return as_list(
            request, [_build_row(one) for one in found], lambda one: str(one.set), cursor, limit, format
        )

    @api.get(path + "/sets/{number}", answer.GetSetResponse, "A deal set, once it may be seen")
    async def deal_set(request: Request, number: int, name: str = NAME, label: str = LABEL) -> Response:
        key = ("set", name, label, str(number))
        return as_json(request, await kept(key, lambda: arena.deal_set(name, label, number)))


def _build_row(one: answer.SetSummary) -> SetRow:
    (first, second), (first_points, second_points) = one.scores, one.points
    return SetRow(one.set, one.block, first, second, one.unit, first_points, second_points, one.seed)


def public_match(found: answer.GetMatchResponse) -> answer.GetMatchResponse:
    """Return a match without the last log lines of programs, which are their authors'."""
    faults = tuple(msgspec.structs.replace(fault, error="") for fault in found.faults)
    return msgspec.structs.replace(found, faults=faults)
