"""The walk of a match's test, and its sets one by one; the numbers are worked out by hand."""

from __future__ import annotations

import pytest

from maumau.client.answer import WalkPoint
from maumau.contest.match_rule import MatchRule
from services.web.figures.walk import STEPS, STRIP_CELLS, Scores, draw_walk, follow_test, read_test
from services.web.public.contest import MAX_DRAWN_SETS
from tests.support.fake import a_match, a_spec, a_tournament
from tests.support.kinds import one_of

TEST = MatchRule(block=1, delta=0.025, alpha=0.05, cap=4)
SCORES = (4, 3, 2, 2, 1, 0, 2, 4, 4, 3, 2, 2)


def test_the_line_follows_the_test_from_set_to_set() -> None:
    """(x-½) is ½, then 1 in sum: 2·0.025·½ / (¼/2) = 0.2, and 0.05·1 / (¼/3) = 0.6."""
    assert [llr for _, llr in follow_test(Scores(4, (4, 4)), TEST)] == pytest.approx([0.2, 0.6])
    assert follow_test(Scores(4, (4, 0)), TEST)[1] == (2, 0.0)


def test_bounds_blocks_and_the_line_lie_where_their_numbers_are() -> None:
    """The axis reaches to 1.12·ln 19 = 3.298 either way: 0.2 is at 120·(1 - 0.2/3.298) = 112.7 of 240."""
    walk = draw_walk(Scores(4, (4, 4)), TEST, is_over=True)
    assert walk.path == "M0.0 120.0L500.0 112.7L1000.0 98.2"
    assert (walk.upper, walk.middle, walk.lower) == (12.9, 120.0, 227.1)
    assert walk.ends == (500.0,)
    assert walk.is_whole


def test_of_a_match_that_is_played_the_ends_of_blocks_are_drawn() -> None:
    walk = draw_walk(Scores(), TEST, [(1, 0.2), (2, 0.6)], is_over=False)
    assert walk.path == "M0.0 120.0L250.0 112.7L500.0 98.2"
    assert walk.ends == (250.0, 500.0, 750.0)
    assert not walk.is_whole
    assert draw_walk(Scores(), TEST, is_over=False) is None


def test_a_long_match_keeps_its_highest_and_lowest_places() -> None:
    scores = Scores(4, (0, 4) * 5000 + (4,) * 400 + (0,) * 400)
    walk = draw_walk(scores, MatchRule(), is_over=True)
    places = follow_test(scores, MatchRule())
    assert walk.path.count("L") <= STEPS + 2
    assert walk.last == places[-1]
    top = 120 * (1 - max(llr for _, llr in places) / (1.12 * max(abs(llr) for _, llr in places)))
    heights = [float(place.split()[1]) for place in walk.path[1:].split("L")]
    assert min(heights) == pytest.approx(min(top, 120.0), abs=0.1)


def test_the_bounds_are_those_of_the_contest_s_spec() -> None:
    assert read_test(a_spec(match="cap = 400\nalpha = 0.01")).match == MatchRule(cap=400, alpha=0.01)
    assert read_test(a_spec()).match == MatchRule()


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [("no TOML = = ", "The spec is not TOML"), (a_spec(match="patience = 3"), "patience"), ("", "name")],
)
def test_a_spec_that_cannot_be_read_has_no_bounds_but_a_reason(spec, wrong) -> None:
    assert read_test(spec).match is None
    assert wrong in read_test(spec).wrong


@pytest.fixture
def over(site):
    """Return a contest that is over, with a match of twelve sets."""
    site.arena.contests = [a_tournament("old", "finished", spec_toml=a_spec("old", "block = 5"))]
    site.arena.games["old"] = [a_match(state="decided", winner=1, sets=12, estimate=0.604)]
    site.arena.scores = SCORES
    return site


def test_a_match_that_is_played_is_drawn_from_its_blocks_whoever_has_watched(over) -> None:
    """The axis reaches to 1.12·ln 19 = 3.298, cap 2,000: -0.9 after 100 sets is 120·(1 + 0.9/3.298) down."""
    over.arena.contests = [a_tournament("old", "running")]
    over.arena.games["old"] = [a_match(sets=200, llr=0.4)]
    over.arena.walk = (WalkPoint(100, -0.9), WalkPoint(200, 0.4))
    page = over.get("/contests/old/matches/1.1.1").text
    assert 'class="line" d="M0.0 120.0L50.0 152.7L100.0 105.4"' in page


def test_of_a_service_that_tells_no_blocks_the_line_leads_to_where_the_test_stands(over) -> None:
    over.arena.contests = [a_tournament("old", "running")]
    over.arena.games["old"] = [a_match(sets=200, llr=0.4)]
    assert 'class="line" d="M0.0 120.0L100.0 105.4"' in over.get("/contests/old/matches/1.1.1").text


