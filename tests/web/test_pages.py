"""The pages as readers see them: in every state, in two languages, and never anything as markup."""

from __future__ import annotations

import asyncio
import re

import pytest
from msgspec.structs import replace

from maumau.client.answer import FaultSummary
from maumau.errors import ArenaUnreachable
from services.web.delivery.cache import Cache
from services.web.public import pages
from tests.support.fake import DEAL, a_match, a_set, a_standing, a_tournament
from tests.support.kinds import one_of
from tests.support.polling import until

HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m\x00&\"'"


def with_a_cup(arena, **changes) -> None:
    arena.contests = [a_tournament("cup", **changes)]
    arena.games["cup"] = [a_match(), a_match("1.1.2", state="decided", winner=2, estimate=0.42, high=0.47)]
    arena.ranks["cup"] = [a_standing(1, 2, "rollout", 20.0), a_standing(2, 1, "greedy", -20.0)]


@pytest.mark.long
def test_a_contest_that_all_have_left_has_no_winner(site) -> None:
    with_a_cup(site.arena, state="finished")
    assert "Winner:" in site.get("/contests/cup").text
    (cup,) = site.arena.contests
    gone = tuple(replace(one, withdrawn=True) for one in cup.entries)
    site.arena.contests = [replace(cup, name="left", entries=gone)]
    site.arena.ranks["left"] = site.arena.ranks["cup"]
    for language, words in (
        ("en", "Nobody has won: both bots of the last match left before it was played."),
        (
            "de",
            "Niemand hat gewonnen: Die Bots, die in der letzten Begegnung aufeinandergetroffen wären, sind",
        ),
    ):
        page = site.get("/contests/left", accept_language=language).text
        assert words in page
        assert "Winner:" not in page


def test_older_contests_have_pages_of_their_own(site, monkeypatch) -> None:
    monkeypatch.setattr(pages, "CONTESTS", 10)
    site.arena.contests = [a_tournament(f"cup-{number}") for number in range(25)]
    path, shown = "/contests", []
    while path:
        page = site.get(path).text
        shown += re.findall(r'<a class="name" href="/contests/(cup-\d+)"', page)
        older = re.search(r'rel="next" href="([^"]+)"', page)
        path = f"/contests{older[1]}" if older else ""
    assert shown == [f"cup-{number}" for number in range(25)]


def test_an_empty_arena_says_how_to_begin(site) -> None:
    page = site.get("/")
    assert page.status == 200
    assert "Nothing is being played yet" in page.text
    assert "maumau tournament create" in page.text


def test_the_first_page_shows_what_is_played_without_a_script(site) -> None:
    with_a_cup(site.arena)
    text = site.get("/").text
    for words in ("greedy", "rollout", "47.0 : 53.0", "not separated yet", "rollout is better than greedy"):
        assert words in text


GERMAN = [
    "angelegt", "offen zur Anmeldung", "beginnt gleich", "läuft", "angehalten", "entschieden",
    "beendet", "abgesagt",
]  # fmt: skip
ENGLISH = ["created", "entries open", "starting", "running", "paused", "decided", "finished", "cancelled"]
STATES = ["created", "open", "starting", "running", "paused", "decided", "finished", "cancelled"]


@pytest.mark.sample
@pytest.mark.parametrize("state", one_of(3, STATES))
@pytest.mark.parametrize(
    ("language", "words"),
    one_of(2, [("en", ENGLISH), ("de", GERMAN)]),
)
def test_every_state_of_a_contest_is_said(site, state, language, words) -> None:
    with_a_cup(site.arena, state=state, words="")
    for path in ("/", "/contests", "/contests/cup"):
        assert f'{state}">{words[STATES.index(state)]}<' in site.get(path, accept_language=language).text


def test_why_a_contest_waits_is_said(site) -> None:
    with_a_cup(site.arena, state="paused", words="match 1.1.2 waits: block 3 was given up")
    assert "block 3 was given up" in site.get("/contests/cup").text


def test_a_language_is_remembered_and_follows_the_browser(site) -> None:
    assert '<html lang="de"' in site.get("/", accept_language="da, de;q=0.8, en;q=0.5").text
    assert '<html lang="fr"' in site.get("/", accept_language="fr-CH, de;q=0.8, en;q=0.5").text
    chosen = site.get("/?lang=de")
    assert chosen.headers["set-cookie"].startswith("lang=de;")
    assert chosen.headers["content-language"] == "de"
    assert '<html lang="de"' in site.get("/", cookie="lang=de", accept_language="en").text
    assert '<html lang="en"' in site.get("/", accept_language="de;q=x,,;q=").text


