"""The page of a bot: what it is, what it has played, and what it used of its time."""

from __future__ import annotations

import json
import re
from datetime import timedelta

from maumau.client.answer import BankShare, HeadToHead, RatingPoint, VersionHistory
from maumau.protocol.runtime import RUNTIMES
from services.web.figures.rating_history import draw_history
from services.web.words import WORDS
from tests.support.fake import NOW, a_bot, a_line, a_match, a_standing, a_tournament

HOSTILE = "<img src=x onerror=alert(1)>"


def with_a_bot(arena, name="greedy") -> None:
    arena.all_bots = (a_bot(name, reason="a secret of its author"), a_bot("rollout"))
    arena.contests = [a_tournament("cup", bots=("rollout", name)), a_tournament("other", bots=("rollout",))]
    decided = a_match(
        "1.1.2", 1, 2, ("rollout", name), state="decided", winner=2, estimate=0.25, low=0.2, high=0.3
    )
    arena.games["cup"] = [a_match(names=("rollout", name)), decided]
    arena.ranks["cup"] = [a_standing(1, 2, name, 12.0, faults=3), a_standing(2, 1, "rollout", -12.0)]
    arena.boards["prsi"] = [a_line(1, "rollout", 40.0), a_line(2, name, -8.0, faults=2)]
    arena.versus[name] = (HeadToHead("rollout", "v", 120, 0.41, 0.36, 0.46),)
    arena.banks = (
        BankShare(2, "mau_mau", 2, 100, 20.0, 55.5, 80.1, 1.0),
        BankShare(1, "mau_mau", 2, 100, 1, 2, 3, 1.0),
    )


def test_a_bot_says_where_it_stands_and_against_whom(site) -> None:
    with_a_bot(site.arena)
    text = site.get("/bots/greedy").text
    assert "place 2 of 2" in text
    assert "\u22128 Elo" in text
    assert "greedy: 41.0 %, 95 % interval 36.0 to 46.0 %" in text  # on the ladder
    assert "75.0 % ✓" in text  # the match, seen from its own side
    assert "greedy: 75.0 %, 95 % interval 70.0 to 80.0 %" in text
    assert "/contests/cup/matches/1.1.2" in text
    assert "rank 1" in text
    assert "/contests/other" not in text
    assert "5 deals lost by its own faults" in text


def test_results_by_opponent_name_the_opponent_and_then_the_link_to_its_page(site) -> None:
    with_a_bot(site.arena)
    group = site.get("/bots/greedy").text.partition('class="versus-group"')[2].partition("</details>")[0]
    assert group.count("<bdi>rollout</bdi>") == 1  # in the line that opens the group
    assert '<a href="/bots/rollout">Page of rollout</a>' in group


def test_the_list_of_bots_leaves_out_a_rating_of_which_little_is_known(site) -> None:
    with_a_bot(site.arena)
    wide = a_line(2, "greedy", -8.0, low=-108.5, high=92.5)
    site.arena.boards["prsi"] = [a_line(1, "rollout", 40.0), wide]
    text = site.get("/bots").text
    assert "place 1 of 2, 40 Elo" in text
    assert "place 2 of 2" in text
    assert "\u22128 Elo" not in text


def test_the_list_of_bots_says_why_one_does_not_play(site) -> None:
    site.arena.all_bots = (a_bot("greedy"), a_bot("broken", "ada", state="refused"))
    text = site.get("/bots").text
    assert "Without an active version: 1" in text
    assert '<span class="facts">refused · <a href="/authors/ada">' in text
    assert '<span class="facts"><a href="/authors/house">' in text


def test_a_bot_says_what_it_used_of_its_bank(site) -> None:
    with_a_bot(site.arena)
    text = site.get("/bots/greedy").text
    assert "mean 20.0 ms, 99 % below 55.5 ms, of 100 ms" in text
    assert 'class="tail" x1="0" x2="55.5%"' in text
    assert "mean 1.0 ms" not in text


def test_what_is_its_authors_is_not_told(site) -> None:
    with_a_bot(site.arena)
    assert "a secret of its author" not in site.get("/bots/greedy").text
    assert "a secret of its author" not in site.get("/api/v1/bots/greedy").text
    assert "a secret of its author" not in site.get("/api/v1/bots").text


def test_a_rating_is_a_line_in_its_band() -> None:
    """From 0 to 100 Elo, a day long: the middle of the day and of the axis lie in the middle of the box."""
    day = timedelta(days=1)
    points = (
        RatingPoint(NOW, 50.0, 0.0, 100.0, 20), RatingPoint(NOW + day / 2, 50.0, 25.0, 75.0, 40),
        RatingPoint(NOW + day, 75.0, 50.0, 100.0, 60),
    )  # fmt: skip
    short = VersionHistory("w", 12, 6, NOW, points[:1], version=3)
    found = draw_history([VersionHistory("v", 6, 0, NOW, points, version=1), short])
    assert found is not None
    assert [one.version for one in found.curves] == [1]
    assert found.curves[0].line == "M0.0 100.0L500.0 100.0L1000.0 50.0"
    assert found.curves[0].band == "M0.0 0.0L500.0 50.0L1000.0 0.0L1000.0 100.0L500.0 150.0L0.0 200.0z"
    assert found.zero is None
    assert draw_history([short]) is None


