"""Pairings follow from the results, the waiting players and a seed, and each has a reason."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from maumau.contest.ladder.pairing import (
    LONGEST_WAIT,
    NEW_SETS,
    LadderPlayer,
    explain_pair,
    pair_players,
    size_block,
    size_pairing,
)
from maumau.contest.statistics.rating import ELO, Posterior


def believed(*elo, error=30.0):
    """Return independent strengths in Elo, each with the same error."""
    theta = np.array(elo) / ELO
    return Posterior(theta, np.eye(len(elo)) * (error / ELO) ** 2)


def everybody(size, sets=1000):
    """Return counts with this many sets for every pair."""
    return dict.fromkeys(combinations(range(size), 2), sets)


def kinds(pairs):
    return [one.kind for one in pairs]


def test_the_same_seed_gives_the_same_pairs_and_another_one_others():
    given = [LadderPlayer(k) for k in range(8)], everybody(8), believed(*range(0, 80, 10))
    assert pair_players(*given, 12, 1) == pair_players(*given, 12, 1)
    assert pair_players(*given, 12, 1) != pair_players(*given, 12, 2)


def test_groups_that_never_met_are_joined_before_anything_else():
    """0-1-2 have met, 3-4 have met, 5 nobody: two pairs join them, the lonely one first."""
    counts = {(0, 1): 9, (1, 2): 5, (3, 4): 7}
    pairs = pair_players([LadderPlayer(k) for k in range(6)], counts, believed(*[0] * 6), 4, 1)
    first, second = ({one.first, one.second} for one in pairs[:2])
    assert kinds(pairs)[:2] == ["groups"] * 2
    assert "groups" not in kinds(pairs)[2:]
    assert 5 in first
    assert second & {3, 4}
    assert second - {3, 4}


def test_who_waits_too_long_comes_next_and_meets_whom_it_met_least():
    counts = everybody(5) | {(1, 4): 3}
    players = [LadderPlayer(k, LONGEST_WAIT + k if k in {1, 3} else 0.0) for k in range(5)]
    first, second, *_ = pair_players(players, counts, believed(*[0] * 5), 5, 7)
    assert (first.kind, first.first, second.kind) == ("waiting", 3, "waiting")
    assert (second.first, second.second) == (1, 4)
    assert second.numbers == {"seconds": LONGEST_WAIT + 1}


@pytest.mark.long
def test_eight_of_ten_pairs_ask_for_the_best_and_six_while_a_version_is_new():
    """Of twelve players three are within the error of each other, the others far below."""
    strong = {0, 1, 2}
    elo = [100 if k in strong else -200 for k in range(12)]
    new = {pair: sets if 11 not in pair else 10 for pair, sets in everybody(12).items()}
    for counts, expected in (everybody(12), (0.8, 0.2, 0)), (new, (0.6, 0.2, 0.2)):
        found = Counter()
        for seed in range(1000):
            (one,) = pair_players([LadderPlayer(k) for k in range(12)], counts, believed(*elo), 1, seed)
            if one.kind == "top two":
                assert {one.first, one.second} <= strong
            found[one.kind] += 1
        for kind, share in zip(("top two", "least played", "new"), expected, strict=True):
            four_deviations = 4 * (1000 * share * (1 - share)) ** 0.5
            assert found[kind] == pytest.approx(1000 * share, abs=four_deviations)


def test_nobody_is_new_where_all_have_played_little():
    """150 sets each are fewer than a new version has at most, but no fewer than the others have."""
    few = everybody(16, 10)
    given = [LadderPlayer(k) for k in range(16)], few, believed(*[0] * 16), 1
    assert {one.kind for seed in range(60) for one in pair_players(*given, seed)} == {
        "top two",
        "least played",
    }


def test_of_those_who_may_be_the_best_the_pair_comes_next_that_lacks_most():
    """Each of the three pairs should have a third of the sets: of 240, and of 260, the last has too few."""
    counts = {(0, 1): 100, (0, 2): 100, (1, 2): 40}
    for seed in range(20):
        pairs = pair_players(
            [LadderPlayer(k) for k in range(3)], counts, believed(0, 0, 0), 2, seed, mode="final", sets=20
        )
        assert [{one.first, one.second} for one in pairs] == [{1, 2}] * 2


@pytest.mark.parametrize(("first_met", "others_met", "is_next"), [(100, 60, True), (400, 2, False)])
def test_the_likelier_pair_comes_next_until_it_has_its_share(first_met, others_met, is_next):
    """The third is 40 Elo below two equals: about one deviation. The first pair's share is over 0.7."""
    counts = {(0, 1): first_met, (0, 2): others_met, (1, 2): others_met}
    players, given = [LadderPlayer(k) for k in range(3)], believed(0, 0, -40)
    for seed in range(20):
        (one,) = pair_players(players, counts, given, 1, seed, mode="final", sets=20)
        assert ({one.first, one.second} == {0, 1}) is is_next