def test_a_match_that_is_over_shows_every_set(over) -> None:
    page = over.get("/contests/old/matches/1.1.1")
    assert 'data-scores="4 3 2 2 1 0 2 4 4 3 2 2" data-unit="4" data-block="5"' in page.text
    assert page.text.count('class="end"') == 2
    table = over.get("/contests/old/matches/1.1.1/sets?from=10")
    assert 'href="/contests/old/matches/1.1.1/sets/10"' in table.text
    assert "sets/9" not in table.text
    assert "Sets 10 to 11" in table.text
    csv = over.get("/api/v1/contests/old/matches/1.1.1/sets?format=csv").text.split("\r\n")
    assert csv[0] == "set,block,first,second,unit,first_points,second_points,seed"
    assert csv[2] == "1,0,3,1,4,3,-9,5e"
    first = over.get("/api/v1/contests/old/matches/1.1.1/sets?limit=5").json
    assert (len(first["items"]), first["next"]) == (5, "4")


def test_sets_are_not_shown_before_the_contest_is_over(over) -> None:
    over.arena.contests = [a_tournament("old", "running")]
    page = over.get("/contests/old/matches/1.1.1")
    assert "data-scores" not in page.text
    assert over.get("/contests/old/matches/1.1.1/sets").status == 403
    assert over.get("/api/v1/contests/old/matches/1.1.1/sets").status == 403


def test_a_match_whose_spec_cannot_be_read_says_so_and_draws_no_test(over) -> None:
    over.arena.contests = [a_tournament("old", "finished", spec_toml=a_spec("old", "patience = 3"))]
    page = over.get("/contests/old/matches/1.1.1").text
    assert "cannot be read here" in page
    assert "patience" in page
    assert "data-scores" not in page
    assert 'class="bound"' not in page
    assert 'href="/contests/old/matches/1.1.1/sets"' in page


@pytest.mark.parametrize(
    ("state", "words"), [("running", "Until the contest is over"), ("finished", "too many")]
)
def test_a_line_that_joins_ends_of_blocks_says_why(over, state, words) -> None:
    over.arena.contests = [a_tournament("old", state)]
    over.arena.games["old"] = [a_match(state="decided", winner=1, sets=MAX_DRAWN_SETS + 1)]
    page = over.get("/contests/old/matches/1.1.1").text
    assert page.count("the line joins the ends of blocks") == 1
    assert words in page
    assert "data-scores" not in page


@pytest.mark.parametrize(("sets", "is_cut"), one_of(2, [(STRIP_CELLS, False), (STRIP_CELLS + 1, True)]))
def test_a_strip_that_is_cut_off_says_so(over, sets, is_cut) -> None:
    over.arena.games["old"] = [a_match(state="decided", winner=1, sets=sets)]
    over.arena.scores = (4, 0) * 1000 + (4,)
    page = over.get("/contests/old/matches/1.1.1").text
    assert 'data-most="2000"' in page
    assert ("Only the first 2\u202f000 sets are drawn" in page) is is_cut


CAP = {"rule": "cap: not separated", "state": "decided"}
WON = {"rule": "sequential", "state": "decided", "winner": 2}


@pytest.mark.sample
@pytest.mark.parametrize(
    ("match", "english", "german"),
    [
        ({"low": 0.51, "high": 0.6}, "the match is not decided yet", "noch nicht entschieden"),
        ({**CAP, "low": 0.51, "high": 0.6}, "the test has not decided", "der Test hat nicht entschieden"),
        ({**CAP, "low": 0.4, "high": 0.49}, "the test has not decided", "der Test hat nicht entschieden"),
        ({**CAP, "low": 0.49, "high": 0.6}, "neither is better, as far", "Keiner ist besser, soweit"),
        ({**WON, "low": 0.4, "high": 0.51}, "rollout has won. That it", "rollout hat gewonnen. Dass es"),
        ({**WON, "low": 0.4, "high": 0.49}, "one half: rollout is better", "aus: rollout ist besser"),
        (
            {**WON, "rule": "withdrawn", "low": 0.51, "high": 0.6},
            "rollout has won, but not by", "rollout hat gewonnen, aber nicht",
        ),
    ],
)  # fmt: skip
def test_nobody_is_better_before_the_test_has_decided(over, match, english, german) -> None:
    over.arena.games["old"] = [a_match(**match)]
    path = "/contests/old/matches/1.1.1"
    for language, words in (("en", english), ("de", german)):
        text = over.get(f"{path}?lang={language}").text
        result = text.partition('id="result"')[2].partition("</section>")[0]
        assert words in result
        for claim in ("greedy is better", "greedy ist besser", "rollout is better", "rollout ist besser"):
            assert (claim in result) == (claim in words)


@pytest.mark.sample
@pytest.mark.parametrize(
    ("decide", "english", "german"),
    [("", "wins", "gewinnt"), ('decide = "better"', "is better", "ist besser")],
)
def test_bounds_are_named_after_what_they_decide(over, decide, english, german) -> None:
    over.arena.contests = [a_tournament("old", "finished", spec_toml=a_spec("old", f"block = 5\n{decide}"))]
    path = "/contests/old/matches/1.1.1"
    for language, words in (("en", english), ("de", german)):
        text = over.get(f"{path}?lang={language}").text
        assert f"↑ greedy {words}<" in text
        assert f"↓ rollout {words}<" in text
