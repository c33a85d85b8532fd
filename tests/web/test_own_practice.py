"""The result of practice leads to its deal sets and their replays, for the one who asked for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from maumau.client.matchmaking import Matchmaking
from maumau.errors import ArenaUnreachable, InternalFault
from services.web.private import author
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.loop import Loop
from tests.web.conftest import opened_house
from tests.web.visitor import READER, House


@pytest.fixture(scope="module")
def arena(
    web_loop: Loop, valkey: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[House, Matchmaker]]:
    """The pages before real services, and these."""
    folder = tmp_path_factory.mktemp("practice")
    services = Matchmaker(web_loop, folder, "", valkey, reader_token=READER, sweep=0.5).begin()
    try:
        with opened_house(web_loop, services) as house:
            yield house, services
    finally:
        services.stop()


@pytest.mark.long
def test_past_practice_is_listed_in_pages_for_its_author(arena, monkeypatch) -> None:
    monkeypatch.setattr(author, "PRACTICE_ROWS", 2)
    house, services = arena
    client, _, visitor = house.author()
    mine, (other,) = services.bot("first", client), services.field("random")
    assert "Past practice" not in visitor.get("/me").words
    pages = []
    for sets in ("1", "2", "3"):
        asked = {"bot": mine, "against": other, "rules": "mau_mau", "sets": sets}
        pages.append(visitor.send("/me", "/me/practice", asked).headers["location"])
        said = f"{sets} of {sets} sets"
        services.play(lambda said=said: said in visitor.get(pages[-1]).words)
    newest = visitor.get("/me")
    assert [path for path in pages if f'href="{path}"' in newest.text] == pages[1:]
    assert newest.text.index(pages[2]) < newest.text.index(pages[1])
    assert "mau_mau · " in newest.words
    assert re.search(r"3 of 3 sets · \d+\.\d % \(\d+\.\d to \d+\.\d %\) ?played", newest.words)
    (older,) = re.findall(
        r'rel="next" href="(/me\?practice=practice_[a-z0-9]{26})#past-practice"', newest.text
    )
    last = visitor.get(older, accept_language="de")
    assert [path for path in pages if f'href="{path}"' in last.text] == pages[:1]
    assert "Bisherige Übungsspiele" in last.words
    assert "Neueste" in last.words
    assert 'rel="next"' not in last.text
    assert "no older practice match" in visitor.get(f"/me?practice={pages[0].rsplit('/', 1)[1]}").words
    refused = visitor.get("/me?practice=x")
    assert refused.status == 400
    assert "is not the token of a page" in refused.words
    assert "Past practice" not in house.author()[2].get("/me").words


@pytest.mark.parametrize("error", [ArenaUnreachable, InternalFault])
def test_the_own_page_says_when_practice_cannot_be_listed(arena, monkeypatch, error) -> None:
    house, _ = arena
    _, _, visitor = house.author()

    def fail(link: Matchmaking, size: int, token: str) -> None:
        raise error

    monkeypatch.setattr(Matchmaking, "practice_page", fail)
    page = visitor.get("/me")
    assert page.status == 200
    assert "Practice matches cannot be listed just now" in page.words
    assert "lassen sich gerade nicht auflisten" in visitor.get("/me", accept_language="de").words


@pytest.mark.long
def test_each_set_of_practice_is_replayed_like_one_of_a_contest(arena) -> None:
    house, services = arena
    client, _, visitor = house.author()
    mine, (other,) = services.bot("first", client), services.field("random")
    asked = {"bot": mine, "against": other, "rules": "mau_mau", "sets": "3"}
    page = visitor.send("/me", "/me/practice", asked).headers["location"]
    assert "/sets" not in visitor.get(page).text  # nothing was played yet
    assert visitor.get(f"{page}/sets/0").status == 404
    services.play(lambda: "3 of 3 sets" in visitor.get(page).words)
    assert f'href="{page}/sets"' in visitor.get(page).text
    table = visitor.get(f"{page}/sets")
    assert f'href="{page}/sets/2"' in table.text
    assert "Sets 0 to 2; 3 count." in table.words
    replay = visitor.get(f"{page}/sets/2?lang=de")
    assert f'data-from="{page}/sets/2/data?lang=de"' in replay.text
    assert "no-store" in replay.headers["cache-control"]
    deals = json.loads(visitor.get(f"{page}/sets/2/data").text)
    assert [[one["name"] for one in deal["players"]] for deal in deals] == [[mine, other], [other, mine]]
    assert visitor.get(f"{page}/sets/2/record").text.count("[maumau 1]") == 2
    for number in (3, 1 << 40):
        assert visitor.get(f"{page}/sets/{number}").status == 404
    assert "Whose decisions?" in visitor.get(f"{page}/sets/2/review?seat=B&deal=1&lang=en").words
    assert "no-store" in visitor.get(f"{page}/sets/2/review").headers["cache-control"]
    for name in ("", "/2", "/2/data", "/2/record", "/2/review"):
        path = f"{page}/sets{name}"
        assert house.author()[2].get(path).status == 403
        assert house.visitor().get(path).status == 303  # to the login


@pytest.mark.long
def test_a_bot_that_was_retired_is_shown_to_readers_still(arena) -> None:
    house, services = arena
    client, account, _ = house.author()
    name = services.bot("first", client)
    client.delete_bot(name)
    page = house.visitor().get(f"/bots/{name}")
    assert (page.status, "It enters no more contests" in page.words) == (200, True)
    assert house.visitor().get("/bots/never-was").status == 404
    found = json.loads(house.visitor().get(f"/api/v1/bots/{name}").text)
    assert (found["account_name"], len(found["versions"])) == (account, 1)
