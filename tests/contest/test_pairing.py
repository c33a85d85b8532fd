"""Who plays whom next follows from what was played, who waits and a seed, and each pair says why."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from maumau.contest.pairing import (
    LONGEST_WAIT,
    NEW_SETS,
    WITH_PARENT,
    Player,
    explain,
    pair,
    size_block,
    size_pairing,
)
from maumau.contest.rating import ELO, Posterior


def believed(*elo, error=30.0):
    """Independent strengths in Elo, each with the same error."""
    theta = np.array(elo) / ELO
    return Posterior(theta, np.eye(len(elo)) * (error / ELO) ** 2)


def everybody(size, sets=1000):
    """Every pair has played so many sets."""
    return dict.fromkeys(combinations(range(size), 2), sets)


def kinds(pairs):
    return [one.kind for one in pairs]


def test_the_same_seed_gives_the_same_pairs_and_another_one_others():
    given = [Player(k) for k in range(8)], everybody(8), believed(*range(0, 80, 10))
    assert pair(*given, 12, 1) == pair(*given, 12, 1)
    assert pair(*given, 12, 1) != pair(*given, 12, 2)


def test_groups_that_never_met_are_joined_before_anything_else():
    """0-1-2 have met, 3-4 have met, 5 nobody: two pairs join them, the lonely one first."""
    counts = {(0, 1): 9, (1, 2): 5, (3, 4): 7}
    pairs = pair([Player(k) for k in range(6)], counts, believed(*[0] * 6), 4, 1)
    first, second = ({one.first, one.second} for one in pairs[:2])
    assert kinds(pairs)[:2] == ["groups"] * 2
    assert "groups" not in kinds(pairs)[2:]
    assert 5 in first
    assert second & {3, 4}
    assert second - {3, 4}


def test_who_waits_too_long_comes_next_and_meets_whom_it_met_least():
    counts = everybody(5) | {(1, 4): 3}
    players = [Player(k, LONGEST_WAIT + k if k in {1, 3} else 0.0) for k in range(5)]
    first, second, *_ = pair(players, counts, believed(*[0] * 5), 5, 7)
    assert (first.kind, first.first, second.kind) == ("waiting", 3, "waiting")
    assert (second.first, second.second) == (1, 4)
    assert second.numbers == {"seconds": LONGEST_WAIT + 1}


def test_eight_of_ten_pairs_ask_for_the_best_and_six_while_a_version_is_new():
    """Of twelve players three are within the error of each other, the others far below."""
    strong = {0, 1, 2}
    elo = [100 if k in strong else -200 for k in range(12)]
    new = {pair: sets if 11 not in pair else 10 for pair, sets in everybody(12).items()}
    for counts, expected in (everybody(12), (0.8, 0.2, 0)), (new, (0.6, 0.2, 0.2)):
        found = Counter()
        for seed in range(1000):
            (one,) = pair([Player(k) for k in range(12)], counts, believed(*elo), 1, seed)
            if one.kind == "top two":
                assert {one.first, one.second} <= strong
            found[one.kind] += 1
        for kind, share in zip(("top two", "least played", "new"), expected, strict=True):
            four_deviations = 4 * (1000 * share * (1 - share)) ** 0.5
            assert found[kind] == pytest.approx(1000 * share, abs=four_deviations)


def test_nobody_is_new_where_all_have_played_little():
    """150 sets each are fewer than a new version has at most, but no fewer than the others have."""
    few = everybody(16, 10)
    given = [Player(k) for k in range(16)], few, believed(*[0] * 16), 1
    assert {one.kind for seed in range(60) for one in pair(*given, seed)} == {"top two", "least played"}


def test_of_those_who_may_be_the_best_the_pair_comes_next_that_lacks_most():
    """Each of the three pairs should have a third of the sets: of 240, and of 260, the last has too few."""
    counts = {(0, 1): 100, (0, 2): 100, (1, 2): 40}
    for seed in range(20):
        pairs = pair([Player(k) for k in range(3)], counts, believed(0, 0, 0), 2, seed, mode="final", sets=20)
        assert [{one.first, one.second} for one in pairs] == [{1, 2}] * 2


@pytest.mark.parametrize(("first_met", "others_met", "is_next"), [(100, 60, True), (400, 2, False)])
def test_the_likelier_pair_comes_next_until_it_has_its_share(first_met, others_met, is_next):
    """The third is 40 Elo below two equals: about one deviation. The first pair's share is over 0.7."""
    counts = {(0, 1): first_met, (0, 2): others_met, (1, 2): others_met}
    players, given = [Player(k) for k in range(3)], believed(0, 0, -40)
    for seed in range(20):
        (one,) = pair(players, counts, given, 1, seed, mode="final", sets=20)
        assert ({one.first, one.second} == {0, 1}) is is_next


