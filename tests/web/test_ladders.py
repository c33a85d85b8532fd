"""Ladders as a reader of the pages sees them: the table, what is open of it, what was paired and why."""

from __future__ import annotations

import json
import re

import pytest

from maumau.client.answer import HeadToHead
from tests.support.fake import DEAL, a_line, a_match, a_pairing, a_set, a_tournament

HOSTILE = "<script>alert(1)</script>"


def with_a_ladder(arena) -> None:
    arena.boards["prsi"] = [
        a_line(1, "rollout", 60.0, best=0.998, best_place=1, worst_place=1),
        a_line(2, "greedy", -8.4, best=0.001, pinned=True),
        a_line(3, "fresh", 0.0, sets=0, low=-90.0, high=90.0, words="its version is being validated"),
    ]
    arena.versus["greedy"] = (HeadToHead("rollout", "version_rollout", 120, 0.41, 0.36, 0.46),)
    pairs = [("rollout", "greedy"), ("greedy", "fresh")]
    played = {"state": "over", "booked": 20}
    arena.paired = [a_pairing(f"3.{n}", *pairs[n % 2], **played) for n in range(60, 0, -1)]


def test_a_table_says_place_strength_and_how_sure_it_is(site) -> None:
    with_a_ladder(site.arena)
    text = site.get("/ladders/prsi").text
    assert "60 Elo, 95 % interval 40 to 80" in text
    assert "\u22128 Elo, 95 % interval \u221228 to 12" in text
    assert "&gt; 99 %" in text
    assert "&lt; 1 %" in text
    assert "between 2 and 3" in text
    assert "no result yet" in text
    assert "its version is being validated" in text
    assert "the mean of the bots with ⚓ is 0" in text
    assert "das Mittel der Bots mit ⚓ ist 0" in site.get("/ladders/prsi?lang=de").text


def test_a_filter_that_fits_nothing_is_named(site) -> None:
    with_a_ladder(site.arena)
    assert "nosuch is not on this ladder." in site.get("/ladders/prsi?bot=nosuch").text
    assert "is not on this ladder" not in site.get("/ladders/prsi?bot=greedy").text
    text = site.get("/ladders/prsi?author=nosuch").text
    assert "No bot of nosuch is on this ladder." in text
    assert "No bot has joined yet" not in text
    assert HOSTILE not in site.get("/ladders/prsi?bot=%3Cscript%3Ealert(1)%3C/script%3E").text


def test_a_zero_near_an_end_of_the_axis_is_left_out_on_a_phone(site) -> None:
    """Zero is at 74 % of an axis from -471 to 166; at 390 px its digit touches that of the end."""
    site.arena.boards["prsi"] = [
        a_line(1, "rollout", 131.0, low=120.0, high=141.5),
        a_line(2, "random", -416.0, low=-446.5, high=-385.0),
    ]
    scale = re.search(r'<svg class="whisker scale".*?</svg>', site.get("/ladders/prsi").text)
    assert re.findall(r'<text( class="aside")? x="([\d.]+)%?"', scale[0]) == [
        ("", "0"), (' class="aside"', "74.0"), ("", "100"),
    ]  # fmt: skip


def test_no_axis_is_drawn_before_there_is_a_result(site) -> None:
    site.arena.boards["prsi"] = [a_line(0, "rollout", 0.0, sets=0), a_line(0, "random", 0.0, sets=0)]
    text = site.get("/ladders/prsi").text
    assert "rollout" in text
    assert "whisker" not in text


def test_a_ladder_on_which_nobody_is_paired_says_why(site) -> None:
    with_a_ladder(site.arena)
    site.arena.boards["four"], site.arena.idle["four"] = [], "It takes 4 bots; 3 can play."
    said = "No pairings at the moment: It takes 4 bots; 3 can play."
    assert said in site.get("/ladders/four").text
    german = "Zurzeit gibt es keine Paarungen: Nötig sind 4 Bots; 3 können spielen."
    assert german in site.get("/ladders/four?lang=de").text
    assert "No pairings" not in site.get("/ladders/prsi").text


def test_a_long_reason_of_a_bot_is_german_up_to_where_it_is_cut(site) -> None:
    why = (
        f"The bot {'b' * 64} has no active version; its newest, 8, is uploaded."
        " It becomes active when it passes its validation; `maumau bots` shows how far it is."
    )
    assert len(why) > 200
    site.arena.boards["prsi"] = [a_line(1, "fresh", 0.0, words=why), a_line(2, "greedy", 0.0)]
    text = site.get("/ladders/prsi?lang=de").text
    assert f"Der Bot {'b' * 64} hat keine aktive Version; seine neueste, 8, ist hochgeladen. Sie wird" in text
    assert "has no active version" not in text