@pytest.mark.parametrize(
    "path", one_of(2, ["/", "/contests", "/contests/cup", "/contests/cup/matches/1.1.1"])
)
def test_names_and_words_of_strangers_are_text(site, path) -> None:
    names = (HOSTILE, "rollout")
    site.arena.contests = [a_tournament("cup", bots=names, words=HOSTILE, spec_toml=HOSTILE)]
    site.arena.games["cup"] = [a_match(names=names), a_match("1.1.2", names=names, state="decided", winner=1)]
    site.arena.ranks["cup"] = [a_standing(1, 1, HOSTILE, 0.0)]
    site.arena.faults = (FaultSummary("fault_1", 1, "illegal", 3, HOSTILE, HOSTILE, 1),)
    text = site.get(path).text
    assert "<script>alert" not in text
    assert not re.search(r"<script(?! type=\"module\" src=\"/static/)", text)
    assert "\x00" not in text or "&lt;script&gt;" in text
    stated = site.get("/api/v1/contests/cup/matches/1.1.1")
    assert stated.headers["content-type"] == "application/json"


def test_every_answer_has_headers_that_keep_it_to_itself(site) -> None:
    for path in ("/", "/nowhere", "/api/v1/contests", "/api/v1/contests/nowhere", "/healthz"):
        headers = site.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_nobody_is_sent_where_the_host_of_a_request_says(site) -> None:
    assert site.get("/contests/", host="elsewhere.localhost").status == 404


@pytest.mark.long
def test_pages_ask_no_other_host_for_anything(site) -> None:
    with_a_cup(site.arena)
    for path in ("/", "/contests/cup", "/contests/cup/matches/1.1.1", "/rules/prsi", "/status"):
        assert not re.search(r"(?:src|href|action)=\"(?:https?:)?//", site.get(path).text)


def test_what_there_is_not_is_said_with_a_way_back(site) -> None:
    with_a_cup(site.arena)
    paths = ("/nowhere", "/contests/no", "/contests/cup/matches/9.9.9", "/rules/chess", "/stream/contests/no")
    for path in paths:
        page = site.get(path)
        assert page.status == 404
        assert 'href="/"' in page.text


def test_a_silent_service_is_said_and_the_page_comes_back_by_itself(site) -> None:
    site.arena.down = True
    page = site.get("/contests/cup")
    assert page.status == 503
    assert page.headers["retry-after"] == "5"
    assert 'http-equiv="refresh" content="5"' in page.text
    assert "does not answer" in page.text
    assert "does not answer" in site.get("/status").text


def test_a_page_that_has_not_changed_is_not_sent_again(site) -> None:
    with_a_cup(site.arena)
    first = site.get("/contests/cup")
    again = site.get("/contests/cup", if_none_match=first.headers["etag"])
    assert (again.status, again.text) == (304, "")


def test_files_never_change_under_their_address(site) -> None:
    (address,) = re.findall(r'src="(/static/[^"]+page.js)"', site.get("/").text)
    assert "immutable" in site.get(address).headers["cache-control"]
    assert site.get(address.rpartition("/")[0] + "/../../app.py").status == 404


def test_many_readers_of_a_page_ask_the_arena_once() -> None:
    now, asked = [0.0], []

    async def ask() -> int:
        asked.append(now[0])
        await asyncio.sleep(0)
        return len(asked)

    async def read() -> list[int]:
        cache = Cache(lambda: now[0])
        found = await asyncio.gather(*(cache.get("page", ask) for _ in range(20)))
        now[0] = 1.5
        return [*found, await cache.get("page", ask)]

    assert asyncio.run(read()) == [1] * 20 + [2]


def test_an_answer_that_failed_is_asked_for_again() -> None:
    tries = iter([ArenaUnreachable("silent"), None])

    async def ask() -> str:
        if error := next(tries):
            raise error
        return "here"

    async def read() -> str:
        cache = Cache()
        with pytest.raises(ArenaUnreachable):
            await cache.get("page", ask)
        return await cache.get("page", ask)

    assert asyncio.run(read()) == "here"