@pytest.mark.parametrize(("sets", "is_new"), [(29, True), (30, False)])
def test_a_version_is_new_below_a_quarter_of_the_median(sets, is_new):
    """Three have 120 sets, two of them some with the last one: a quarter is 30."""
    counts = everybody(4, 40) | {(0, 4): sets}
    given = [Player(k) for k in range(5)], counts, believed(*[0] * 5), 1
    assert ("new" in {one.kind for seed in range(60) for one in pair(*given, seed)}) is is_new


def test_a_chance_of_99_in_100_makes_it_clear_who_is_the_best():
    """A lead of three deviations of the distance, 42 Elo, is a chance of 0.9987; one of 1.65 of 0.95."""
    given = [Player(0), Player(1)], everybody(2)
    for lead, kind in (127, "least played"), (70, "top two"):
        for seed in range(20):
            assert kinds(pair(*given, believed(lead, 0), 1, seed, mode="final")) == [kind]


@pytest.mark.parametrize(
    ("seats", "played", "sets"),
    [(2, 0, 5), (2, 600, 5), (2, 1200, 10), (2, 2400, 20), (2, 10**6, 20), (4, 0, 3), (4, 1200, 10)],
)  # fmt: skip
def test_six_pairings_hold_a_twentieth_of_the_sets_within_10_and_40_deals(seats, played, sets):
    assert size_pairing(seats, played) == sets
    assert (size_block(2), size_block(3), size_block(4), size_block(10)) == (20, 14, 10, 4)


def test_the_final_asks_for_the_best_alone_until_it_is_clear_who_is():
    players = [Player(k) for k in range(6)]
    near = pair(players, everybody(6), believed(5, 0, -300, -300, -300, -300), 1, 3, mode="final")
    assert [(one.kind, {one.first, one.second}) for one in near] == [("top two", {0, 1})]
    clear = pair(players, everybody(6), believed(900, 0, 0, 0, 0, 0), 1, 3, mode="final")
    assert kinds(clear) == ["least played"]


def test_the_whole_order_is_found_by_pairs_that_are_close_and_little_known():
    """0 to 4 are close together, 5 is far below: who plays it learns nothing that is not known."""
    given = believed(20, 10, 0, -10, -20, -400)
    close = pair([Player(k) for k in range(6)], everybody(6), given, 5, 5, mode="full", sets=20)
    assert set(kinds(close)) == {"order"}
    assert all(5 not in {one.first, one.second} for one in close)
    assert len({frozenset((one.first, one.second)) for one in close}) == 5
    covariance = np.diag([1.0, 1, 100, 100, 1, 1]) * (10 / ELO) ** 2
    unsure = Posterior(np.zeros(6), covariance)
    (one,) = pair([Player(k) for k in range(6)], everybody(6), unsure, 1, 5, mode="full", sets=20)
    assert (one.first, one.second) == (2, 3)


def test_a_new_version_meets_its_parent_until_they_have_met_enough_then_its_neighbours():
    """8 is new and the child of 3, which does not play any more; 5 is the nearest to it of those who do."""
    players = [Player(k) for k in range(8) if k != 3] + [Player(8, parent=3)]
    elo = [0, 10, 20, 30, 40, 52, 60, 70, 51]
    before = everybody(8) | {(0, 8): 10}

    def opponents(counts):
        new = [
            one for seed in range(120)
            for one in pair(players, counts, believed(*elo), 1, seed) if one.kind == "new"
        ]  # fmt: skip
        assert new
        assert {one.first for one in new} == {8}
        return {one.second for one in new}

    assert opponents(before) == {3}
    assert opponents(before | {(3, 8): WITH_PARENT}) == {5}
    assert "new" not in {
        one.kind for seed in range(60)
        for one in pair(players, before | {(0, 8): NEW_SETS}, believed(*elo), 1, seed)
    }  # fmt: skip


@pytest.mark.parametrize("size", [0, 1, 2])
def test_of_few_players_there_are_few_pairs(size):
    pairs = pair([Player(k) for k in range(size)], {}, believed(*[0] * size), 10, 1)
    assert len(pairs) == (1 if size == 2 else 0)