def test_an_axis_holds_all_intervals_and_zero_where_it_belongs(site) -> None:
    """From -28.4 to 80 with 4 % of room on either side: -32.7 to 84.3, zero at 28 % and 60 at 79.2 %."""
    with_a_ladder(site.arena)
    text = site.get("/ladders/prsi").text
    assert 'class="half" x1="28.0%"' in text
    assert '<circle cx="79.2%"' in text


def test_a_row_opens_to_the_results_against_each(site) -> None:
    with_a_ladder(site.arena)
    assert "Share of the mirrored deals" not in site.get("/ladders/prsi").text
    text = site.get("/ladders/prsi?bot=greedy").text
    assert "greedy: 41.0 %, 95 % interval 36.0 to 46.0 %" in text
    assert "120 sets" in text
    assert "It has met nobody yet." in site.get("/ladders/prsi?bot=fresh").text


NUMBERED = re.compile(
    r"<bdi>([\w-]+)</bdi>"
    r'(?: <span class="version" aria-hidden="true">v(\d+)</span>'
    r'<span class="hidden">[vV]ersion (\d+)</span>)?'
)
"""A bot on a page, with the number of its version as it is seen and as it is spoken."""


def test_versions_of_one_bot_against_another_are_told_apart(site) -> None:
    """Version 4 of greedy has met its own forerunner, version 3, and two versions of rollout."""
    with_a_ladder(site.arena)
    site.arena.boards["prsi"][1] = a_line(2, "greedy", -8.4, version=4)
    met = (("rollout", 2), ("greedy", 3), ("rollout", 1))
    site.arena.versus["greedy"] = tuple(
        HeadToHead(bot, f"version_{number}", 40, 0.41, 0.36, 0.46, version=number) for bot, number in met
    )
    for language in ("en", "de"):
        text = site.get(f"/ladders/prsi?bot=greedy&lang={language}").text
        opponents = re.search(r'<ul class="opponents">.*?</ul>', text, re.DOTALL)
        assert NUMBERED.findall(opponents[0]) == [
            ("rollout", "2", "2"), ("greedy", "3", "3"), ("rollout", "1", "1"),
        ]  # fmt: skip
        assert opponents[0].count('aria-label="greedy v4: ') == 3
    assert "Share of the mirrored deals that greedy v4 wins" in site.get("/ladders/prsi?bot=greedy").text
    found = json.loads(site.get("/api/v1/ladders/prsi/bots/greedy").text)["items"]
    assert [(one["opponent"], one["version"]) for one in found] == list(met)
    csv = site.get("/api/v1/ladders/prsi/bots/greedy?format=csv").text.splitlines()
    assert csv[0] == "opponent,version_id,sets,score,low,high,version"
    assert csv[2] == "greedy,version_3,40,0.41,0.36,0.46,3"


def test_pairings_of_other_versions_of_the_same_bots_stand_apart(site) -> None:
    """A version is not counted with the one that it has replaced, and both may have met."""
    with_a_ladder(site.arena)
    played = {"state": "over", "booked": 20}
    site.arena.paired = [
        a_pairing("3.63", "rollout", "greedy", first_version=2, second_version=1, **played),
        a_pairing("3.62", "greedy", "rollout", first_version=1, second_version=2, **played),
        a_pairing("3.61", "rollout", "greedy", first_version=1, second_version=1, **played),
        a_pairing("3.60", "rollout", "rollout", first_version=2, second_version=1, **played),
    ]
    text = site.get("/ladders/prsi/pairings").text
    assert [(bot, seen) for bot, seen, _ in NUMBERED.findall(text)] == [
        ("rollout", "2"), ("greedy", "1"), ("greedy", "1"), ("rollout", "2"),
        ("rollout", "1"), ("greedy", "1"), ("rollout", "2"), ("rollout", "1"),
    ]  # fmt: skip
    assert re.findall(r"\((\d+) pairings; reason for the newest\)", text) == ["2"]
    csv = site.get("/api/v1/ladders/prsi/pairings?format=csv").text.splitlines()
    assert csv[0].endswith(",first_version,second_version,words")
    assert csv[4].endswith(",2,1,")


