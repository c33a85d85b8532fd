"""The two brackets of a double elimination on the page; the numbers are worked out by hand."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest

from maumau.client.answer import Match, Round
from maumau.contest.format.double_bracket import Source
from maumau.contest.format.match import MatchPlan
from maumau.contest.schedule.advance import advance_schedule
from services.web.figures.double_tree import Open, draw_bracket, find_sides, is_double, list_columns
from services.web.figures.tree import draw_tree
from tests.contest.test_double_elimination import TERMS, entrants, win
from tests.support.fake import a_match, a_tournament
from tests.web.browser import find_serious, opened
from tests.web.test_tree import FOUR

LONG_NAMES = ("rollout-of-the-evening-class", "greedy", "counts-cards", "first-steps")


def name_bots(count: int) -> tuple[str, ...]:
    return tuple(f"{LONG_NAMES[number % 4]}-{number}" for number in range(1, count + 1))


def show(plan: MatchPlan, names: tuple[str, ...], winner: int) -> Match:
    state = {"state": "decided", "winner": winner, "rule": "sequential"} if winner else {}
    pair = names[plan.first - 1], names[plan.second - 1]
    return a_match(plan.label, plan.first, plan.second, pair, format="double_elimination", **state)


def play(count: int, decided: int, seed: int = 1, better: float = 0.8) -> tuple[Round, ...]:
    """Return the bracket after so many matches, played in order. better: how often the lower number wins."""
    rng, players, names = random.Random(seed), entrants(count), name_bots(count)
    results = []
    while len(results) < decided and (now := advance_schedule(TERMS, players, results)).matches:
        plan = now.matches[0]
        choose = min if rng.random() < better else max
        results.append(win(TERMS, plan, choose(plan.first, plan.second)))
    won = {one.label: one.winner for one in results}
    rounds = advance_schedule(TERMS, players, results).draws[0].rounds
    return tuple(
        Round(
            one.round,
            one.name,
            tuple(show(plan, names, won.get(plan.label, 0)) for plan in one.matches),
            one.byes,
        )
        for one in rounds
    )


def tell(place):
    return getattr(place, "label", place)


def test_five_have_lines_for_byes_and_for_what_is_not_known_yet() -> None:
    """Only 4 and 5 meet; the loser has a bye, then meets the loser of 2 and 3."""
    columns = list_columns(play(5, 0))
    assert [one.round.name for one in columns] == [
        "winners' round 1", "winners' round 2", "losers' round 1", "losers' round 2", "winners' final",
        "losers' round 3", "losers' final", "grand final",
    ]  # fmt: skip
    places = [[tell(place) for place in one.places] for one in columns]
    assert places[0] == [1, "1.1.2", 2, 3]
    assert places[1] == [Open((1, Source("winner", 1, 2))), "1.2.2"]
    assert places[2] == [Open((Source("loser", 1, 2),)), None]
    assert places[3] == [Open((Source("loser", 2, 2), Source("loser", 1, 2))), Open((Source("loser", 2, 1),))]
    assert places[7] == [Open((Source("winner", 5, 1), Source("winner", 7, 1)))]
    assert columns[0].loser_to == ("", "4.1", "", "")
    assert columns[1].loser_to == ("6.1", "4.1")
    assert columns[6].loser_to == ("",)


def test_a_loser_stands_where_it_goes_on() -> None:
    columns = list_columns(play(5, 1, better=1))
    assert [tell(place) for place in columns[2].places] == [5, None]
    assert columns[3].places[0] == Open((Source("loser", 2, 2), 5))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 11, 16, 24, 32])
def test_both_brackets_are_drawn_whole_without_overlap(count: int) -> None:
    for decided in (0, count // 2, count, 2 * count, 2 * count):
        rounds = play(count, decided, better=0.4)
        tree = draw_bracket(rounds)
        matches = [one.slot for one in tree.boxes if isinstance(one.slot, Match)]
        assert len(matches) == sum(len(one.matches) for one in rounds)
        assert tree.width <= 1920
        assert tree.height <= 16 * 58 + 2 * 34
        wide, high = tree.box
        for one in tree.boxes:
            assert 0 <= one.x <= tree.width - wide + 0.1
            assert 0 <= one.y <= tree.height - high
        for one, other in combinations(tree.boxes, 2):
            assert abs(one.x - other.x) >= wide - 0.1 or abs(one.y - other.y) >= high
    assert [one.name for one in tree.heads].count("grand final") == 1


def test_four_have_their_boxes_where_they_belong() -> None:
    """Winners: two rows of 58 below a head of 34; losers: one row. Two columns of 240, then the final."""
    tree = draw_bracket(play(4, 1, better=1))
    assert [(one.x, one.y, one.code, one.onward) for one in tree.boxes] == [
        (5.0, 39.0, "", ""),
        (5.0, 97.0, "1.2", "3.1"),
        (245.0, 68.0, "2.1", "4.1"),
        (5.0, 189.0, "3.1", ""),
        (245.0, 189.0, "4.1", ""),
        (485.0, 97.0, "5.1", ""),
    ]
    assert (tree.width, tree.height) == (720.0, 242)
    assert tree.lines == (
        "M235.0 63.0h5.0V92.0h5.0M235.0 121.0h5.0V92.0h5.0M235.0 213.0h5.0V213.0h5.0"
        "M475.0 92.0H480.0V121.0h5.0M475.0 213.0H480.0V121.0h5.0"
    )


def test_of_sixty_four_the_first_round_stands_in_columns_until_there_is_room() -> None:
    """32 matches at first; there is room from round 3 of both brackets on, with 8 rows each."""
    tree = draw_bracket(play(64, 10))
    assert (len(tree.boxes), tree.lines) == (32, "")
    assert {one.name for one in tree.heads} == {"winners' round 1"}
    later = draw_bracket(play(64, 32 + 16 + 16 + 16))
    assert {"winners' round 3", "losers' round 3"} <= {one.name for one in later.heads}
    assert later.height <= 16 * 58 + 2 * 34


@pytest.mark.long
@pytest.mark.parametrize("count", [63, 200, 256])
def test_a_large_field_is_drawn_at_every_moment(count: int) -> None:
    for decided in (0, count // 2, count, 2 * count - 8, 2 * count):
        tree = draw_bracket(play(count, decided))
        assert tree.boxes


def test_a_single_bracket_is_drawn_as_before() -> None:
    assert not is_double(FOUR)
    assert draw_bracket(FOUR) == draw_tree(FOUR)


def test_before_its_matches_are_made_nothing_is_drawn() -> None:
    rounds = tuple(Round(one.round, one.name, (), ()) for one in play(4, 0))
    assert list_columns(rounds) == ()
    assert draw_bracket(rounds) is None
    assert find_sides(()) == []


def test_the_page_has_both_brackets_in_both_languages(site) -> None:
    site.arena.contests = [a_tournament("cup", bots=name_bots(6))]
    site.arena.rounds["cup"] = play(6, 4)
    page = site.get("/contests/cup").text
    for words in (
        "Winners&#39; bracket",
        "Losers&#39; round 2",
        "Winners&#39; final",
        "loser of 5.1",
        "↓ 4.2",
    ):
        assert words in page
    german = site.get("/contests/cup", accept_language="de").text
    for words in ("Turnierbaum der Verlierer", "Verliererrunde 2", "Gewinnerfinale", "Verlierer aus 5.1"):
        assert words in german
    wall = site.get("/contests/cup?wall=1", accept_language="de").text
    assert wall.count('class="box') == len(draw_bracket(play(6, 4)).boxes)
    assert "Sieger aus 7.1" in wall


def test_a_second_grand_final_has_its_own_round(site) -> None:
    rounds = next(found for seed in range(50) if len(found := play(4, 6, seed, better=0.5)) == 6)
    assert [one.name for one in rounds][-2:] == ["grand final", "grand final, again"]
    assert [tell(one.places[0]) for one in list_columns(rounds)[-2:]] == ["1.5.1", "1.6.1"]
    site.arena.contests = [a_tournament("cup", bots=name_bots(4))]
    site.arena.rounds["cup"] = rounds
    assert "Großes Finale, Wiederholung" in site.get("/contests/cup", accept_language="de").text
    assert re.search(r'id="round-6"', site.get("/contests/cup").text)


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (800, "dark"), (1920, "light")])
def test_the_brackets_fit_and_have_no_serious_finding(chromium, site, width: int, scheme: str) -> None:
    site.arena.contests = [a_tournament("cup", bots=name_bots(11))]
    site.arena.rounds["cup"] = play(11, 12)
    size = {"width": width, "height": 900}
    for locale in ("en-GB", "de-DE"):
        options = {"viewport": size, "color_scheme": scheme, "locale": locale}
        with opened(chromium, site, "/contests/cup", **options) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert find_serious(page) == []
            assert page.locator("#bracket .bracket").count() == 3
            final = page.locator("#round-11 .waits")
            final.scroll_into_view_if_needed()
            assert final.is_visible()


@pytest.mark.long
@pytest.mark.parametrize("count", [6, 16, 32])
def test_no_name_on_a_projector_runs_into_a_score_or_out_of_its_box(chromium, site, count: int) -> None:
    site.arena.contests = [a_tournament("cup", bots=name_bots(count))]
    site.arena.rounds["cup"] = play(count, count)
    with opened(chromium, site, "/contests/cup?wall=1", viewport={"width": 1920, "height": 1080}) as page:
        drawing = page.locator("svg.tree").bounding_box()
        assert drawing["y"] + drawing["height"] <= 1080
        overlaps = page.evaluate("""() => [...document.querySelectorAll('svg.tree a g g')].filter(one => {
          const [name, points] = one.querySelectorAll('text');
          return points && name.getBoundingClientRect().right > points.getBoundingClientRect().left;
        }).map(one => one.textContent)""")
        assert overlaps == []
        small = page.evaluate("""() => Math.min(...[...document.querySelectorAll('svg.tree a g g text')]
          .map(one => one.getBoundingClientRect().height))""")
        assert small >= 14  # pixels: a letter and its room