def test_only_who_may_be_the_best_meets_twice_though_many_pairs_are_wanted():
    pairs = pair([Player(k) for k in range(6)], everybody(6), believed(*[0] * 6), 100, 1)
    others = [frozenset((one.first, one.second)) for one in pairs if one.kind != "top two"]
    assert len(pairs) == 15
    assert len(others) == len(set(others))
    final = pair([Player(k) for k in range(6)], everybody(6), believed(9, 9, *[-900] * 4), 9, 1, mode="final")
    assert {frozenset((one.first, one.second)) for one in final} == {frozenset((0, 1))}


def test_each_kind_is_explained_in_a_sentence():
    counts = everybody(5) | {(0, 1): 2}
    said = set()
    for seed in range(60):
        players = [Player(k, 700.0 if k == seed % 9 else 0.0, parent=2 if k == 4 else None) for k in range(5)]
        fresh = {pair: sets if 4 not in pair else 5 for pair, sets in counts.items()}
        for one in pair(players, fresh if seed % 2 else {}, believed(0, 1, 2, 3, 4), 6, seed):
            words = explain(one, {k: f"bot-{k}" for k in range(5)})
            assert words.endswith(".")
            assert f"bot-{one.first}" in words
            assert f"bot-{one.second}" in words
            said.add(one.kind)
    assert said == {"groups", "waiting", "top two", "least played", "new"}
    (one,) = pair([Player(k) for k in range(2)], everybody(2), believed(40, 0), 1, 1, mode="full")
    assert explain(one, {0: "a", 1: "b"}) == "a and b tell most about the order: they are 40 Elo apart."


def table_of(pairs):
    return [frozenset(one.players) for one in pairs]


@pytest.mark.parametrize("seats", [3, 4, 10])
def test_no_author_has_two_bots_at_a_table_of_more_than_two(seats):
    """Twelve authors have two bots each, which are the strongest two and have never met."""
    players = [Player(k, author=f"author-{k // 2}") for k in range(24)]
    for seed in range(5):
        pairs = pair(players, {}, believed(90, 90, *[0] * 22), 40, seed, seats=seats)
        assert len(pairs) == 40
        for one in pairs:
            assert len(set(one.players)) == seats
            assert len({number // 2 for number in one.players}) == seats


def test_at_two_seats_the_bots_of_an_author_meet():
    players = [Player(k, author="the-same") for k in range(2)]
    assert table_of(pair(players, {}, believed(0, 0), 5, 1)) == [{0, 1}]


@pytest.mark.parametrize("seats", [3, 5])
def test_tables_connect_all_and_then_seat_whoever_met_least(seats):
    """Nobody has met: the first tables join all of twelve; in the end all pairs have met about as often."""
    players, met = [Player(k, author=str(k)) for k in range(12)], Counter()
    for seed in range(60):
        for one in pair(players, met, believed(*[0] * 12), 3, seed, sets=4, seats=seats):
            met.update(dict.fromkeys(combinations(sorted(one.players), 2), 4))
        if seed == 3:
            groups = {k: {k} for k in range(12)}
            for a, b in met:
                joined = groups[a] | groups[b]
                groups |= dict.fromkeys(joined, joined)
            assert len(groups[0]) == 12
    even = 180 * 4 * seats * (seats - 1) / (12 * 11)
    assert len(met) == 66
    assert min(met.values()) > even / 2


def test_fewer_authors_than_seats_play_nothing():
    players = [Player(0, author="a"), Player(1, author="a"), Player(2, author="b"), Player(3)]
    assert pair(players, {}, believed(0, 0, 0, 0), 5, 1, seats=4) == []
    assert len(table_of(pair(players, {}, believed(0, 0, 0, 0), 2, 1, seats=3))) == 2


def test_groups_are_joined_by_bots_of_different_authors():
    """0 and 1, the least played of both groups, are one author's: 2 comes from 0's group instead."""
    players = [Player(k, author="same" if k < 2 else str(k)) for k in range(5)]
    counts = {(0, 2): 5, (2, 4): 4, (1, 3): 9}
    (one,) = pair(players, counts, believed(*[0] * 5), 1, 1, seats=3)
    assert one.kind == "groups"
    assert {one.first, one.second} in ({1, 2}, {1, 4}, {0, 3}, {3, 4})


def test_a_table_is_explained_with_all_who_sit_there():
    players = [Player(k, author=str(k)) for k in range(4)]
    (one,) = pair(players, {}, believed(*[0] * 4), 1, 1, seats=4)
    names = dict(enumerate("abcd"))
    words = explain(one, names)
    assert words.startswith(f"{names[one.first]} and {names[one.second]} join groups")
    assert words.endswith(" sat with them least and take the rest of the table.")