def test_what_a_program_wrote_to_its_log_is_not_shown(site) -> None:
    with_a_cup(site.arena)
    site.arena.faults = (FaultSummary("fault_1", 1, "crash", 3, "it ended", "ValueError: my idea", 1),)
    for path in ("/contests/cup/matches/1.1.1", "/api/v1/contests/cup/matches/1.1.1"):
        text = site.get(path).text
        assert "it ended" in text
        assert "my idea" not in text


def test_faults_of_one_set_are_told_apart_by_their_seating(site) -> None:
    with_a_cup(site.arena)
    site.arena.faults = tuple(
        FaultSummary(f"fault_{seating}", 1, "crash", 3, "it ended", "", 1, seating) for seating in (0, 1)
    )
    text = site.get("/contests/cup/matches/1.1.1").text
    assert [f"set 3, seating {seating}: <bdi>" in text for seating in (0, 1)] == [True, True]


def test_forfeits_of_a_block_are_one_row_that_says_how_many_deals_they_are(site) -> None:
    with_a_cup(site.arena)
    site.arena.faults = (
        FaultSummary("fault_1", 1, "crash", 3, "it ended", "", 1),
        FaultSummary("fault_2", 1, "forfeit", 4, "five faults before", "", 12),
    )
    text = site.get("/contests/cup/matches/1.1.1").text
    assert "crash: it ended</li>" in text
    assert "forfeit: five faults before (12 deals)</li>" in text


def test_all_rules_are_told(site) -> None:
    assert "prsi_blind" in site.get("/rules").text
    assert "Ober" in site.get("/rules/prsi").text


def test_a_stream_tells_what_changed_and_nothing_else(site) -> None:
    with_a_cup(site.arena)
    page = site.get("/contests/cup")
    (seen,) = re.findall(r'data-seen="([^"]+)"', page.text)
    with site.watching(f"/stream/contests/cup?lang=en&seen={seen}") as events:
        site.arena.games["cup"][0] = a_match(sets=400, estimate=0.5)
        site.change()
        event = next(events)
        assert event["event"] == "parts"
        assert set(event["data"]) == {"crosstable", "matches"}
        assert "400" in event["data"]["matches"]
    site.arena.games["cup"][0] = a_match(sets=500, estimate=0.6)
    with site.watching("/stream/contests/cup?lang=en", last_event_id=event["id"]) as events:
        assert "500" in next(events)["data"]["matches"]


def test_one_stream_is_read_for_all_who_watch(site) -> None:
    with_a_cup(site.arena)
    path = "/stream/contests/cup/matches/1.1.1"
    with site.watching(path) as one, site.watching(path) as two, site.watching(path + "?lang=de") as three:
        parts = [next(each) for each in (one, two, three)]
        until("one stream is read", lambda: site.arena.streams == 1, 20)
        assert parts[0] == parts[1]
        assert "gewinnt" in parts[2]["data"]["result"]
        assert site.registry.get_sample_value("maumau_web_watchers") == 3


def test_a_deal_is_told_with_its_words_and_its_pile(site) -> None:
    with_a_cup(site.arena)
    site.arena.deals = [DEAL]
    with site.watching("/stream?lang=de") as events:
        deal = next(each for each in events if each["event"] == "deal")["data"]
    assert [player["name"] for player in deal["players"]] == ["greedy", "rollout"]
    assert deal["words"][5] == "rollout legt J♠ und wünscht sich ♦"
    assert deal["tops"][5] == ["JS", "D", ""]
    assert deal["counts"][3] == [6, 4]


@pytest.mark.parametrize("path", ["", "/contests/cup/matches/1.1.1"])
def test_a_page_is_whole_for_everybody_while_others_watch_a_deal(site, path) -> None:
    """The deal on the table is in the page itself, whoever comes later."""
    with_a_cup(site.arena)
    site.arena.deals = [DEAL]
    with site.watching(f"/stream{path}?lang=en") as events:
        next(each for each in events if each["event"] == "deal")
        for language, cards in (("en", "cards?"), ("de", "Karten?")):  # as many as there are just now
            whole = re.compile(rf'<span class="count">\d {cards}</span>')

            def load(language=language) -> str:
                page = site.get(path or "/", accept_language=language)
                assert page.status == 200
                return page.text

            # on a busy host a page may be sent before its source has answered
            until(f"the page has {cards}", lambda whole=whole, load=load: whole.search(load()), 20)
            assert 'class="card back"' in load()