def test_a_rating_over_time_is_said_in_words(site) -> None:
    with_a_bot(site.arena)
    points = tuple(RatingPoint(NOW + timedelta(hours=n), 10.0 * n, -20.0, 30.0, 20 * n) for n in range(3))
    site.arena.histories["greedy"] = (VersionHistory("v", 6, 0, NOW, points, version=1),)
    text = site.get("/bots/greedy").text
    assert "version 1: now 20 Elo, 95 % interval \u221220 to 30." in text
    assert "Versions from left to right" not in text


def test_the_versions_of_a_bot_have_their_own_numbers_not_those_of_the_ladder(site) -> None:
    """Versions 1 and 3 of the bot are the players 6 and 12 of the ladder."""
    with_a_bot(site.arena)
    hour = timedelta(hours=1)
    old = tuple(RatingPoint(NOW + n * hour, 10.0, 0.0, 20.0, 20) for n in range(2))
    new = tuple(RatingPoint(NOW + n * hour, 40.0, 30.0, 50.0, 20) for n in range(2, 4))
    site.arena.histories["greedy"] = (
        VersionHistory("v", 6, 0, NOW, old, version=1),
        VersionHistory("w", 12, 6, NOW + hour, new, version=3),
    )
    site.arena.boards["prsi"][1] = a_line(2, "greedy", 40.0, version=3)
    site.arena.versus["greedy"] = (HeadToHead("greedy", "v", 120, 0.41, 0.36, 0.46, version=1),)
    text = site.get("/bots/greedy").text
    label = re.search(r'<figure class="history">.*?aria-label="(.*?)"', text, re.DOTALL)
    assert re.findall(r"version (\d+): now (\d+) Elo", label[1]) == [("1", "10"), ("3", "40")]
    assert "Versions from left to right: 1, 3." in text
    assert 'aria-label="greedy v3: 41.0 %, 95 % interval 36.0 to 46.0 %"' in text
    assert re.search(r'<bdi>greedy</bdi> <span class="version" aria-hidden="true">v1</span>', text)
    german = site.get("/bots/greedy?lang=de").text
    assert "Versionen von links nach rechts: 1, 3." in german
    assert '<span class="hidden">Version 1</span>' in german


def test_a_retired_bot_has_its_page_still(site) -> None:
    """Contests that it has played lead there."""
    with_a_bot(site.arena)
    site.arena.retired_bots["veteran"] = a_bot("veteran", state="retired")
    page = site.get("/bots/veteran")
    assert (page.status, "It enters no more contests" in page.text) == (200, True)
    assert "/authors/house" not in page.text
    assert "stillgelegt" in site.get("/bots/veteran?lang=de").text
    assert json.loads(site.get("/api/v1/bots/veteran").text)["versions"][0]["state"] == "retired"
    assert "veteran" not in site.get("/bots").text


def test_a_bot_of_which_nothing_is_known_is_no_page(site) -> None:
    with_a_bot(site.arena)
    assert site.get("/bots/nobody").status == 404
    assert site.get("/api/v1/bots/nobody").status == 404
    assert "maumau submit" in site.get("/bots").text or "greedy" in site.get("/bots").text


def test_a_bot_is_shown_though_the_ladders_are_silent(site) -> None:
    with_a_bot(site.arena)
    site.arena.ladders_down = True
    text = site.get("/bots/greedy").text
    assert "The ladders do not answer at the moment." in text
    assert "rank 1" in text


def test_a_hostile_name_is_text_on_its_own_page(site) -> None:
    with_a_bot(site.arena, HOSTILE)
    for path in ("/bots", "/bots/%3Cimg%20src=x%20onerror=alert(1)%3E"):
        text = site.get(path).text
        assert "&lt;img src=x" in text
        assert "<img" not in text


def test_a_bot_says_in_which_language_it_is_written(site) -> None:
    """The newest version that tells it: those of an earlier arena do not."""
    site.arena.all_bots = (a_bot("greedy", runtime="c++"), a_bot("rollout"), a_bot("new", runtime="zig"))
    assert "<bdi>house</bdi></a> · C++</span>" in site.get("/bots").text
    assert "<bdi>house</bdi></a></span>" in site.get("/bots").text
    assert "<bdi>house</bdi></a> · zig</span>" in site.get("/bots").text
    assert "<td>C++</td>" in site.get("/bots/greedy").text
    assert site.get("/api/v1/bots/greedy").json["versions"][0]["runtime"] == "c++"


def test_every_runtime_has_a_name_on_the_page() -> None:
    assert [name for name in RUNTIMES if f"runtime_{name}" not in WORDS] == []
