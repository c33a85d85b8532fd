"""Bots that lose on purpose to one other are found, honest ones are not."""

from itertools import combinations

import numpy as np
import pytest

from bench.support.field import play_sets, win_chance
from maumau.contest.format.table_draw import draw_tables
from maumau.contest.statistics.helping import (
    find_help,
    find_p,
    table_of_pod,
    table_of_two,
    tables_of,
)
from maumau.contest.statistics.pod import add_up_pod
from maumau.contest.statistics.rating import ELO, Duel
from maumau.contest.statistics.sequential import Sums


def two(first, second, chance, sets, rng):
    none, one, both = (int(count) for count in play_sets([chance], sets, rng, rho=0.0)[0])
    return Duel(first, second, Sums(2, none + one + both, one + 2 * both, one + 4 * both))


def play_league(rng, helpers=(), lose=0.9, sets=100, players=12):
    """All against all; helpers lose to the last player, whatever they could do."""
    theta = rng.normal(0, 28, players) / ELO
    last = players - 1
    chances = {
        (i, j): 1 - lose if i in helpers and j == last else float(win_chance(theta[i], theta[j]))
        for i, j in combinations(range(players), 2)
    }
    return tables_of([two(*pair, p, sets, rng) for pair, p in chances.items()], ())


def play_tables(rng, way="", power=0.0, players=12, sets=60, rounds=11):
    """Rounds at tables of four; players 0 and 1 help the last one, in one of two ways."""
    theta, last, pods = rng.normal(0, 28, players) / ELO, players - 1, []
    for table in (table for turn in draw_tables(players, 4, rounds) for table in turn):
        worth = rng.gumbel(size=(sets, 4, 4)) + theta[list(table)]
        for helper in (0, 1) if last in table else ():
            if helper in table and way == "against":
                gives_up = rng.random((sets, 4)) < power
                seat = table.index(helper)
                worth[:, :, seat] = np.where(gives_up, worth.min(axis=2) - 1, worth[:, :, seat])
            elif helper in table and way:
                for seat, one in enumerate(table):
                    worth[:, :, seat] -= power * (one not in {helper, last})
        shares = 2 * (worth[:, :, :, None] > worth[:, :, None, :]).sum(axis=3).sum(axis=1)
        pods.append(add_up_pod(table, [tuple(map(int, row)) for row in shares]))
    return tables_of((), pods)


def list_named(size, tables):
    return [(one.helper, one.helped, one.way) for one in find_help(size, tables) if one.named]


def test_a_match_of_two_by_hand():
    """Of 4 sets worth 2 the first scored 2, 1, 1, 0: mean ½, mean square (4 + 1 + 1) / 4 / 4 = 0.375."""
    table = table_of_two(3, 5, Sums(2, 4, 4, 6))
    assert table.players == (3, 5)
    assert table.shares.tolist() == [0.5, 0.5]
    assert table.products.tolist() == [[0.375, 0.125], [0.125, 0.375]]


def test_a_table_of_three_by_hand():
    """A set's scores are at most 2·2·3 = 12; 6 of them is one opponent beaten in each seating."""
    table = table_of_pod(add_up_pod((4, 2, 7), [(12, 6, 0), (6, 6, 6)]))
    assert table.players == (2, 4, 7)
    assert table.shares.tolist() == [1, 1.5, 0.5]
    assert table.products.tolist() == [[1, 1.5, 0.5], [1.5, 2.5, 0.5], [0.5, 0.5, 0.5]]


def test_p_by_hand():
    """A lead of the tolerated size is worth nothing; four errors beyond it, with a prior of four errors:

    w = 16, z = 4: 2 / √17 · exp(16·16 / 34) · Φ(4·√(16 / 17)) = 0.48507 · 1862.9 · 0.99995 = 903.6.
    """
    assert find_p(0.02, 0.05) == 1
    assert find_p(-0.3, 0.05) == 1
    assert find_p(0.22, 0.05) == pytest.approx(1 / 903.6, rel=1e-3)


def test_helpers_are_found_and_nobody_else():
    rng = np.random.default_rng(1)
    for _ in range(3):
        assert set(list_named(12, play_league(rng, helpers=(0, 1)))) == {
            (0, 11, "against"),
            (1, 11, "against"),
        }


def test_a_small_help_is_found_in_many_sets():
    """A bot as good as the other loses 60 % to it: a lead of 0.1."""
    rng = np.random.default_rng(2)
    found = find_help(12, play_league(rng, helpers=(0,), lose=0.6, sets=1000))
    first = found[0]
    assert (first.helper, first.helped, first.named) == (0, 11, True)
    assert abs(first.lead - 0.1) < 0.05
    assert not any(one.named for one in found[1:])


def test_nobody_is_named_among_honest_bots():
    """In 600 simulated seasons of 15 bots, looked at six times each, nobody was; here are 12 contests."""
    rng = np.random.default_rng(3)
    assert not [one for _ in range(8) for one in list_named(12, play_league(rng))]
    assert not [one for _ in range(4) for one in list_named(12, play_tables(rng))]


@pytest.mark.parametrize(("way", "power"), [("against", 0.6), ("in favour", 0.8)])
def test_helpers_at_tables_of_four_are_found(way, power):
    named = list_named(12, play_tables(np.random.default_rng(4), way, power, sets=120))
    assert {(0, 11, way), (1, 11, way)} <= set(named)
    assert all({one, other} <= {0, 1, 11} for one, other, _ in named)


def test_a_bracket_has_nothing_to_test():
    """Each meets one other, or the winners: a pair's results are all that is known of it."""
    rng = np.random.default_rng(5)
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (4, 6), (0, 4)]
    assert find_help(8, tables_of([two(*pair, 0.8, 300, rng) for pair in pairs], ())) == []


def test_two_that_met_at_one_table_of_four_are_not_tested():
    """Any of the others at the table may be the one that is helped; in four rounds 16 meet once at most."""
    tables = play_tables(np.random.default_rng(7), players=16, rounds=4)
    assert find_help(16, tables) == []


def test_the_order_of_the_matches_does_not_matter():
    tables = play_league(np.random.default_rng(6), helpers=(0,))
    there = {one[:3]: (one.p, one.named) for one in find_help(12, tables)}
    back = {one[:3]: (one.p, one.named) for one in find_help(12, tables[::-1])}
    assert there.keys() == back.keys()
    for test, (p, named) in there.items():
        assert back[test] == (pytest.approx(p), named)


def test_no_tables_and_no_sets_are_no_report():
    assert find_help(0, []) == []
    assert find_help(3, tables_of([Duel(0, 1, Sums(2))], ())) == []