@pytest.mark.parametrize(("sets", "is_new"), [(29, True), (30, False)])
def test_a_version_is_new_below_a_quarter_of_the_median(sets, is_new):
    """Three have 120 sets, two of them some with the last one: a quarter is 30."""
    counts = everybody(4, 40) | {(0, 4): sets}
    given = [LadderPlayer(k) for k in range(5)], counts, believed(*[0] * 5), 1
    assert ("new" in {one.kind for seed in range(60) for one in pair_players(*given, seed)}) is is_new


def test_a_chance_of_99_in_100_makes_it_clear_who_is_the_best():
    """A lead of three deviations of the distance, 42 Elo, is a chance of 0.9987; one of 1.65 of 0.95."""
    given = [LadderPlayer(0), LadderPlayer(1)], everybody(2)
    for lead, kind in (127, "least played"), (70, "top two"):
        for seed in range(20):
            assert kinds(pair_players(*given, believed(lead, 0), 1, seed, mode="final")) == [kind]


@pytest.mark.parametrize(
    ("seats", "played", "sets"),
    [(2, 0, 5), (2, 600, 5), (2, 1200, 10), (2, 2400, 20), (2, 10**6, 20), (4, 0, 3), (4, 1200, 10)],
)  # fmt: skip
def test_six_pairings_hold_a_twentieth_of_the_sets_within_10_and_40_deals(seats, played, sets):
    assert size_pairing(seats, played) == sets
    assert (size_block(2), size_block(3), size_block(4), size_block(10)) == (20, 14, 10, 4)


def test_the_final_asks_for_the_best_alone_until_it_is_clear_who_is():
    players = [LadderPlayer(k) for k in range(6)]
    near = pair_players(players, everybody(6), believed(5, 0, -300, -300, -300, -300), 1, 3, mode="final")
    assert [(one.kind, {one.first, one.second}) for one in near] == [("top two", {0, 1})]
    clear = pair_players(players, everybody(6), believed(900, 0, 0, 0, 0, 0), 1, 3, mode="final")
    assert kinds(clear) == ["least played"]


def test_the_whole_order_is_found_by_pairs_that_are_close_and_little_known():
    """0 to 4 are close together, 5 is far below: who plays it learns nothing that is not known."""
    given = believed(20, 10, 0, -10, -20, -400)
    close = pair_players([LadderPlayer(k) for k in range(6)], everybody(6), given, 5, 5, mode="full", sets=20)
    assert set(kinds(close)) == {"order"}
    assert all(5 not in {one.first, one.second} for one in close)
    assert len({frozenset((one.first, one.second)) for one in close}) == 5
    covariance = np.diag([1.0, 1, 100, 100, 1, 1]) * (10 / ELO) ** 2
    unsure = Posterior(np.zeros(6), covariance)
    (one,) = pair_players(
        [LadderPlayer(k) for k in range(6)], everybody(6), unsure, 1, 5, mode="full", sets=20
    )
    assert (one.first, one.second) == (2, 3)


def test_a_new_version_meets_its_nearest_neighbour_of_another_author():
    """8 is new; the nearest to it is 5, whose author is the same; of the others it is 6, 9 Elo above."""
    players = [LadderPlayer(k, author="ada" if k in {5, 8} else "") for k in range(9)]
    elo = [0, 10, 20, 30, 40, 52, 60, 70, 51]
    before = everybody(8) | {(0, 8): 10}

    def opponents(counts):
        new = [
            one for seed in range(120)
            for one in pair_players(players, counts, believed(*elo), 1, seed) if one.kind == "new"
        ]  # fmt: skip
        assert new
        assert {one.first for one in new} == {8}
        return {one.second for one in new}

    assert opponents(before) == {6}
    assert "new" not in {
        one.kind for seed in range(60)
        for one in pair_players(players, before | {(0, 8): NEW_SETS}, believed(*elo), 1, seed)
    }  # fmt: skip


@pytest.mark.parametrize("size", [0, 1, 2])
def test_of_few_players_there_are_few_pairs(size):
    pairs = pair_players([LadderPlayer(k) for k in range(size)], {}, believed(*[0] * size), 10, 1)
    assert len(pairs) == (1 if size == 2 else 0)


