"""A contest that is starting: what its pages say and offer, and who confirms by looking at one."""

from __future__ import annotations

import asyncio
import re
import uuid
from datetime import UTC, datetime

import msgspec
import pytest

from maumau.errors import UnknownToken
from services.web.http.presence import Presence
from tests.support.arenas.nonce import NONCE, OTHER, commit_nonce
from tests.support.fake import a_tournament
from tests.support.waiting import until

SPEC = 'name = "{name}"\nrules = "mau_mau"\n[match]\nblock = 2\ncap = 2\n[[stage]]\nformat = "round_robin"\n'
AT = datetime(2026, 11, 26, 11, 37, tzinfo=UTC)


def starting(*accounts: str, due_at: datetime | None = AT):
    """A contest that waits for the first of these accounts; the others have confirmed."""
    cup = a_tournament(
        state="open", bots=accounts, starting=True, due_at=due_at, words="its entries are closed"
    )
    entries = tuple(
        msgspec.structs.replace(
            entry, account_name=entry.bot_name, commitment="c0" * 32, confirmed=number > 0
        )
        for number, entry in enumerate(cup.entries)
    )
    return msgspec.structs.replace(cup, entries=entries)


@pytest.mark.parametrize("path", ["/", "/contests", "/contests/cup"])
def test_every_page_says_that_it_is_starting_when_and_who_is_awaited(site, path) -> None:
    site.arena.contests = [starting("anna", "ben", "cleo")]
    text = site.get(path).text
    for words in (
        'starting">starting<', "It starts at 11:37 UTC at the latest.", f'data-until="{AT.timestamp():.0f}"',
        "1 of 3 authors still has to confirm:", "anna</bdi>", "Any maumau command does it",
    ):  # fmt: skip
        assert words in text
    for words in (
        "entries open",
        "How to enter",
        "maumau tournament enter",
        "nonce</",
        "its entries are closed",
    ):
        assert words not in text


def test_the_german_page_says_all_of_it_in_german(site) -> None:
    site.arena.contests = [starting("anna", "ben")]
    text = site.get("/contests/cup", accept_language="de").text
    for words in (
        "beginnt gleich", "Der Wettbewerb beginnt spätestens um 11:37 UTC.",
        "1 von 2 Autoren muss noch bestätigen:", "ein beliebiger maumau-Befehl",
    ):  # fmt: skip
        assert words in text
    assert "confirm" not in text


def test_one_that_nobody_has_started_waits_for_its_organiser(site) -> None:
    site.arena.contests = [starting("anna", due_at=None)]
    text = site.get("/contests/cup").text
    assert "Entries are closed; its organiser starts it." in text
    assert "at the latest" not in text


def test_the_first_page_is_not_filled_with_contests_that_never_began(site) -> None:
    never, played = (
        a_tournament(name, "cancelled", matches_known=known) for name, known in (("x", 0), ("y", 3))
    )
    site.arena.contests = [never, played]
    assert 'href="/contests/y"' in site.get("/").text
    assert 'href="/contests/x"' not in site.get("/").text
    assert 'href="/contests/x"' in site.get("/contests").text


@pytest.fixture
def cup(house):
    """An organiser and two authors with entered bots whose nonces are to be opened; the cup is starting."""
    client, _, organiser = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    client.create(SPEC.format(name=name))
    client.open(name)
    authors = []
    for nonce in (NONCE, OTHER):
        author, _ = house.services.author()
        author.enter(name, house.services.bot("first", author), commit_nonce(nonce))
        authors.append(author)
    assert client.start(name).state == "starting"
    return client, organiser, name, authors


@pytest.mark.long
def test_the_question_before_a_start_says_what_it_waits_for_and_until_when(house) -> None:
    client, _, organiser = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    client.create(SPEC.format(name=name))
    client.open(name)
    for nonce in (NONCE, OTHER):
        author, _ = house.services.author()
        author.enter(name, house.services.bot("first", author), commit_nonce(nonce))
    asked = organiser.get(f"/me/contests/{name}/start").words
    assert "as soon as their authors have confirmed that they are there" in asked
    assert re.search(r"The contest would be: starting. It starts at \d\d:\d\d UTC at the latest.", asked)
    client.cancel(name)


@pytest.mark.long
def test_its_organiser_starts_without_those_who_are_awaited(cup) -> None:
    client, organiser, name, _ = cup
    page = f"/me/contests/{name}"
    shown = organiser.get(page)
    assert "Start without them" in shown.words
    assert "2 of 2 authors still have to confirm" in shown.words
    assert f'href="{page}/start"' not in shown.text
    assert f'action="{page}/enter"' not in shown.text
    asked = organiser.get(f"{page}/now").words
    assert "Play begins at once." in asked
    assert "The contest would be: running." in asked
    assert organiser.send(f"{page}/now", f"{page}/now").headers["location"] == page
    assert client.tournament(name).state == "running"


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.parametrize("path", ["/", "/help", "/me", "/contests/{name}"])
def test_whoever_opens_a_page_while_logged_in_confirms(house, cup, path) -> None:
    client, _, name, (ada, bob) = cup
    house.visitor().get(path.format(name=name))
    assert len(client.tournament(name).awaited) == 2  # nobody has logged in
    there = house.log_in(ada)
    there.get(path.format(name=name))
    until(lambda: client.tournament(name).awaited == (bob.who().account_name,))
    client.cancel(name)


class People:
    """Counts the signs that reach the arena; `refuses` makes it refuse them."""

    def __init__(self) -> None:
        self.signs: list[str] = []
        self.refuses = False

    def with_token(self, token: str) -> People:
        self.token = token
        return self

    def confirm_entries(self) -> tuple[str, ...]:
        self.signs.append(self.token)
        if self.refuses:
            raise UnknownToken
        return ()


async def answer_nothing(*_: object) -> None:
    return None


async def look(presence: Presence, path: str = "/", kind: str = "http") -> None:
    await presence(
        {"type": kind, "path": path, "headers": [], "method": "GET"}, answer_nothing, answer_nothing
    )
    await asyncio.sleep(0)
    await asyncio.gather(*presence._tasks)


def test_a_person_s_signs_are_passed_on_now_and_then() -> None:
    people, now = People(), [0.0]

    async def page(*_: object) -> None:
        await asyncio.sleep(0)

    async def visit() -> None:
        presence = Presence(page, people, lambda _: "mm_ada", lambda: now[0])
        for at, path in ((0.0, "/"), (1.9, "/"), (2.0, "/me"), (9.0, "/static/x/page.js"), (9.5, "/healthz")):
            now[0] = at
            await look(presence, path)
        people.refuses = True
        now[0] = 20.0
        await look(presence)

    asyncio.run(visit())
    assert people.signs == ["mm_ada"] * 3


def test_a_page_that_stays_open_is_a_sign_again_and_again() -> None:
    """As one that follows a contest by its stream, opened while entries were open."""
    people, now = People(), [0.0]

    async def follow(*_: object) -> None:
        while len(people.signs) < 3:
            now[0] += 2.0
            await asyncio.sleep(0.001)

    asyncio.run(look(Presence(follow, people, lambda _: "mm_ada", lambda: now[0], stay=0.001)))
    assert people.signs[:3] == ["mm_ada"] * 3


def test_whoever_has_not_logged_in_gives_no_sign() -> None:
    people = People()
    asyncio.run(look(Presence(answer_nothing, people, lambda _: "")))
    assert people.signs == []
