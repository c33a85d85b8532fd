"""`/status` says in words whether all is well, and comes whatever is silent."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from maumau.client.answer import NeedState, Rate, StateCount, WaitCount
from maumau.client.arena import Arena as People
from maumau.client.arena_status import SERVICES, STATES, say_span
from maumau.client.matchmaking import Matchmaking
from services.engine.app import bind as bind_engine
from services.shared.process.server import Server
from services.web.app import build_app
from services.web.client import Arena
from services.web.http.session import LoginParts
from services.web.public.status import EVERY
from services.web.words import TONGUES
from tests.support.fake_status import a_status
from tests.support.polling import until
from tests.web.conftest import Site, serve
from tests.web.visitor import READER

WAITING = StateCount("registry", "version", "uploaded", 3, False, 61_000, 900_000)
DASH = "\N{EN DASH}"
LATE = StateCount("tournament", "block", "void", 2, False, 95_000, 0)


def rows(text: str) -> dict[str, str]:
    """Return the content of each row of the page's tables, by its heading."""
    found = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', text, re.DOTALL)
    return {_plain(name): _plain(cells) for name, cells in found}


def _plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def verdict(text: str) -> str:
    (found,) = re.findall(r'<div class="panel verdict">(.*?)</div>', text)
    return _plain(found)


def test_an_arena_in_which_nothing_goes_on_is_well(site) -> None:
    page = site.get("/status")
    assert page.status == 200
    assert verdict(page.text) == "All is well."
    found = rows(page.text)
    assert found["Blocks waiting"] == f"0 {DASH}"
    assert found["less than 10 s"] == found["longer"] == "0"
    assert len(found) == 4 + sum(map(len, STATES.values()))
    assert "LATE" not in page.text


def test_counts_ages_and_rates_are_told(site) -> None:
    site.arena.status = a_status(
        WAITING, StateCount("tournament", "block", "queued", 10_000, True, 5_400_000, None),
        StateCount("tournament", "worker", "present", 4, False, None, None),
        waits=(WaitCount("block", 10_000, 12, False), WaitCount("block", None, 10_000, True)),
        rates=(Rate("block", 1.9), Rate("decision", 812.44)),
    )  # fmt: skip
    page = site.get("/status").text
    found = rows(page)
    assert verdict(page) == "All is well."
    assert found["Versions waiting for validation late after 15 min"] == "3 1 min 1 s"
    assert found["Blocks waiting"] == "10 000+ 1 h 30 min"
    assert (found["less than 10 s"], found["longer"]) == ("12", "10 000+")
    assert all(f"<dd>{told}</dd>" in page for told in ("114.0", "812.4", "4"))


def test_what_is_late_is_said_in_words(site) -> None:
    site.arena.status = a_status(
        LATE, StateCount("registry", "version", "uploaded", 1, False, 900_001, 900_000)
    )
    page = site.get("/status")
    assert page.status == 200
    assert verdict(page.text) == "Not all is well. Late: versions waiting for validation, blocks given up."
    found = rows(page.text)
    assert found["Versions waiting for validation LATE: at most 15 min"] == "1 15 min"
    assert found["Blocks given up LATE: there must be none"] == "2 1 min 35 s"
    german = site.get("/status?lang=de").text
    assert verdict(german).startswith(
        "Nicht alles ist in Ordnung. Überfällig: Versionen, die auf die Prüfung"
    )


def test_a_state_is_late_only_once_it_has_lasted_longer_than_it_may(site) -> None:
    site.arena.status = a_status(StateCount("tournament", "event", "untold", 9, False, 30_000, 30_000))
    assert verdict(site.get("/status").text) == "All is well."


@pytest.mark.parametrize(
    ("silent", "name", "row"),
    [
        ("ladders_down", "Ladders (matchmaking)", "Pairings not queued yet"),
        ("engine_down", "Live tables (engine)", "Open seeks for a live table"),
    ],
)
def test_a_silent_service_is_said_in_its_rows_and_the_page_comes(site, silent, name, row) -> None:
    setattr(site.arena, silent, True)
    page = site.get("/status")
    assert page.status == 200
    assert verdict(page.text) == f"Not all is well. No answer from: {name}."
    known = {label: cells for label, cells in rows(page.text).items() if cells.startswith("unknown")}
    assert len(known) == len(STATES["matchmaking" if silent == "ladders_down" else "engine"])
    assert (row in known) == (silent == "ladders_down")
    assert "does not answer" in page.text


def test_a_wholly_silent_arena_still_has_its_page(site) -> None:
    site.arena.contacts = dict.fromkeys(SERVICES, "silent")
    page = site.get("/status")
    assert page.status == 200
    assert "No answer from: Registry, Tournament service" in verdict(page.text)
    assert page.text.count("unknown") >= sum(map(len, STATES.values()))