def test_two_versions_of_one_bot_are_told_apart_in_the_replay_of_their_deals(site) -> None:
    with_a_ladder(site.arena)
    versions = {"first_version": 2, "second_version": 1, "state": "over", "booked": 20}
    site.arena.paired = [a_pairing("3.60", "rollout", "rollout", **versions)]
    site.arena.sets[3] = a_set(3)
    here = "/ladders/prsi/pairings/3.60"
    page = site.get(here).text
    assert "<title>rollout v2 \u2013 rollout v1 \u2013 prsi 3.60</title>" in page
    assert NUMBERED.findall(page)[:2] == [("rollout", "2", "2"), ("rollout", "1", "1")]
    deals = json.loads(site.get(f"{here}/sets/3/data").text)
    assert [[player["name"] for player in deal["players"]] for deal in deals] == [
        ["rollout v2", "rollout v1"], ["rollout v1", "rollout v2"],
    ]  # fmt: skip
    assert "<bdi>rollout v2</bdi>" in site.get(f"{here}/sets/3").text


def test_the_bots_of_one_author_are_shown_alone(site) -> None:
    with_a_ladder(site.arena)
    text = site.get("/ladders/prsi?author=greedy-author").text
    assert text.count("<tr id=") == 1
    assert 'data-stream="/stream/ladders/prsi?author=greedy-author"' in text


def test_a_table_moves_while_one_watches(site) -> None:
    with_a_ladder(site.arena)
    with site.watching("/stream/ladders/prsi?seen=") as events:
        assert "60 Elo" in next(events)["data"]["ladder"]
        site.arena.boards["prsi"][0] = a_line(1, "rollout", 71.0)
        site.change()
        assert "71 Elo" in next(events)["data"]["ladder"]


def test_pairings_say_who_and_why_and_go_on_by_cursor(site) -> None:
    with_a_ladder(site.arena)
    text = site.get("/ladders/prsi/pairings").text
    assert "rollout and greedy may both be the best." in text
    assert "20 of 20 sets" in text
    seen = re.findall(r'<span class="number">(3\.\d+)', text)
    while more := re.search(r'href="\?after=([\d.]+)"', text):
        text = site.get(f"/ladders/prsi/pairings?after={more[1]}").text
        seen += re.findall(r'<span class="number">(3\.\d+)', text)
    assert sorted(seen, key=lambda one: -int(one[2:])) == [f"3.{n}" for n in range(60, 0, -1)]
    assert "91" * 32 in text  # the secret of the epoch that is over
    assert "d4" * 32 in text  # what its export comes to
    assert f"newest link <code>17 {'c3' * 32}" in text
    assert "wer ist der Beste?" in site.get("/ladders/prsi/pairings?lang=de").text


def test_the_deals_of_a_pairing_are_shown_while_it_is_played(site) -> None:
    with_a_ladder(site.arena)
    site.arena.paired = [a_pairing("3.61", "rollout", "greedy")]
    site.arena.deals = [DEAL]
    assert 'href="/ladders/prsi/pairings/3.61/live"' in site.get("/ladders/prsi/pairings").text
    assert 'href="/ladders/prsi/pairings/3.61/live"' in site.get("/ladders/prsi/pairings/3.61").text
    page = site.get("/ladders/prsi/pairings/3.61/live").text
    assert "10 of 20 sets" in page
    assert 'data-stream="/stream/ladders/prsi/pairings/3.61/live"' in page
    with site.watching("/stream/ladders/prsi/pairings/3.61/live?seen=") as events:
        shown = next(event for event in events if event["event"] == "deal")["data"]
        assert [player["name"] for player in shown["players"]] == ["rollout", "greedy"]
        assert shown["href"] == "/ladders/prsi/pairings/3.61"
        site.arena.paired = [a_pairing("3.61", "rollout", "greedy", state="over", booked=20)]
        site.change()
        assert any("20 of 20 sets" in event["data"].get("pairing_result", "") for event in events)
    assert "/live" not in site.get("/ladders/prsi/pairings/3.61").text
    assert site.get("/ladders/prsi/pairings/9.9/live").status == 404