def test_only_who_may_be_the_best_meets_twice_though_many_pairs_are_wanted():
    pairs = pair_players([LadderPlayer(k) for k in range(6)], everybody(6), believed(*[0] * 6), 100, 1)
    others = [frozenset((one.first, one.second)) for one in pairs if one.kind != "top two"]
    assert len(pairs) == 15
    assert len(others) == len(set(others))
    final = pair_players(
        [LadderPlayer(k) for k in range(6)], everybody(6), believed(9, 9, *[-900] * 4), 9, 1, mode="final"
    )
    assert {frozenset((one.first, one.second)) for one in final} == {frozenset((0, 1))}


def test_each_kind_is_explained_in_a_sentence():
    counts = everybody(5) | {(0, 1): 2}
    said = set()
    for seed in range(60):
        players = [LadderPlayer(k, 700.0 if k == seed % 9 else 0.0) for k in range(5)]
        fresh = {pair: sets if 4 not in pair else 5 for pair, sets in counts.items()}
        for one in pair_players(players, fresh if seed % 2 else {}, believed(0, 1, 2, 3, 4), 6, seed):
            words = explain_pair(one, {k: f"bot-{k}" for k in range(5)})
            assert words.endswith(".")
            assert f"bot-{one.first}" in words
            assert f"bot-{one.second}" in words
            said.add(one.kind)
    assert said == {"groups", "waiting", "top two", "least played", "new"}
    (one,) = pair_players(
        [LadderPlayer(k) for k in range(2)], everybody(2), believed(40, 0), 1, 1, mode="full"
    )
    assert explain_pair(one, {0: "a", 1: "b"}) == "a and b tell most about the order: they are 40 Elo apart."


def table_of(pairs):
    return [frozenset(one.players) for one in pairs]


@pytest.mark.parametrize("seats", [2, 3, 4, 10])
def test_no_author_has_two_bots_at_a_table(seats):
    """Twelve authors have two bots each, which are the strongest two and have never met."""
    players = [LadderPlayer(k, author=f"author-{k // 2}") for k in range(24)]
    for seed in range(5):
        pairs = pair_players(players, {}, believed(90, 90, *[0] * 22), 40, seed, seats=seats)
        assert len(pairs) == 40
        for one in pairs:
            assert len(set(one.players)) == seats
            assert len({number // 2 for number in one.players}) == seats


@pytest.mark.parametrize("mode", ["ladder", "final", "full"])
def test_two_bots_of_one_author_never_meet_however_many_pairs_are_wanted(mode):
    """0 and 1 are the best, have never met and wait; of the ten pairs of five bots nine may be chosen."""
    players = [LadderPlayer(k, 700.0, "ada" if k < 2 else "") for k in range(5)]
    pairs = pair_players(players, {}, believed(90, 90, 0, 0, 0), 10, 1, mode=mode)
    assert pairs
    assert {0, 1} not in [set(one.players) for one in pairs]
    alone = [LadderPlayer(k, author="ada") for k in range(3)]
    assert pair_players(alone, {}, believed(0, 0, 0), 5, 1, mode=mode) == []


@pytest.mark.parametrize("seats", [3, 5])
def test_tables_connect_all_and_then_seat_whoever_met_least(seats):
    """At first nobody has met: the first tables join all of twelve; in the end all pairs met equally."""
    players, met = [LadderPlayer(k, author=str(k)) for k in range(12)], Counter()
    for seed in range(60):
        for one in pair_players(players, met, believed(*[0] * 12), 3, seed, sets=4, seats=seats):
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
    players = [
        LadderPlayer(0, author="a"),
        LadderPlayer(1, author="a"),
        LadderPlayer(2, author="b"),
        LadderPlayer(3),
    ]
    assert pair_players(players, {}, believed(0, 0, 0, 0), 5, 1, seats=4) == []
    assert len(table_of(pair_players(players, {}, believed(0, 0, 0, 0), 2, 1, seats=3))) == 2


def test_groups_are_joined_by_bots_of_different_authors():
    """0 and 1, the least played of both groups, are one author's: 2 comes from 0's group instead."""
    players = [LadderPlayer(k, author="same" if k < 2 else str(k)) for k in range(5)]
    counts = {(0, 2): 5, (2, 4): 4, (1, 3): 9}
    (one,) = pair_players(players, counts, believed(*[0] * 5), 1, 1, seats=3)
    assert one.kind == "groups"
    assert {one.first, one.second} in ({1, 2}, {1, 4}, {0, 3}, {3, 4})


def test_a_table_is_explained_with_all_who_sit_there():
    players = [LadderPlayer(k, author=str(k)) for k in range(4)]
    (one,) = pair_players(players, {}, believed(*[0] * 4), 1, 1, seats=4)
    names = dict(enumerate("abcd"))
    words = explain_pair(one, names)
    assert words.startswith(f"{names[one.first]} and {names[one.second]} join groups")
    assert words.endswith(" sat with them least and take the rest of the table.")
