"""An arena whose house bots play by the first action, and its page, before which a person sits."""

from __future__ import annotations

import html
import json
import random
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from prometheus_client import CollectorRegistry

from maumau.bots import folder
from maumau.client.arena import Arena as Client
from maumau.client.matchmaking import Matchmaking
from maumau.submission.package import pack_submission
from services.web.app import build_app
from services.web.call import STUBS
from services.web.client import Arena as Pages
from services.web.http.session import LoginParts
from services.web.play import pages
from services.web.play.seat_pass import SeatPasses
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.arenas.sitter import Sitters
from tests.support.waiting import until
from tests.web.conftest import serve
from tests.web.visitor import READER, House, Page, Visitor


@pytest.fixture(scope="package")
def arena(loop, valkey, tmp_path_factory) -> Iterator[Matchmaker]:
    folder_of_arena = tmp_path_factory.mktemp("play")
    arena = Matchmaker(loop, folder_of_arena, "", valkey, reader_token=READER, sweep=0.5).begin()
    _add_house_bot(arena, "greedy")
    sitters = Sitters(arena)
    yield arena
    sitters.end()
    arena.stop()


def _add_house_bot(arena: Matchmaker, name: str) -> None:
    token = arena.admin.create_account("house").token
    with Client(arena.address, arena.address, token) as house:
        version = house.submit(name, pack_submission(folder(name)).archive).version
        arena.pass_validation(version.id)
        house.activate(version.id)


@contextmanager
def open_page(arena: Matchmaker, *, guests: bool) -> Iterator[House]:
    """Yield a page before this arena."""

    async def connect() -> Pages:
        return Pages(dict.fromkeys(STUBS, arena.address), READER)

    engine = arena.loop.run(connect())
    with Client(arena.address, arena.address) as people, Matchmaking(arena.address) as matchmaking:
        login = LoginParts(people, matchmaking, READER, "", 1 << 20, (), guests)
        with serve(arena.loop, build_app(engine, CollectorRegistry(), login)) as port:
            yield House(port, arena)
    arena.loop.run(engine.close())


@pytest.fixture(scope="package")
def page(arena) -> Iterator[House]:
    """Yield the page of an arena that lets guests play."""
    with open_page(arena, guests=True) as page:
        yield page


LAYS = 0.9
"""The share of turns in which a guest lays a card if it can: by chance alone a deal takes hundreds."""
CARD = re.compile(r"[2-9TJQKAX][CSHDX]|\?at=")


class Guest(Visitor):
    """A browser without scripts at a table. Forms are sent as they stand on the page."""

    def __init__(self, port: int, seed: str = "1") -> None:
        super().__init__(port)
        self.random = random.Random(seed)
        self.at = ""

    def deal(self, rules: str = "mau_mau", **fields: str) -> Page:
        """Choose a game and let it be dealt; the table's page."""
        made = self.send(f"/play?rules={rules}", "/play", {"calls": "bot", **fields})
        assert made.status == 303, made.words
        self.at = made.headers["location"]
        return self.wait_for_turn()

    def wait_for_turn(self) -> Page:
        """Return the table's page when the player is asked something, or the deal is over."""
        return until(lambda: found if is_ready(found := self.get(self.at)) else None, 60)

    def act(self, page: Page, act: str, **fields: str) -> Page:
        """Send an action as the page's form does."""
        return self.post(f"{self.at}/act", {**find_hidden(page), "act": act, **fields})

    def pick(self, page: Page) -> str:
        """Return the action of one of the choices, reached through as many steps as it has."""
        while True:
            choices = list_choices(page)
            cards = [one for one in choices if CARD.match(one)]
            choice = self.random.choice(cards if cards and self.random.random() < LAYS else choices)
            if not choice.startswith("?"):
                return choice
            page = self.get(self.at + choice)

    def choose(self, page: Page) -> Page:
        """Press one of the choices; return the answer."""
        return self.act(page, self.pick(page))

    def leave(self) -> None:
        """Leave the table, if it is still one's own."""
        page = self.get(self.at) if self.at else None
        if page and page.status == 200 and f'action="{self.at}/leave"' in page.text:
            self.post(f"{self.at}/leave", {"form_token": find_hidden(page)["form_token"]})

    def play_to_the_end(self, page: Page, most: int = 3000) -> Page:
        """Play by chance, laying rather than drawing, until the deal is over."""
        for _ in range(most):
            if "again-button" in page.text:
                return page
            answer = self.choose(page)
            assert answer.status == 303, answer.words
            page = self.wait_for_turn()
        raise AssertionError(f"the deal has not ended after {most} actions")


def is_ready(page: Page) -> bool:
    assert page.status == 200, page.words
    return "data-choice" in page.text or "again-button" in page.text


def list_choices(page: Page) -> list[str]:
    """Return the actions that the page's buttons play, and the addresses of its steps."""
    buttons = re.findall(r'<button[^>]*name="act" value="([^"]*)"[^>]*data-choice', page.text)
    steps = re.findall(r'<a [^>]*href="(\?at=[^"]*)"[^>]*data-choice', page.text)
    return [html.unescape(each) for each in (*buttons, *steps)] or _numbers(page)


def _numbers(page: Page) -> list[str]:
    return ["react:7"] if 'name="number"' in page.text else []


def find_hidden(page: Page) -> dict[str, str]:
    """Return the hidden fields of the form that plays."""
    token = re.search(r'name="form_token" value="([^"]*)"', page.text)
    cursor = re.search(r'name="cursor" value="([^"]*)"', page.text)
    assert token, "the page has no form"
    return {"form_token": token[1], "cursor": cursor[1] if cursor else "0"}


def read_refusal(page: Page) -> dict[str, str]:
    found: dict[str, str] = json.loads(page.text)
    return found


@pytest.fixture(autouse=True)
def unhurried(monkeypatch) -> None:
    """Let tests open more tables from one address than a person does: each test is a guest of its own."""
    one = secrets.token_hex(16)
    monkeypatch.setattr(pages.Rates, "take", lambda *_: True)
    monkeypatch.setattr(SeatPasses, "name_guest", lambda *_: one)
    monkeypatch.setattr(SeatPasses, "name_network", lambda *_: one)


@pytest.fixture
def guest(page) -> Iterator[Guest]:
    """Yield a guest, who leaves the table in the end: bots at tables left open keep streams of the engine."""
    guest = Guest(page.port)
    yield guest
    guest.leave()
