"""Live tables: who plays, what lies open, whose clock runs, and how it ended."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from bench.support.patience import patient
from maumau.game import record
from services import web
from services.web.public.live_table import SHOWN, draw_public, take_in
from tests.support.fake import FakeArena, a_table, table_news

TEMPLATES = Path(web.__file__).parent / "templates"
HOSTILE = "<img src=x onerror=alert(1)>"


def with_an_ended_table(arena, names=("ada", "greedy")) -> str:
    """Add a table that has ended; return its record."""
    told, d = table_news()
    ended = {"places": tuple(d.places), "points": tuple(d.points), "record": record(d), "turn": None}
    arena.live["table_2"] = [a_table("table_2", names, state="over", secret="91" * 32, **ended), *told]
    return record(d)


def with_tables(arena, names=("ada", "greedy")) -> None:
    arena.live["table_1"] = [a_table(names=names), *table_news(4)[0]]
    arena.live["table_3"] = [a_table("table_3", names, state="void", words=f"closed: {names[0]}", turn=None)]
    with_an_ended_table(arena, names)


def test_tables_are_listed_with_who_plays_and_since_when(site) -> None:
    with_tables(site.arena)
    text = site.get("/tables").text
    assert text.index("/tables/table_1") < text.index("Ended lately") < text.index("/tables/table_3")
    assert "since 2026-11-23 00:00 UTC" in text
    assert "prsi" in text
    assert "closed: ada" in text


def test_the_list_names_only_those_who_came_first(site) -> None:
    places = {"table_1": (1, 2), "table_2": (2, 1), "table_3": (1, 1)}
    for table_id, each in places.items():
        site.arena.live[table_id] = [
            a_table(table_id, ("ada", "greedy"), state="over", places=each, points=(0, 0), turn=None)
        ]
    text = site.get("/tables").text
    winners = dict(re.findall(r'href="/tables/(table_\d)".*?Winner: (.*?)</span>', text, re.DOTALL))
    ada, greedy = "<bdi>ada</bdi>", "<bdi>greedy</bdi>"
    assert winners == {"table_1": ada, "table_2": greedy, "table_3": f"{ada}, {greedy}"}


def test_no_filter_of_a_loop_counts_its_rounds() -> None:
    """In the condition of a `for`, `loop` is the loop around it: the condition would be of another row."""
    filters = re.compile(r"\{%-? *for [^%]*? if [^%]*\bloop\.[^%]*%\}")
    assert [str(path) for path in sorted(TEMPLATES.rglob("*.html")) if filters.search(path.read_text())] == []


def test_where_no_table_is_open_it_is_said_how_to_sit_down(site) -> None:
    text = site.get("/tables").text
    assert "No table is open at the moment." in text
    assert "maumau seat prsi --house" in text


def test_a_table_is_read_without_scripts(site) -> None:
    with_tables(site.arena)
    text = site.get("/tables/table_1").text
    assert "1:01" in text
    assert "0:59" in text
    assert "greedy" in text
    assert "/record" not in text


def test_moves_come_while_one_watches(site) -> None:
    with_tables(site.arena)
    told = table_news()[0]
    with site.watching("/stream/tables/table_1") as events:
        deal = next(one["data"] for one in events if one["event"] == "deal" and one["data"]["events"] != [""])
        assert deal["events"][-1] == told[4].view["events"][-1]
        site.arena.live["table_1"].append(told[5])
        site.change()
        later = next(
            one["data"] for one in events if one["event"] == "deal" and one["data"]["key"] != deal["key"]
        )
    assert later["events"][-1] == told[5].view["events"][-1]
    assert later["counts"][-2:] == [deal["counts"][-1], told[5].view["counts"]]
    assert later["tops"][-1][0] == told[5].view["top"]
    assert later["hands"] == []
    assert later["clock"]["turn"] == told[5].turn


def test_no_move_is_missed_that_comes_while_the_one_before_is_shown() -> None:
    """The arena of these tests is told of changes from their own thread, at any moment."""
    arena, told = FakeArena(), table_news()[0]
    with_tables(arena)

    async def watch() -> object:
        watching = arena.watch_table("table_1")
        for _ in arena.live["table_1"]:
            await anext(watching)
        arena.live["table_1"].append(told[5])
        arena.change()
        async with asyncio.timeout(patient(5)):
            return await anext(watching)

    assert asyncio.run(watch()) == told[5]


def test_a_table_that_ended_has_its_result_and_its_record(site) -> None:
    written = with_an_ended_table(site.arena)
    text = site.get("/tables/table_2").text
    assert 'href="/tables/table_2/record"' in text
    assert text.index(">Result<") < text.index('<th scope="row">')
    assert site.get("/tables/table_2/record").text == written


def test_hands_lie_open_only_at_the_end(site) -> None:
    told, d = table_news()
    view = take_in(None, a_table())
    for news in told:
        view = take_in(view, news)
        assert draw_public(view, "en")["hands"] == []
        assert len(draw_public(view, "en")["events"]) <= SHOWN
    places = tuple(d.places)
    view = take_in(view, a_table(state="over", places=places, points=tuple(d.points), record=record(d)))
    drawn = draw_public(view, "en")
    assert [len(hand) for hand in drawn["hands"][-1]] == list(told[-1].view["counts"])
    assert drawn["clocks"] == []


def test_a_table_without_a_result_says_why(site) -> None:
    with_tables(site.arena)
    assert "It ended without a result: closed: ada" in site.get("/tables/table_3").text
    assert site.get("/tables/table_3/record").status == 403


def test_who_has_not_come_is_waited_for(site) -> None:
    site.arena.live["table_4"] = [a_table("table_4", ("ada", ""), state="waiting", turn=None, joined=(0,))]
    text = site.get("/tables/table_4").text
    assert "1 of 2 have come" in text
    assert "seat B" in text


def test_no_record_is_given_while_a_deal_is_played(site) -> None:
    with_tables(site.arena)
    assert site.get("/tables/table_1/record").status == 403


def test_an_unknown_table_has_a_way_back_and_a_silent_engine_a_retry(site) -> None:
    found = site.get("/tables/table_9")
    assert found.status == 404
    assert 'href="/"' in found.text
    assert site.get("/stream/tables/table_9").status == 404
    site.arena.engine_down = True
    for path in ("/tables", "/tables/table_1", "/api/v1/tables", "/api/v1/tables/table_1"):
        assert (site.get(path).status, site.get(path).headers["retry-after"]) == (503, "5")
    assert site.get("/").status == 200


def test_a_hostile_name_at_a_table_is_text(site) -> None:
    with_tables(site.arena, (HOSTILE, "greedy"))
    for path in ("/tables", "/tables/table_1", "/tables/table_2", "/tables/table_3"):
        text = site.get(path).text
        assert "&lt;img src=x" in text
        assert "<img" not in text


def test_tables_are_data_too(site) -> None:
    with_tables(site.arena)
    assert [one["id"] for one in site.get("/api/v1/tables").json["items"]] == ["table_1"]
    assert {one["id"] for one in site.get("/api/v1/tables?ended=true").json["items"]} == {
        "table_2",
        "table_3",
    }
    assert site.get("/api/v1/tables/table_2").json["secret"] == "91" * 32
    assert site.get("/api/v1/tables/table_9").json["reason"] == "UNKNOWN_TABLE"
    assert "/api/v1/tables/{id}" in site.get("/api/v1/openapi.json").json["paths"]
