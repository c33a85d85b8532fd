"""A Swiss stage on the pages: who met whom, points, byes, and rounds that are missing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from maumau.client.answer import Match, Round
from maumau.client.standing.swiss import (
    SwissCell,
    SwissStage,
    is_cut_short,
    list_swiss_stages,
    say_half,
    swiss_rows,
)
from services.web.delivery.render import Renderer
from tests.support.fake import a_match, a_standing, a_tournament
from tests.web.browser import find_serious, opened

BOTS = ("greedy", "rollout", "first", "random", "careful")
TOML = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "swiss"\n'


def played(label: str, first: int, second: int, winner: int = 0, **changes: Any) -> Match:
    """Return a decided match between two of BOTS."""
    names = BOTS[first - 1], BOTS[second - 1]
    rule = "sequential" if winner else "cap: not separated"
    told = {"state": "decided", "rule": rule, "winner": winner, "format": "swiss", **changes}
    return a_match(label, first, second, names, **told)


def playing(label: str, first: int, second: int) -> Match:
    """Return an open match between two of BOTS."""
    return a_match(label, first, second, (BOTS[first - 1], BOTS[second - 1]), format="swiss")


ROUNDS = (
    Round(1, "round 1", (played("1.1.1", 1, 3, 1), played("1.1.2", 2, 4)), (5,)),
    Round(2, "round 2", (played("1.2.1", 1, 5, 1), played("1.2.2", 2, 3, 2, rule="withdrawn", sets=0)), (4,)),
    Round(3, "round 3", (playing("1.3.1", 1, 2), playing("1.3.2", 4, 5)), ()),
)
STANDINGS = [a_standing(place, number, BOTS[number - 1], 50.0 - place) for place, number in
             enumerate((2, 1, 5, 4, 3), 1)]  # fmt: skip


@pytest.fixture
def cup(site):
    """A running Swiss contest of five, one of whom has gone, in its third round."""
    arena = site.arena
    arena.contests = [a_tournament(bots=BOTS, spec_toml=TOML)]
    arena.stages["cup", 1] = ROUNDS
    arena.games["cup"] = [match for one in ROUNDS for match in one.matches]
    arena.ranks["cup"] = STANDINGS
    return site


class View:
    """The fields of a contest's view that the table reads."""

    def __init__(self, state: str = "running", rounds: tuple[Round, ...] = ROUNDS) -> None:
        self.tournament = a_tournament(state=state, bots=BOTS, spec_toml=TOML)
        self.standings = STANDINGS
        self.matches = [match for one in rounds for match in one.matches]
        self.swiss = (SwissStage(1, None, rounds, tuple(STANDINGS)),)


def test_the_table_is_in_the_order_of_the_standings_and_names_opponents_by_their_lines() -> None:
    """2 has won a walkover and drawn: 1½; its Buchholz is 4's 1½ and, for the walkover, 1½ of its own."""
    rows = swiss_rows(view := View(), view.swiss[0])
    assert [(row.place, row.entrant, row.points) for row in rows] == [
        (1, 2, 1.5), (2, 1, 2), (3, 5, 1), (4, 4, 1.5), (5, 3, 0),
    ]  # fmt: skip
    assert (rows[0].buchholz, rows[0].sonneborn_berger) == (3, 2.25)
    assert rows[0].cells == (
        SwissCell("level", 4, 4, "1.1.2"), SwissCell("won_walkover", 5, 3, "1.2.2"),
        SwissCell("open", 2, 1, "1.3.1"),
    )  # fmt: skip
    assert rows[2].cells[0] == SwissCell("bye")
    assert rows[4].cells[2] is None


def test_a_stage_that_is_over_before_its_last_round_says_so() -> None:
    running, over = View(), View("finished", ROUNDS[:2])
    assert not is_cut_short(running, running.swiss[0])
    assert is_cut_short(over, over.swiss[0])
    whole = SwissStage(1, 2, ROUNDS[:2])
    assert not is_cut_short(over, whole)
    page = Renderer("").render_part("swiss", "en", view=over)
    assert "Over after round 2 of 5: all who are still in have met." in page
    assert "Round 3 of 5" in Renderer("").render_part("swiss", "en", view=running)


def test_swiss_stages_are_found_in_the_spec_with_their_rounds() -> None:
    more = '[[stage]]\nformat = "round_robin"\n[[stage]]\nformat = "swiss"\nrounds = 3\n'
    assert list_swiss_stages(TOML + more) == ((1, None), (3, 3))


def test_after_a_cut_those_who_play_are_counted() -> None:
    """Eight play at most five rounds, however many have entered."""
    pairs = tuple(a_match(f"2.1.{board}", board, 9 - board, ("a", "b")) for board in range(1, 5))
    assert SwissStage(2, None, (Round(1, "round 1", pairs, ()),)).planned == 5


def test_halves_and_quarters_are_written_as_fractions() -> None:
    assert [say_half(number) for number in (0, 0.5, 1, 2.25, 10.75)] == ["0", "½", "1", "2¼", "10¾"]


def test_the_page_has_the_table_and_every_round(cup) -> None:
    page = cup.get("/contests/cup").text
    text = re.sub(r"<[^>]+>", " ", page)
    assert "Swiss table" in text
    assert page.count('class="boards"') == 3
    assert "4=" in text
    assert "walkover" in text
    german = cup.get("/contests/cup", Accept_Language="de").text
    assert "Tabelle im Schweizer System" in german
    assert "Runde 3 von 5" in german
    wall = cup.get("/contests/cup?wall=1").text
    assert "Swiss table" in wall
    assert "Crosstable" not in page


def test_a_contest_of_another_format_has_no_swiss_table(site) -> None:
    site.arena.contests = [a_tournament()]
    assert "Swiss table" not in site.get("/contests/cup").text


@pytest.mark.long
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_the_table_fits_every_screen(chromium, cup, width, tmp_path) -> None:
    for path in ("/contests/cup", "/contests/cup?wall=1"):
        with opened(chromium, cup, path, viewport={"width": width, "height": 800}) as page:
            page.wait_for_selector(".swiss")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert not find_serious(page)
            page.screenshot(path=tmp_path / f"{len(path)}.png", full_page=True)
