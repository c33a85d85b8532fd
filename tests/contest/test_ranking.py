"""The order of a table, and the rule that decided each tie."""

from maumau.contest.entrant import Entrant
from maumau.contest.format.draw import Group
from maumau.contest.format.match import MatchPlan
from maumau.contest.judge import judge_match
from maumau.contest.match_rule import MatchRule
from maumau.contest.schedule.ranking import rank_entrants
from maumau.contest.score import SetScore
from maumau.contest.spec.spec import Spec, Stage

SPEC = Spec("cup", "prsi", (Stage("round_robin"),), match=MatchRule(block=10, cap=10))
PLAYERS = [Entrant(n, f"bot-{n}", f"{n:064x}") for n in range(1, 5)]
ALL = [Group((1, 2, 3, 4))]


def match(first, second, *scores):
    """Ten sets: these scores of the first, the others level."""
    plan = MatchPlan(f"1.1.{first}{second}", 1, 1, 1, first, second, bracket=False, better_seed=first)
    filled = [*scores, *[2] * (10 - len(scores))]
    return judge_match(SPEC, plan, [SetScore(n, score, (0, 0), 0) for n, score in enumerate(filled)])


def order(verdicts, groups=ALL):
    return [(row.entrant, row.rule) for row in rank_entrants(PLAYERS, verdicts, groups)]


def test_the_higher_rating_stands_above():
    verdicts = [match(4, 1, 4, 4, 4), match(1, 2, 4, 4), match(2, 3, 4, 4)]
    assert order(verdicts) == [(4, "rating"), (1, "rating"), (2, "rating"), (3, "")]


def test_equal_ratings_are_ordered_by_the_direct_encounter():
    """4 beat 1 by one set, and each lost or won as much elsewhere that their ratings are equal."""
    verdicts = [
        match(4, 1, 4),
        match(1, 2, 4),
        match(2, 4, 4),
        match(1, 3),
        match(2, 3),
        match(4, 3),
    ]
    rows = rank_entrants(PLAYERS, verdicts, [Group((1, 4)), Group((2, 3))])
    assert rows[0].rating == rows[1].rating == 0.0
    assert [(row.entrant, row.rule) for row in rows[:2]] == [(4, "direct encounter"), (1, "")]


def test_equal_ratings_without_a_direct_encounter_are_ordered_by_entry():
    assert order([match(1, 2), match(3, 4)]) == [
        (1, "order of entry"),
        (2, "order of entry"),
        (3, "order of entry"),
        (4, ""),
    ]


def test_a_circle_of_equals_is_ordered_by_entry():
    verdicts = [match(1, 2, 4), match(2, 3, 4), match(3, 1, 4), match(4, 1), match(4, 2), match(4, 3)]
    assert [rule for _, rule in order(verdicts)][:3] == ["order of entry"] * 3


def test_groups_of_the_format_come_before_ratings():
    verdicts = [match(1, 2, 4, 4, 4), match(1, 3, 4), match(2, 4)]
    groups = [Group((2,), "final"), Group((1,), "bracket"), Group((3, 4))]
    assert order(verdicts, groups)[:2] == [(2, "final"), (1, "bracket")]


def test_a_row_counts_sets_and_matches():
    verdicts = [match(1, 2, *[4] * 10), match(3, 1), match(1, 4)]
    row = next(row for row in rank_entrants(PLAYERS, verdicts, ALL) if row.entrant == 1)
    assert (row.sets, row.won, row.lost, row.level) == (30, 1, 0, 2)
    assert row.low < row.rating < row.high


def test_places_run_from_one_and_ratings_have_the_mean_zero():
    rows = rank_entrants(PLAYERS, [match(1, 2, 4, 4), match(3, 4, 4)], ALL)
    assert [row.place for row in rows] == [1, 2, 3, 4]
    assert abs(sum(row.rating for row in rows)) <= 0.02