def test_all_at_a_table_of_three_are_named_and_the_score_is_the_first_ones(site) -> None:
    with_a_ladder(site.arena)
    table = {"others": ("counter",), "score": 0.63, "booked": 2, "state": "over"}
    site.arena.paired = [a_pairing("3.61", "rollout", "greedy", **table)]
    text = site.get("/ladders/prsi/pairings").text
    assert re.findall(r'/bots/(\w+)"', text[text.index("versus") :])[:3] == ["rollout", "greedy", "counter"]
    assert 'aria-label="Score of pairing 3.61; its deals">63.0</a>' in text
    page = site.get("/ladders/prsi/pairings/3.61").text
    assert '<p class="big">63.0</p>' in page
    assert page.count("2 / 4") == 3
    assert page.count("<bdi>rollout</bdi></td>") == 1  # of two sets it has won the second


def test_pairings_of_the_same_bots_for_the_same_reason_stand_below_it_once(site) -> None:
    """In either order of names; only the reason of the newest is asked for."""
    with_a_ladder(site.arena)
    site.arena.paired[4] = a_pairing("3.56", "greedy", "rollout", state="over", booked=20)
    site.arena.paired[0:0] = [a_pairing(f"3.{n}", "rollout", "greedy", booked=0) for n in (62, 61)]
    text = site.get("/ladders/prsi/pairings").text
    played, under_way = text[text.index("Played last") :].split("Under way")
    assert played.count("rollout and greedy may both be the best.") == 1
    assert re.findall(r'aria-label="Score of pairing (3\.\d+)', played)[:2] == ["3.60", "3.58"]
    assert "(13 pairings; reason for the newest)" in played  # 3.60, 3.58 … 3.36
    assert "(12 pairings; reason for the newest)" in played  # 3.59, 3.57 … 3.37
    assert re.findall(r'class="number"[^>]*>(3\.\d+)', under_way) == ["3.62", "3.61"]
    assert under_way.count("rollout and greedy may both be the best.") == 1
    assert "0 of 40 sets" in under_way
    assert "explain 3.58" not in site.arena.asked
    assert "Läuft gerade" in site.get("/ladders/prsi/pairings?lang=de").text


def test_a_pairing_leads_to_its_sets_and_each_set_to_its_replay(site) -> None:
    with_a_ladder(site.arena)
    site.arena.sets[3] = a_set(3)
    here = "/ladders/prsi/pairings/3.60"
    assert f'href="{here}">watch its deals' in site.get("/ladders/prsi/pairings").text
    page = site.get(here).text
    assert "rollout and greedy may both be the best." in page
    assert f'href="{here}/sets/3"' in page
    assert "Sets 0 to 19; 20 count." in page
    assert "Sets 5 to 19" in site.get(f"{here}?from=5").text
    replay = site.get(f"{here}/sets/3").text
    assert f'data-from="{here}/sets/3/data?lang=en"' in replay
    assert 'href="4"' in replay
    deals = site.get(f"{here}/sets/3/data").json
    assert [[player["name"] for player in deal["players"]] for deal in deals] == [
        ["rollout", "greedy"], ["greedy", "rollout"],
    ]  # fmt: skip
    assert site.get(f"{here}/sets/3/record").text.count("[maumau 1]") == 2
    for path in (f"{here}/sets/19", "/ladders/prsi/pairings/3.99", "/ladders/none/pairings/3.60"):
        assert site.get(path).status == 404


def test_the_last_set_of_a_pairing_leads_to_no_next_one(site) -> None:
    with_a_ladder(site.arena)
    site.arena.sets[19] = a_set(19)
    text = site.get("/ladders/prsi/pairings/3.60/sets/19").text
    assert 'href="18"' in text
    assert 'href="20"' not in text


def test_sets_of_pairings_are_in_the_api(site) -> None:
    with_a_ladder(site.arena)
    site.arena.sets[3] = a_set(3)
    here = "/api/v1/ladders/prsi/pairings"
    assert len(site.get(f"{here}?over=true").json["items"]) == 60
    first = site.get(f"{here}/3.60/sets?limit=2").json
    assert [one["scores"] for one in first["items"]] == [[2, 2], [4, 0]]
    assert site.get(f"{here}/3.60/sets?format=csv").text.split("\r\n")[2] == "1,0,4 : 0,4,0 : 0,"
    later = site.get(f"{here}/3.60/sets?limit=1000&cursor={first['next']}").json
    assert [one["set"] for one in later["items"]] == list(range(2, 20))
    found = site.get(f"{here}/3.60/sets/3").json
    assert (found["names"], found["set"]["number"]) == (["rollout", "greedy"], 3)
    assert site.get(f"{here}/3.60/sets/4").status == 404