def test_a_service_that_cannot_read_its_tables_is_not_called_silent(site) -> None:
    site.arena.contacts = {"registry": "unread"}
    page = site.get("/status").text
    assert verdict(page) == "Not all is well. No figures from: Registry."
    assert rows(page)["Versions being validated"] == f"unknown {DASH}"
    assert site.get("/api/v1/status").json["services"]["registry"] is True


def test_what_does_not_answer_a_service_is_named(site) -> None:
    site.arena.status = a_status(needs=(NeedState("broker", False), NeedState("sweep of registry", False)))
    page = site.get("/status").text
    assert verdict(page) == "Not all is well. A service gets no answer from: broker, sweep of registry."
    assert "It gets no answer from: broker, sweep of registry." in page


def test_a_state_of_a_later_release_is_shown_by_its_own_words_and_as_text(site) -> None:
    strange = StateCount("registry", "<script>alert(1)</script>", "{{ 7*7 }}", 1, False, None, None)
    hostile = a_status(strange, needs=(NeedState("<img src=x onerror=alert(1)>", False),))
    site.arena.status = hostile
    page = site.get("/status").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7*7 }}" in page
    assert "{{ 7*7 }}" in site.get("/status?lang=de").text


def test_every_state_has_words_in_both_languages() -> None:
    for states in STATES.values():
        for thing, state in states:
            key = f"state_{thing}_{state}"
            assert TONGUES["de"](key) != TONGUES["en"](key)


def test_the_page_stays_current_and_all_who_watch_share_one_question(site) -> None:
    with site.watching("/stream/status?seen=") as first, site.watching("/stream/status?seen=") as second:
        assert "All is well." in next(first)["data"]["arena_status"]
        assert "All is well." in next(second)["data"]["arena_status"]
        before, began = site.arena.asked.count("arena_status"), time.monotonic()
        site.arena.status = a_status(LATE)
        for events in (first, second):
            for event in events:
                if (
                    "Blocks given up" in event["data"].get("arena_status", "")
                    and "LATE" in event["data"]["arena_status"]
                ):
                    break
        looks = site.arena.asked.count("arena_status") - before
    assert looks <= 2 + (time.monotonic() - began) / EVERY


def test_its_data_are_those_of_the_page(site) -> None:
    site.arena.status, site.arena.engine_down = a_status(LATE), True
    told = site.get("/api/v1/status")
    assert told.headers["content-type"] == "application/json"
    assert told.json["is_well"] is False
    assert told.json["services"] == {
        "registry": True,
        "tournament": True,
        "matchmaking": True,
        "engine": False,
    }
    assert [(one["thing"], one["state"], one["oldest_ms"]) for one in told.json["late"]] == [
        ("block", "void", 95_000)
    ]  # fmt: skip
    assert len(told.json["states"]) == sum(map(len, STATES.values())) - len(STATES["engine"])
    assert set(told.json["needs"]) == set(SERVICES) - {"engine"}
    assert site.get("/api/v1/status", if_none_match=told.headers["etag"]).status == 304
    described = site.get("/api/v1/openapi.json").json
    assert "/api/v1/status" in described["paths"]
    assert {"Status", "StateCount", "WaitCount", "Rate", "NeedState"} <= set(
        described["components"]["schemas"]
    )


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 s"), (999, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (61_000, "1 min 1 s"),
        (3_600_000, "1 h"), (5_400_000, "1 h 30 min"), (90_000_000, "1 d 1 h"), (86_400_000 * 400, "400 d"),
    ],
)  # fmt: skip
def test_a_span_has_two_units_at_most(ms: int, words: str) -> None:
    assert say_span(ms) == words


@pytest.fixture
def engine(web_loop, services):
    """Yield an engine service at an address of its own."""

    async def begin() -> Server:
        server = Server("engine", replace(services.settings, listen="127.0.0.1:0"))
        await bind_engine(server, server.settings)
        await server.start()
        return server

    server = web_loop.run(begin())
    yield server
    web_loop.run(server.stop(0.1))


def test_before_real_services_one_that_has_ended_is_said(web_loop, services, engine) -> None:
    own = dict.fromkeys(("registry", "tournament", "matchmaking"), services.address)

    async def connected() -> Arena:
        return Arena({**own, "engine": engine.address}, READER)

    arena: Any = web_loop.run(connected())
    with People(services.address, services.address) as people, Matchmaking(services.address) as matchmaking:
        app = build_app(arena, CollectorRegistry(), LoginParts(people, matchmaking, READER, "", 1 << 20))
        with serve(web_loop, app) as port:
            site = Site(port, arena, CollectorRegistry(), web_loop)
            until("all answer", lambda: all(site.get("/api/v1/status").json["services"].values()))
            assert site.get("/api/v1/status").json["unread"] == []
            web_loop.run(engine.stop(0.1))
            until("it is said", lambda: "No answer from: Live tables (engine)." in site.get("/status").text)
            told = site.get("/api/v1/status").json
            assert told["services"] == {**dict.fromkeys(own, True), "engine": False}
            assert {one["service"] for one in told["states"]} == set(own)
    web_loop.run(arena.close())
