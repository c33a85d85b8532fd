"""Lists longer than a page show every item exactly once: by RPC, API, page and command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from sqlalchemy import select

from maumau.errors import BadRequest
from services.shared.base.ident import new_id
from services.tournament.models import Contest, Tournament
from services.web.public import pages
from tests.support.arenas.calls import refused
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.arenas.tournament import ADMIN
from tests.support.loop import Loop
from tests.support.terminal import home_of
from tests.web.conftest import opened_house
from tests.web.visitor import READER, House

MANY = 1005


@pytest.fixture(scope="module")
def house(web_loop: Loop, valkey: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The pages before a real arena with a ladder and MANY contests."""
    folder = tmp_path_factory.mktemp("long")
    services = Matchmaker(web_loop, folder, "", valkey, reader_token=READER, sweep=0.5).begin()
    try:
        copy_contest(services, services.create(), MANY - 1)
        with opened_house(web_loop, services) as house:
            yield house
    finally:
        services.stop()


def copy_contest(services: Matchmaker, name: str, times: int) -> None:
    """Make copies that differ in name and id alone: a thousand calls would take a minute."""
    with services.database.write() as session:
        row = session.scalars(select(Tournament).where(Tournament.name == name)).one()
        contest = session.get_one(Contest, row.id)
        for number in range(times):
            ident = new_id("tournament")
            session.add(Tournament(**row.model_dump() | {"id": ident, "name": f"copy-{number}"}))
            session.add(Contest(**contest.model_dump() | {"id": ident}))


def list_by_rpc(house: House, size: int) -> list[str]:
    calls, names, token = house.services.tournament(READER), [], ""
    while True:
        found = calls.ListTournaments(page_size=size, page_token=token)
        names += [one.name for one in found.tournaments]
        if not (token := found.next_page_token):
            return names


def list_by_api(house: House, path: str, key: str, limit: int) -> list[str]:
    names, cursor = [], ""
    while True:
        found = json.loads(house.visitor().get(f"/api/v1/{path}?limit={limit}&cursor={cursor}").text)
        names += [one[key] for one in found["items"]]
        if not (cursor := found["next"]):
            return names


def list_by_page(house: House, path: str, shown: str) -> list[str]:
    names, at = [], path
    while at:
        page = house.visitor().get(at).text
        names += re.findall(shown, page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        at = f"{path}{older[1]}" if older else ""
    return names


@pytest.mark.long
def test_what_is_no_token_of_a_page_is_refused(house) -> None:
    """It would show the first page again, or an empty one, and nobody would know."""
    for token in ("x", "zzz", "tournament_", "tournament_" + "u" * 26, "bot_" + "0" * 26):
        with refused(BadRequest, "not the token of a page"):
            house.services.tournament(READER).ListTournaments(page_token=token)
        assert house.visitor().get(f"/contests?after={token}").status == 400


@pytest.mark.long
def test_more_than_a_thousand_contests_are_each_shown_once(house, tmp_path) -> None:
    wanted = list_by_rpc(house, 1000)
    assert len(wanted) == len(set(wanted)) == MANY
    assert list_by_rpc(house, 97) == wanted
    assert list_by_api(house, "contests", "name", 300) == wanted
    assert list_by_page(house, "/contests", r'<a class="name" href="/contests/([\w-]+)"') == wanted
    home = home_of(house.services, tmp_path / "home", ADMIN)
    told = json.loads(home.run("tournament", "list", "--json").out)
    assert [one["name"] for one in told] == wanted


@pytest.mark.long
def test_a_ladder_that_moves_while_it_is_read_shows_each_pairing_once(house, monkeypatch) -> None:
    """New pairings come first; who has begun to read sees every older one, and none twice."""
    services = house.services
    name = services.ladder(*services.field("first", "first"))  # alike: it does not rest

    def play_on() -> set[str]:
        """Return the ids of all pairings there are, once there is one more."""
        had = len(services.pairings(name, page_size=1000))
        services.play(lambda: len(services.pairings(name, page_size=1000)) > had)
        return {one.id for one in services.pairings(name, page_size=1000)}

    services.play(lambda: len(services.pairings(name, page_size=1000)) >= 25)
    for size, read in ((10, read_rpc), (10, read_api)):
        before, found, token = {one.id for one in services.pairings(name, page_size=1000)}, [], ""
        while True:
            part, token = read(house, name, size, token)
            found += part
            if not token:
                break
            play_on()
        assert len(found) == len(set(found))
        assert before <= set(found)
    monkeypatch.setattr(pages.ladder, "PAIRINGS", 10)
    before = {one.id for one in services.pairings(name, page_size=1000)}
    found = list_by_page(house, f"/ladders/{name}/pairings", r'class="number"[^>]*>(\d+\.\d+)<')
    assert len(found) == len(set(found))
    assert before <= set(found)
    services.leave(name)


def read_rpc(house: House, name: str, size: int, token: str) -> tuple[list[str], str]:
    found = house.services.calls().ListPairings(ladder=name, page_size=size, page_token=token)
    return [one.id for one in found.pairings], found.next_page_token


def read_api(house: House, name: str, size: int, token: str) -> tuple[list[str], str]:
    path = f"/api/v1/ladders/{name}/pairings?limit={size}&cursor={token}"
    found = json.loads(house.visitor().get(path).text)
    return [one["id"] for one in found["items"]], found["next"]
