"""Pairings, from entrants and results alone."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maumau.contest.entrant import Entrant
from maumau.contest.format.match import Verdict
from maumau.contest.format.round_robin import pair_rounds
from maumau.contest.format.single_elimination import standard_order
from maumau.contest.judge import judge_match
from maumau.contest.match_rule import MatchRule
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.score import SetScore
from maumau.contest.spec.spec import Spec, Stage

ROUND_ROBIN = Stage("round_robin")
CUP = Stage("single_elimination")
CUP_WITH_THIRD = Stage("single_elimination", third_place=True)
SEEDED_CUP = Stage("single_elimination", "previous", third_place=True)


def table(terms, players, results):
    """Return the rows of the table: final once all is decided, before that of the stage in play."""
    return list(advance_schedule(terms, players, results).table)


def spec(*stages):
    return Spec("cup", "prsi", stages, match=MatchRule(block=10, delta=0.1, cap=20))


def entrants(count, withdrawn=()):
    return [Entrant(n, f"bot-{n}", f"{n:064x}", n in withdrawn) for n in range(1, count + 1)]


def better_number_wins(plan):
    """Return a score with which the lower number wins."""
    return 4 if plan.first < plan.second else 0


def play(terms, players, outcome=better_number_wins, results=()):
    """Play on to the end; `outcome` gives the score of every set of a match."""
    results = list(results)
    while (now := advance_schedule(terms, players, results)).matches:
        for plan in now.matches:
            gap = abs(plan.first - plan.second)
            scores = [outcome(plan) if number % 10 <= gap else 2 for number in range(20)]
            results.append(
                judge_match(terms, plan, [SetScore(n, score, (0, 0), 0) for n, score in enumerate(scores)])
            )
    return results


def met(plan):
    return [(match.label, match.first, match.second) for match in plan.matches]


def test_the_berger_table_for_six_is_that_of_the_handbook():
    """FIDE handbook C.05, annex 1: round 1 is 1-6 2-5 3-4, round 2 is 6-4 5-3 1-2, …"""
    ours = [[(a + 1, b + 1) for a, b in pairs] for pairs in pair_rounds(6)]
    assert ours == [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]


@pytest.mark.long
@given(st.integers(2, 40))
def test_in_a_round_robin_everybody_meets_everybody_once_and_plays_once_a_round(size):
    rounds = pair_rounds(size)
    full = size + size % 2
    pairs = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert len(set(pairs)) == len(pairs) == full * (full - 1) // 2
    assert all(sorted(one for pair in pairs for one in pair) == list(range(full)) for pairs in rounds)


def test_a_round_robin_plays_all_matches_at_once_and_an_odd_one_has_a_bye():
    plan = advance_schedule(spec(ROUND_ROBIN), entrants(3), [])
    assert met(plan) == [("1.1.1", 2, 3), ("1.2.1", 1, 2), ("1.3.1", 3, 1)]
    assert [one.byes for one in plan.draws[0].rounds] == [(1,), (3,), (2,)]
    assert not any(match.bracket for match in plan.matches)


def test_the_bracket_has_the_standard_order():
    assert standard_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert standard_order(16)[:4] == [1, 16, 8, 9]


def test_six_in_a_bracket_leave_byes_to_the_first_and_the_second_seed():
    plan = advance_schedule(spec(CUP), entrants(6), [])
    assert met(plan) == [("1.1.2", 4, 5), ("1.1.4", 3, 6)]
    assert plan.draws[0].rounds[0].byes == (1, 2)
    assert [one.name for one in plan.draws[0].rounds] == ["quarter-final", "semi-final", "final"]
    assert [match.better_seed for match in plan.matches] == [4, 3]


def test_a_bracket_goes_on_from_its_results_and_plays_for_the_third_place():
    terms, players = spec(CUP_WITH_THIRD), entrants(6)
    results = play(terms, players)
    assert [(one.label, one.first, one.second, one.winner) for one in results] == [
        ("1.1.2", 4, 5, 4),
        ("1.1.4", 3, 6, 3),
        ("1.2.1", 1, 4, 1),
        ("1.2.2", 2, 3, 2),
        ("1.3.1", 1, 2, 1),
        ("1.3.2", 4, 3, 3),
    ]
    plan = advance_schedule(terms, players, results)
    assert plan.done
    assert [(row.place, row.entrant, row.rule) for row in plan.table] == [
        (1, 1, "final"),
        (2, 2, "bracket"),
        (3, 3, "third place"),
        (4, 4, "bracket"),
        (5, 5, "rating"),
        (6, 6, ""),
    ]
    assert plan.draws[0].rounds[-1].name == "third place"


def test_the_next_match_of_a_bracket_waits_for_both_its_entrants():
    terms, players = spec(CUP), entrants(4)
    first = play(terms, players)[:1]
    assert met(advance_schedule(terms, players, first)) == [("1.1.2", 2, 3)]


def test_three_in_a_bracket_have_a_third_without_a_match():
    terms, players = spec(CUP_WITH_THIRD), entrants(3)
    results = play(terms, players)
    assert [one.label for one in results] == ["1.1.2", "1.2.1"]
    assert [row.entrant for row in table(terms, players, results)] == [1, 2, 3]


def test_two_in_a_bracket_play_the_final():
    plan = advance_schedule(spec(CUP_WITH_THIRD), entrants(2), [])
    assert met(plan) == [("1.1.1", 1, 2)]
    assert plan.draws[0].rounds[0].name == "final"


def test_a_later_stage_is_seeded_by_the_table_before_it():
    def higher_number_wins(plan):
        return 4 - better_number_wins(plan)

    terms, players = spec(ROUND_ROBIN, SEEDED_CUP), entrants(6)
    results = play(terms, players, higher_number_wins)
    plan = advance_schedule(terms, players, results)
    assert plan.draws[1].seeds == (6, 5, 4, 3, 2, 1)
    assert [(one.first, one.second) for one in results if one.label.startswith("2.1.")] == [(3, 2), (4, 1)]
    assert [row.entrant for row in plan.tables[0]] == [6, 5, 4, 3, 2, 1]
    assert [row.entrant for row in plan.table] == [6, 5, 4, 3, 2, 1]


def test_a_later_stage_can_be_seeded_by_entry():
    terms = spec(ROUND_ROBIN, CUP)
    results = play(terms, entrants(4), lambda plan: 4 - better_number_wins(plan))
    assert advance_schedule(terms, entrants(4), results).draws[1].seeds == (1, 2, 3, 4)


def test_no_stage_begins_before_the_one_before_it_is_decided():
    terms, players = spec(ROUND_ROBIN, SEEDED_CUP), entrants(4)
    results = play(terms, players)
    assert len(advance_schedule(terms, players, results[:5]).draws) == 1
    assert met(advance_schedule(terms, players, results[:5])) == [("1.3.2", 3, 1)]


def test_who_is_withdrawn_loses_the_matches_not_yet_decided():
    terms = spec(ROUND_ROBIN)
    decided = [one for one in play(terms, entrants(4)) if one.label == "1.1.1"]
    assert (decided[0].first, decided[0].second, decided[0].winner) == (1, 4, 1)
    plan = advance_schedule(terms, entrants(4, withdrawn=[1]), decided)
    assert met(plan) == [("1.1.2", 2, 3), ("1.2.1", 4, 3), ("1.3.1", 2, 4)]
    walkovers = [(one.label, one.winner, one.rule, one.counted) for one in plan.walkovers]
    assert walkovers == [("1.2.2", 2, "withdrawn", 0), ("1.3.2", 3, "withdrawn", 0)]


def test_who_is_withdrawn_stands_below_all_who_stayed():
    terms, players = spec(ROUND_ROBIN), entrants(4)
    results = play(terms, players)
    rows = table(terms, entrants(4, withdrawn=[1]), results)
    assert [(row.entrant, row.rule) for row in rows] == [
        (2, "rating"),
        (3, "rating"),
        (4, "withdrawn"),
        (1, ""),
    ]


def test_of_two_withdrawn_the_better_seed_goes_on():
    plan = advance_schedule(spec(CUP), entrants(4, withdrawn=[2, 3]), [])
    assert [(one.label, one.winner) for one in plan.walkovers] == [("1.1.2", 2)]


def test_a_withdrawal_in_the_bracket_does_not_change_its_seeds():
    terms = spec(ROUND_ROBIN, SEEDED_CUP)
    results = [one for one in play(terms, entrants(6)) if one.label.startswith("1.")]
    before = advance_schedule(terms, entrants(6), results)
    after = advance_schedule(terms, entrants(6, withdrawn=[1]), results)
    assert before.draws[1].seeds == after.draws[1].seeds
    assert before.tables[0] == after.tables[0]


def test_an_undecided_match_of_a_withdrawn_entrant_counts_no_sets():
    terms = spec(ROUND_ROBIN)
    [plan] = advance_schedule(terms, entrants(2), []).matches
    half = judge_match(terms, plan, [SetScore(n, 2, (0, 0), 0) for n in range(10)])
    assert (half.decided, half.counted) == (False, 10)
    after = advance_schedule(terms, entrants(2, withdrawn=[2]), [half])
    assert after.done
    assert [row.sets for row in after.table] == [0, 0]


def disqualified(count, *numbers, withdrawn=()):
    players = entrants(count, withdrawn)
    return [msgspec.structs.replace(one, disqualified="a test" * (one.number in numbers)) for one in players]


def test_who_is_disqualified_loses_the_matches_already_decided_too():
    terms = spec(ROUND_ROBIN)
    results = play(terms, entrants(4))
    assert all(one.winner == 1 for one in results if 1 in {one.first, one.second})
    plan = advance_schedule(terms, disqualified(4, 1), results)
    walkovers = [(one.label, one.winner, one.rule, one.counted) for one in plan.walkovers]
    assert walkovers == [(label, winner, "disqualified", 0) for label, winner in
                         (("1.1.1", 4), ("1.2.2", 2), ("1.3.2", 3))]  # fmt: skip
    assert (plan.done, plan.matches) == (True, ())
    rows = [(row.entrant, row.rule) for row in plan.table]
    assert rows == [(2, "rating"), (3, "rating"), (4, "disqualified"), (1, "")]
    assert (plan.table[-1].sets, plan.table[-1].lost) == (0, 3)
    settled = advance_schedule(terms, disqualified(4, 1), plan.verdicts)
    assert (settled.walkovers, settled.table) == ((), plan.table)


def test_the_final_of_who_is_disqualified_is_played_again_by_whom_it_beat_before():
    terms = spec(CUP)
    results = play(terms, entrants(4))
    plan = advance_schedule(terms, disqualified(4, 1), results)
    assert [(one.label, one.winner) for one in plan.walkovers] == [("1.1.1", 4)]
    assert met(plan) == [("1.2.1", 4, 2)]
    rows = table(terms, disqualified(4, 1), play(terms, disqualified(4, 1), results=results))
    assert [(row.entrant, row.rule) for row in rows][::3] == [(2, "final"), (1, "")]


def test_who_is_disqualified_is_the_last_seed_of_the_next_stage():
    terms = spec(ROUND_ROBIN, SEEDED_CUP)
    results = [one for one in play(terms, entrants(6)) if one.label.startswith("1.")]
    assert advance_schedule(terms, entrants(6), results).draws[1].seeds == (1, 2, 3, 4, 5, 6)
    assert advance_schedule(terms, disqualified(6, 1), results).draws[1].seeds == (2, 3, 4, 5, 6, 1)


def test_of_two_disqualified_the_better_seed_goes_on_and_who_was_withdrawn_before_either():
    plan = advance_schedule(spec(CUP), disqualified(4, 2, 3), play(spec(CUP), entrants(4)))
    assert [(one.label, one.winner) for one in plan.walkovers][:1] == [("1.1.2", 2)]
    plan = advance_schedule(spec(CUP), disqualified(4, 2, withdrawn=[3]), [])
    assert [(one.label, one.winner, one.rule) for one in plan.walkovers] == [("1.1.2", 3, "disqualified")]


def test_what_hung_on_a_match_that_was_taken_back_is_played_again():
    terms, players = spec(CUP), entrants(4)
    results = play(terms, players)
    [semi] = [one for one in results if one.label == "1.1.1"]
    upset = msgspec.structs.replace(semi, winner=4)
    retaken = [upset if one is semi else one for one in results]
    assert met(advance_schedule(terms, players, retaken)) == [("1.2.1", 4, 2)]


def test_advance_may_be_called_again_and_again():
    terms, players = spec(ROUND_ROBIN, SEEDED_CUP), entrants(5)
    results = play(terms, players)
    assert advance_schedule(terms, players, results) == advance_schedule(terms, players, results[::-1])
    for count in range(len(results)):
        known = results[:count]
        assert advance_schedule(terms, players, known) == advance_schedule(terms, players, reversed(known))


def renumbered(verdict: Verdict, order):
    """Return the verdict where entrant n entered as number order[n]."""
    return msgspec.structs.replace(
        verdict, first=order[verdict.first], second=order[verdict.second], winner=order.get(verdict.winner)
    )


def random_results(terms, players, rng):
    skill = {player.number: rng.uniform(0.3, 0.7) for player in players}

    def scores(plan):
        chance = 0.5 + (skill[plan.first] - skill[plan.second]) / 2
        return [SetScore(n, 2 * sum(rng.random() < chance for _ in "ab"), (0, 0), 0) for n in range(20)]

    return [judge_match(terms, plan, scores(plan)) for plan in advance_schedule(terms, players, []).matches]


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(2, 8))
def test_no_order_of_joining_changes_the_table(source, size):
    """The order of two is the same in every order of entry, unless that order itself decided it."""
    terms, players = spec(ROUND_ROBIN), entrants(size)
    rng = random.Random(source.randrange(10**9))
    results = random_results(terms, players, rng)
    rows = table(terms, players, results)
    numbers = list(range(1, size + 1))
    order = dict(zip(numbers, rng.sample(numbers, size), strict=True))
    other = [Entrant(order[one.number], one.name, one.sha256) for one in players]
    other.sort(key=lambda one: one.number)
    pairs = {(one.first, one.second): one for one in (renumbered(verdict, order) for verdict in results)}
    replayed = [fitting(plan, pairs) for plan in advance_schedule(terms, other, []).matches]
    again = table(terms, other, replayed)
    if not any(row.rule == "order of entry" for row in rows):
        assert [(row.name, row.rating, row.sets) for row in rows] == [
            (row.name, row.rating, row.sets) for row in again
        ]
    assert {row.name: (row.rating, row.low, row.high) for row in rows} == {
        row.name: (row.rating, row.low, row.high) for row in again
    }


def fitting(plan, pairs):
    """Return the verdict of these two under their present label, from the present first's side."""
    if (plan.first, plan.second) in pairs:
        return msgspec.structs.replace(pairs[plan.first, plan.second], label=plan.label)
    found = pairs[plan.second, plan.first]
    return msgspec.structs.replace(
        found,
        label=plan.label,
        first=plan.first,
        second=plan.second,
        total=found.sums.mirrored.total,
        squares=found.sums.mirrored.squares,
    )


@pytest.mark.parametrize("size", range(2, 18))
def test_every_bracket_ends_and_places_everybody_once(size):
    terms, players = spec(CUP_WITH_THIRD), entrants(size)
    results = play(terms, players)
    assert len(results) == size - 1 + (size > 3)
    assert [row.entrant for row in table(terms, players, results)[:3]] == [1, 2, 3][:size]
    assert sorted(row.entrant for row in table(terms, players, results)) == list(range(1, size + 1))