def test_watchers_are_told_that_the_arena_is_silent_and_when_it_is_back(site) -> None:
    with_a_cup(site.arena)
    with site.watching("/stream/contests/cup?lang=en") as events:
        next(events)
        site.arena.down = True
        site.change()
        assert "has not answered since" in next(events)["data"]["trouble"]
        page = site.get("/contests/cup")
        assert page.status == 200
        assert "has not answered since" in page.text
        site.arena.down = False
        assert next(events)["data"]["trouble"] == ""


def test_a_contest_over_is_told_to_its_end(site) -> None:
    with_a_cup(site.arena)
    with site.watching("/stream/contests/cup?lang=en") as events:
        next(events)
        site.arena.contests[0] = replace(site.arena.contests[0], state="finished")
        site.change()
        assert "finished" in next(events)["data"]["state"]


def test_a_set_is_shown_in_both_seatings_once_the_contest_is_over(site) -> None:
    with_a_cup(site.arena, state="finished")
    site.arena.sets[3] = a_set(3, note=HOSTILE)
    path = "/contests/cup/matches/1.1.1/sets/3"
    page = site.get(path, accept_language="de")
    assert page.text.count("<h2>Sitzordnung") == 2
    assert "greedy legt" in page.text
    assert "<script>alert" not in page.text
    one, other = site.get(path + "/data").json
    assert [player["name"] for player in one["players"]] == ["greedy", "rollout"]
    assert [player["name"] for player in other["players"]] == ["rollout", "greedy"]
    assert one["stages"][0]["hands"] == other["stages"][0]["hands"]
    assert all(event in one["words"]["en"] for stage in one["stages"] for event in stage["open"])
    assert site.get(path + "/record").text.count("[maumau 1]") == 2


def test_no_deal_is_shown_before_the_contest_is_over(site) -> None:
    with_a_cup(site.arena)
    site.arena.sets[3] = a_set(3)
    for path in ("sets/3", "sets/3/data", "sets/3/record"):
        refused = site.get(f"/contests/cup/matches/1.1.1/{path}")
        assert refused.status == 403
        assert "is not over" in refused.text
    assert site.get("/api/v1/contests/cup/matches/1.1.1/sets/3").status == 403


def test_a_set_is_found_by_its_number_and_nothing_else_is_followed(site) -> None:
    with_a_cup(site.arena, state="finished")
    found = site.get("/contests/cup/matches/1.1.1/sets?n=17")
    assert (found.status, found.headers["location"]) == (303, "/contests/cup/matches/1.1.1/sets/17")
    for hostile in ("//evil.example", "%0d%0aset-cookie:x", "-1", "9" * 40):
        for name in ("n", "from"):
            refused = site.get(f"/contests/cup/matches/1.1.1/sets?{name}={hostile}")
            assert refused.status == 400
            assert "location" not in refused.headers
            assert f"{name}: expected a whole number of at most 8 digits, not " in refused.text
    german = site.get("/contests/cup/matches/1.1.1/sets?from=abc&lang=de").text
    assert "Das geht so nicht" in german
    assert "from: Erwartet wird eine ganze Zahl mit höchstens 8 Ziffern, nicht „abc“." in german
    assert site.get("/contests/cup/matches/1.1.1/sets/17").status == 404


def test_a_mistake_of_the_page_is_said_guarded_and_tells_nothing_of_itself(site) -> None:
    with_a_cup(site.arena)
    site.arena.ranks["cup"] = None  # no arena answers this
    for path in ("/contests/cup", "/api/v1/contests/cup/standings"):
        page = site.get(path)
        assert page.status == 500
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert "Traceback" not in page.text
        assert "NoneType" not in page.text


def test_a_projector_shows_what_changes_and_nothing_to_click(site) -> None:
    with_a_cup(site.arena)
    assert '<html lang="en" class="wall">' in site.get("/?wall=1").text
    assert 'href="?wall=1"' in site.get("/contests/cup").text


def test_of_a_long_match_the_newest_blocks_are_shown_and_all_are_offered(site) -> None:
    with_a_cup(site.arena)
    site.arena.done, path = 1299, "/contests/cup/matches/1.1.1"
    text = site.get(path).text
    assert "The last 25 of 1\u202f300; all of them:" in text
    assert f'href="/api/v1{path}"' in text
    rows = re.findall(r'<tr><td class="number">(\d+)</td>', text)
    assert [int(row) for row in rows] == list(range(1299, 1274, -1))