def test_a_ladder_at_rest_says_so_in_every_list(site) -> None:
    with_a_ladder(site.arena)
    site.arena.idle["prsi"], site.arena.resting = "It rests: all is known.", {"prsi"}
    site.arena.boards["four"], site.arena.idle["four"] = [], "It takes 4 bots; 3 can play."
    for path in ("/", "/ladders"):
        assert "The order of its bots is known; a new version or bot wakes it." in site.get(path).text
        assert (
            "Die Reihenfolge ihrer Bots ist bekannt; eine neue Version oder ein neuer Bot weckt sie."
            in site.get(f"{path}?lang=de").text
        )
        assert site.get(path).text.count("It takes 4 bots; 3 can play.") == 1
    found = site.get("/api/v1/ladders").json["items"]
    assert {one["name"]: one["rests"] for one in found} == {"prsi": True, "four": False}


def test_while_no_contest_is_played_the_first_page_shows_deals_of_a_ladder(site) -> None:
    """Not those of a contest that is over, which it would repeat."""
    with_a_ladder(site.arena)
    with_an_old_contest(site.arena)
    text = site.get("/").text
    assert 'href="/ladders/prsi/pairings/3.60">' in text
    assert "55.0 : 45.0" in text
    assert "The score on this ladder. So far: 20 deals, each played from every seat." in text
    with site.watching("/stream?seen=") as events:
        deal = next(each for each in events if each["event"] == "deal")["data"]
        assert deal["href"] == "/ladders/prsi/pairings/3.60"
        assert [player["name"] for player in deal["players"]] == ["rollout", "greedy"]
        assert deal["where"] == "played on the ladder prsi: set 0, seating 0"


@pytest.mark.long
def test_while_all_ladders_rest_the_first_page_shows_deals_of_the_last_contest(site) -> None:
    with_a_ladder(site.arena)
    with_an_old_contest(site.arena)
    site.arena.idle["prsi"] = "It rests: all is known."
    text = site.get("/").text
    assert 'href="/contests/old/matches/1.1.1"' in text
    assert "/ladders/prsi/pairings/3.60" not in text


def with_an_old_contest(arena) -> None:
    arena.contests = [a_tournament("old", "finished")]
    arena.games["old"] = [a_match(state="decided", winner=1)]
    arena.sets = {number: a_set(number) for number in range(20)}


def test_why_a_pair_was_made_is_asked_for_once_while_it_is_shown(site) -> None:
    with_a_ladder(site.arena)
    with site.watching("/stream/ladders/prsi/pairings?seen=") as events:
        next(events)
        asked = site.arena.asked.count("explain 3.60")
        site.arena.paired.insert(0, a_pairing("3.61", "fresh", "greedy"))
        assert "3.61" in next(events)["data"]["pairings"]
    assert site.arena.asked.count("explain 3.60") == asked
    assert site.arena.asked.count("explain 3.61") == 1


def test_the_best_of_each_ladder_are_on_the_first_page(site) -> None:
    with_a_ladder(site.arena)
    site.arena.boards["empty"] = []
    for path in ("/", "/ladders"):
        text = site.get(path).text
        assert "/ladders/prsi" in text
        assert "60 Elo" in text
        assert "No bot has joined yet." in text


def test_contests_are_shown_though_the_ladders_are_silent(site) -> None:
    with_a_ladder(site.arena)
    site.arena.ladders_down = True
    home = site.get("/")
    assert home.status == 200
    assert "The ladders do not answer at the moment." in home.text
    assert site.get("/ladders/prsi").status == 503


def test_without_a_ladder_one_reads_how_to_make_one(site) -> None:
    assert "maumau ladder create" in site.get("/ladders").text
    missing = site.get("/ladders/none")
    assert missing.status == 404
    assert "To the first page" in missing.text


@pytest.mark.long
def test_names_and_words_on_ladders_are_text(site) -> None:
    site.arena.boards["prsi"] = [a_line(1, HOSTILE, 1.0, words=HOSTILE), a_line(2, "greedy", 0.0)]
    site.arena.versus[HOSTILE] = (HeadToHead(HOSTILE, "v", 20, 0.5, 0.4, 0.6),)
    site.arena.paired = [a_pairing("3.1", HOSTILE, "greedy", kind=HOSTILE)]
    paths = ("/", "/ladders/prsi?bot=%3Cscript%3Ealert(1)%3C/script%3E", "/ladders/prsi/pairings")
    for path in paths:
        text = site.get(path).text
        assert "&lt;script&gt;alert" in text
        assert "<script>alert" not in text
