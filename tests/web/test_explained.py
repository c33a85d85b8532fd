"""Terms of the arena are explained, with a link to the help, on every kind of page on which they stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry

from maumau.client.arena import Arena as People
from maumau.client.matchmaking import Matchmaking
from services.web.app import build_app
from services.web.http.session import LoginParts
from services.web.words import TERMS, TONGUES
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.arenas.tournament import Arena
from tests.support.fake import FakeArena
from tests.support.loop import Loop
from tests.web.conftest import opened_house
from tests.web.explained import EVERYDAY, FORMS, list_repeated, list_unexplained
from tests.web.visitor import READER, House, Visitor

EACH = 4  # pages of one route
FORMATS = ("round_robin", "swiss", "double_elimination", "single_elimination")
STARTS = ("/", "/contests", "/ladders", "/bots", "/tables", "/rules", "/status", "/install", "/play", "/help")
SPEC = 'name = "own"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n[match]\nblock = 2\ncap = 2\n'
OWN = ("/me", "/me/new-contest", "/me/team", "/me/webhooks", "/me/logins", "/me/delete")


@pytest.fixture(scope="module")
def house(web_loop: Loop, valkey: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Yield the pages before real services."""
    folder = tmp_path_factory.mktemp("explained")
    services = Matchmaker(web_loop, folder, "", valkey, reader_token=READER, sweep=0.5).begin()
    try:
        with opened_house(web_loop, services) as house:
            yield house
    finally:
        services.stop()


def find_routes() -> dict[str, re.Pattern[str]]:
    """Return the expressions of all addresses of pages, by route."""
    with People("127.0.0.1:1", "127.0.0.1:1") as people, Matchmaking("127.0.0.1:1") as matchmaking:
        app = build_app(FakeArena(), CollectorRegistry(), LoginParts(people, matchmaking, READER, "", 1))
    return {one.path: one.path_regex for one in app.router.routes if hasattr(one, "path_regex")}


def crawl(visitor: Visitor, starts: tuple[str, ...]) -> dict[str, str]:
    """Return the pages that a visitor comes to, by address, at most EACH of a route."""
    routes, waiting, met, pages = find_routes(), [*starts], {*starts}, dict[str, str]()
    count = Counter[str]()
    while waiting:
        path = waiting.pop(0)
        route = next((one for one, pattern in routes.items() if pattern.match(path)), "")
        if not route or route.startswith(("/stream", "/api", "/static", "/feeds")) or count[route] >= EACH:
            continue
        count[route] += 1
        page = visitor.get(path, accept_language="en")
        if page.status != 200 or not page.headers["content-type"].startswith("text/html"):
            continue
        pages[path] = page.text
        for target in re.findall(r'href="(/[^"#?]*)', page.text):
            if target not in met:
                met.add(target)
                waiting.append(target)
    return pages


def test_every_term_of_the_help_is_looked_for_or_a_word_of_every_day() -> None:
    assert {*FORMS} | {*EVERYDAY} == {*TERMS}
    assert not {*FORMS} & {*EVERYDAY}


def test_an_unexplained_term_is_found_and_an_explained_one_is_not() -> None:
    page = "<main><p>300 sets, <code>epoch</code> <bdi>elo</bdi></p><td>Elo</td>{}</main>"
    assert [one.partition(":")[0] for one in list_unexplained(page.format(""))] == ["set", "elo"]
    term = '<a class="term" href="/help#term-elo">Elo</a>'
    assert list_unexplained(page.format(term)) == ["set: …300 sets, Elo Elo…"]


def test_a_term_that_is_explained_twice_is_found() -> None:
    elo, whole = '<a href="/help#term-elo">Elo</a>', '<a href="/help#set">Sets</a>'
    assert list_repeated(f'{elo} {whole} <a href="/help#term-epoch">Epoch</a>') == []
    assert list_repeated(f"{elo} {whole} {elo}") == ["elo"]
    assert list_repeated(f'{elo} {whole} <a href="/help#term-set">deal set</a>') == ["set"]


@pytest.mark.parametrize("language", [*TONGUES])
def test_the_final_table_says_that_its_bars_are_the_intervals_whose_term_it_explains(language) -> None:
    assert re.search(r"95.?%|95.?-%", TONGUES[language]("ratings_say"))


@pytest.mark.long
def test_every_term_is_explained_once_on_every_kind_of_page_of_an_arena(house) -> None:
    services: Matchmaker = house.services
    for form in FORMATS:
        services.finish(Arena.begin(services, "first", "random", "crash", format=form, block=2, cap=2))
    first, other = services.field("first", "random")
    ladder = services.ladder(first, other)
    services.play(lambda: services.pairings(ladder, over=True))
    client, _, author = house.author()
    asked = {"bot": services.bot("crash", client), "against": other, "rules": "mau_mau", "sets": "1"}
    practice = author.send("/me", "/me/practice", asked).headers["location"]
    services.play(lambda: "1 of 1 sets" in author.get(practice).words)
    owner, _, organiser = house.organiser()
    own = owner.create(SPEC).name
    owner.open(own)
    for bot in services.field("first", "random", "crash"):
        services.enter(own, bot)
    owner.start(own)
    services.finish(own)
    pages = {**crawl(house.visitor(), STARTS), **crawl(author, (*OWN, practice))}
    pages |= crawl(organiser, (*OWN, f"/me/contests/{own}", f"/me/contests/{own}/fairness"))
    assert len(pages) > 60
    found = {path: terms for path, text in pages.items() if (terms := list_unexplained(text))}
    del pages["/help"]
    found |= {path: terms for path, text in pages.items() if (terms := list_repeated(text))}
    assert not found, "\n".join(f"{path}: {terms}" for path, terms in found.items())
