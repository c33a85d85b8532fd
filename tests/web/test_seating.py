"""Matches at tables of more than two on the pages: places, pairs that are level, who sat with whom."""

from __future__ import annotations

import csv
import io

import pytest

from maumau.client.answer import LevelPair, Match, MatchPlayer
from maumau.client.standing.table_round import list_seats, list_table_rounds, tell_level
from maumau.screen.board import score_line
from maumau.screen.contest.seating import say_seats
from maumau.screen.table import match_claim, result
from services.web.delivery.render import Renderer, tell_end, tell_match, verdict, winner_first
from services.web.words import TONGUES
from tests.support.fake import a_match, a_standing, a_tournament
from tests.web.browser import find_serious, opened

BOTS = ("greedy", "rollout", "first", "random")
TOML = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "tables"\nseats = 4\n'


def seated(label: str, **changes: object) -> Match:
    """Return a table of four: rollout before greedy, first and random behind them, level."""
    scores = (0.55, 0.65, 0.40, 0.40)
    players = tuple(
        MatchPlayer(number, name, place, score, score - 0.05, score + 0.05, 0)
        for number, (name, place, score) in enumerate(zip(BOTS, (2, 1, 3, 3), scores, strict=True), 1)
    )
    made = {
        "format": "tables", "state": "decided", "rule": "cap: not separated", "winner": 2, "sets": 50,
        "players": players, "level": (LevelPair(3, 4),), "faults": (0, 0, 0, 0),
    }  # fmt: skip
    return a_match(label, 1, 2, BOTS[:2], **{**made, **changes})


class View:
    """The fields of a contest's view that the part reads."""

    tournament = a_tournament(bots=BOTS, spec_toml=TOML)
    matches = (
        seated("1.1.1"),
        seated("1.2.1", state="playing", rule="", winner=0),
        a_match("1.2.2", 1, 3, ("greedy", "first"), format="tables", state="playing", sets=0),
    )


@pytest.fixture
def cup(site):
    """A running contest at tables."""
    arena = site.arena
    arena.contests = [a_tournament(bots=BOTS, spec_toml=TOML)]
    arena.games["cup"] = list(View.matches)
    arena.ranks["cup"] = [a_standing(n, n, name, 50.0 - n) for n, name in enumerate(BOTS, 1)]
    return site


def test_a_table_is_told_in_the_order_of_its_places() -> None:
    table = seated("1.1.1")
    assert [(one.place, one.name) for one in list_seats(table)] == [
        (1, "rollout"), (2, "greedy"), (3, "first"), (3, "random"),
    ]  # fmt: skip
    assert tell_level(table) == [("first", "random")]
    assert say_seats(table) == "1. rollout 0.650, 2. greedy 0.550, 3. first 0.400, 3. random 0.400"
    assert score_line(table).endswith("3. random 0.400 after 50 sets (cap: not separated)")
    assert (match_claim(table), verdict(table), result(table)) == (
        "leads",
        "won",
        "rollout (cap: not separated)",
    )
    assert winner_first(table) == ("rollout", "greedy, first, random", 0.65)


def test_a_table_of_two_is_a_match_of_two() -> None:
    two = a_match("1.2.2", 1, 3, ("greedy", "first"), format="tables")
    assert [(one.place, one.name, round(one.score, 2)) for one in list_seats(two)] == [
        (1, "first", 0.53), (2, "greedy", 0.47),
    ]  # fmt: skip


def test_a_table_without_a_winner_tells_the_pairs_that_are_level() -> None:
    level = (LevelPair(1, 2), LevelPair(3, 4))
    table = seated("1.1.1", winner=0, level=level)
    told = "not separated after 50 sets: greedy and rollout; first and random"
    assert tell_match(TONGUES["en"], table) == told
    german = "nach 50 Sätzen nicht getrennt: greedy und rollout; first und random"
    assert tell_match(TONGUES["de"], table) == german


def test_a_table_of_which_some_go_on_names_them() -> None:
    table = seated("1.1.1", winner=0, level=(LevelPair(1, 2),), through=2, ahead=(1, 3))
    assert tell_match(TONGUES["en"], table) == "greedy, first go on after 50 sets"
    left = seated("1.1.1", winner=0, rule="withdrawn", through=2, ahead=(1, 3))
    assert result(left) == "greedy, first go on (walkover)"
    assert tell_match(TONGUES["de"], table) == "greedy, first kommen nach 50 Sätzen weiter"


def test_a_row_of_the_list_of_matches_says_who_came_out_of_the_test_or_the_rule() -> None:
    won = {"state": "decided", "winner": 2, "rule": "sequential", "sets": 100}
    sure, ahead = {"estimate": 0.4, "low": 0.33, "high": 0.46}, {"estimate": 0.47, "low": 0.41, "high": 0.53}
    names = ("greedy", "rollout")
    better = a_match("1.1.1", 1, 2, names, **won, **sure)
    leads = a_match("1.1.1", 1, 2, names, **won, **ahead)
    tied = a_match("1.1.1", 1, 2, names, **{**won, **sure, "rule": "points"})
    several = seated("1.1.1", winner=0, rule="sequential", through=2, ahead=(1, 3))
    said = [tell_end(TONGUES["en"], one) for one in (better, leads, tied, several)]
    assert said == ["rollout is better", "rollout wins", "points", "greedy, first go on"]
    assert [tell_end(TONGUES["de"], one) for one in (better, leads)] == [
        "rollout ist besser", "rollout gewinnt",
    ]  # fmt: skip


def test_a_line_of_csv_has_the_names_of_all_at_the_table(cup) -> None:
    text = cup.get("/api/v1/contests/cup/matches?format=csv").text
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["others"] for row in rows] == ["first random", "first random", ""]
    assert [(row["first_name"], row["second_name"]) for row in rows][2] == ("greedy", "first")
    assert list(rows[0])[:4] == ["label", "first", "second", "first_name"]
    assert list(rows[0])[-5:] == ["withdrawn_at", "through", "sure", "reached", "others"]


def test_rounds_are_listed_with_all_their_tables() -> None:
    rounds = list_table_rounds(View.matches)
    assert [(one.stage, one.round, len(one.matches)) for one in rounds] == [(1, 1, 1), (1, 2, 2)]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Round 2", "first and random are not separated", "Tables")),
        ("de", ("Runde 2", "first und random sind nicht getrennt", "Tische")),
    ],
)
def test_the_part_shows_the_newest_round_first(language: str, words: tuple[str, ...]) -> None:
    page = Renderer("").render_part("seating", language, view=View())
    assert all(one in page for one in words)
    assert page.index(words[0]) < page.index(words[1])
    assert page.count("65") >= 2


def test_the_pages_of_a_contest_and_of_a_match_name_all_at_the_table(cup) -> None:
    page = cup.get("/contests/cup").text
    assert page.count("random") >= 3
    match = cup.get("/contests/cup/matches/1.1.1").text
    assert all(name in match for name in BOTS)
    assert "first and random are not separated" in match


@pytest.mark.long
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_tables_fit_every_screen(chromium, cup, width, tmp_path) -> None:
    for path, part in (("/contests/cup", "#seating"), ("/contests/cup/matches/1.1.1", "#result")):
        with opened(chromium, cup, path, viewport={"width": width, "height": 800}) as page:
            page.wait_for_selector(part)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert not find_serious(page)
            page.screenshot(path=tmp_path / f"{part[1:]}.png", full_page=True)
