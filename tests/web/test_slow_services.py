"""A service that is slow for those who have logged in stops nobody else's page."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from prometheus_client import CollectorRegistry
from starlette.responses import Response

from bench.support.patience import patient
from maumau.client.arena import Arena as People
from maumau.client.matchmaking import Matchmaking
from maumau.errors import ArenaUnreachable
from services.web.app import build_app
from services.web.call import STUBS
from services.web.client import Arena
from services.web.http.session import CALLS, LoginParts, Sessions
from tests.support.fake import FakeArena, a_match, a_tournament
from tests.web.conftest import Site, serve
from tests.web.visitor import READER

PEOPLE = 3 * CALLS


class SlowArena:
    """As `maumau.client.Arena`: it answers nobody before it may."""

    def __init__(self) -> None:
        self.may_answer, self.asked = threading.Event(), threading.Semaphore(0)

    def with_token(self, token: str) -> SlowArena:
        return self

    def who(self) -> Any:
        self.asked.release()
        self.may_answer.wait()
        raise ArenaUnreachable("the arena at 127.0.0.1:1 does not answer (it is slow)")

    confirm_mail = stop_mail = who


@pytest.fixture
def slow(web_loop):
    """Yield the pages, before a registry that is slow for people."""
    arena, registry, people = FakeArena(), CollectorRegistry(), SlowArena()
    arena.contests = [a_tournament("cup")]
    arena.games["cup"] = [a_match()]
    with Matchmaking("127.0.0.1:1") as matchmaking:
        app = build_app(arena, registry, LoginParts(people, matchmaking, READER, "", 8 << 20))
        with serve(web_loop, app) as port:
            yield Site(port, arena, registry, web_loop), people
            people.may_answer.set()


def a_cookie(people: Any) -> str:
    """Return the cookie of a session that this page could have made."""
    response = Response()
    Sessions(people, people, READER, secure=False).open_session(response, f"mm_{'x' * 43}", None)
    return response.headers["set-cookie"].partition(";")[0]


def test_a_registry_that_is_slow_for_people_stops_neither_pages_nor_streams(slow) -> None:
    site, people = slow
    cookie = a_cookie(people)
    with ThreadPoolExecutor(PEOPLE) as pool:
        asking = [pool.submit(site.get, "/me", cookie=cookie) for _ in range(PEOPLE)]
        try:
            for _ in range(CALLS):  # all that may wait for an answer at once do
                assert people.asked.acquire(timeout=patient(20))
            assert site.get("/rules/prsi").status == 200
            with site.watching("/stream/contests/cup?seen=") as events:
                assert "state" in next(events)["data"]
                site.arena.contests = [a_tournament("cup", "paused")]
                site.change()
                assert "paused" in next(events)["data"]["state"]
            assert not any(one.done() for one in asking)
        finally:
            people.may_answer.set()
        answers = [one.result() for one in asking]
    assert {answer.status for answer in answers} == {503}
    assert {answer.headers["retry-after"] for answer in answers} == {"5"}


def test_a_page_says_which_service_is_away_and_comes_back_by_itself(web_loop, free_port) -> None:
    async def connected() -> Arena:
        return Arena(dict.fromkeys(STUBS, f"127.0.0.1:{free_port()}"), READER)

    arena, away = web_loop.run(connected()), f"127.0.0.1:{free_port()}"
    with People(away, away, patience=0.0) as people, Matchmaking(away) as matchmaking:
        app = build_app(arena, CollectorRegistry(), LoginParts(people, matchmaking, READER, "", 8 << 20))
        with serve(web_loop, app) as port:
            site = Site(port, arena, CollectorRegistry(), web_loop)
            for path, service in {
                "/contests": "tournament",
                "/ladders": "matchmaking",
                "/bots": "registry",
                "/me": "registry",
            }.items():
                page = site.get(path, cookie=a_cookie(people))
                assert page.status == 503
                assert f"({service} service) does not answer" in page.text
                assert 'http-equiv="refresh" content="5"' in page.text
    web_loop.run(arena.close())
