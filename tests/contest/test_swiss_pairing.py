"""Pairings of a Swiss round against every possible one, in any order of nodes, and beside another program."""

import random
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maumau.contest.format.swiss.pairing import (
    NOBODY,
    Foresight,
    SwissPairing,
    SwissPlayer,
    list_byes,
    list_matchings,
    match_players,
    pair_round,
    weigh_pairs,
)

SEEDS = st.integers(0, 10**6)


def draw_players(rng, size, rounds):
    """Players with some rounds behind them, whoever they met in those: symmetric, also more than once."""
    opponents = [[] for _ in range(size)]
    for _ in range(rounds):
        order = rng.sample(range(size), size)
        for a, b in zip(order[::2], order[1::2], strict=False):
            opponents[a].append(b)
            opponents[b].append(a)
    return tuple(
        SwissPlayer(
            seed, rng.randrange(2 * rounds + 1), tuple(opponents[seed]), byes=rng.randrange(2),
            walkovers=rng.randrange(2), floated=rng.choice((-1, 0, 1)),
        )
        for seed in range(size)
    )  # fmt: skip


def list_pairings(players):
    """Yield every way to pair an even number of them."""
    if not players:
        yield []
        return
    first, *others = players
    for other in others:
        for rest in list_pairings([one for one in others if one is not other]):
            yield [(first, other), *rest]


def price(pairs, bye, byes, players):
    """Return what a pairing costs, criterion by criterion, in the plainest way."""
    rest = [one for one in players if one is not bye]
    groups = {
        points: [one for one in rest if one.points == points] for points in {one.points for one in rest}
    }
    met = gaps = floats = offs = 0
    for pair in pairs:
        low, high = sorted(pair, key=lambda one: (one.points, -one.seed))
        gap = high.points - low.points
        met += high.opponents.count(low.seed)
        gaps += gap**2
        above, below = groups[high.points], groups[low.points]
        if gap:
            floats += (high.floated == -1) + (low.floated == 1)
            offs += (len(above) - 1 - above.index(high) + below.index(low)) ** 2
        else:
            offs += (abs(above.index(high) - above.index(low)) - len(above) // 2) ** 2
    return met, byes.index(bye), gaps, floats, offs


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.integers(0, 4), SEEDS)
def test_no_pairing_of_up_to_eight_is_cheaper(size, rounds, seed):
    players = draw_players(random.Random(seed), size, rounds)
    if all(b.seed in a.opponents for a, b in combinations(players, 2)):
        assert pair_round(players, 0) is None
        return
    byes = list_byes(players)
    prices = [
        price(pairs, bye, byes, players)
        for bye in byes
        for pairs in list_pairings([one for one in players if one is not bye])
    ]
    found = pair_round(players, 0)
    bye = None if found.bye is None else players[found.bye]
    pairs = [(players[a], players[b]) for a, b in found.pairs]
    assert price(pairs, bye, byes, players) == min(prices)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([2, 4, 6, 8]), st.integers(0, 4), SEEDS)
def test_only_one_pairing_of_up_to_eight_is_the_cheapest(size, rounds, seed):
    players = draw_players(random.Random(seed), size, rounds)
    costs = {(players[i], players[j]): cost for i, j, cost in weigh_pairs(players)}
    sums = sorted(sum(costs[pair] for pair in pairs) for pairs in list_pairings(list(players)))
    assert all(less < more for less, more in pairwise(sums[:2]))
    found = {(players[i], players[j]) for i, j in match_players(weigh_pairs(players))}
    assert sum(costs[pair] for pair in found) == sums[0]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 24), st.integers(0, 6), SEEDS)
def test_the_order_of_nodes_and_edges_does_not_change_the_matching(half, rounds, seed):
    """So the library may go through them as it likes."""
    rng = random.Random(seed)
    players = draw_players(rng, 2 * half, rounds)
    costs = weigh_pairs(players)
    at = rng.sample(range(2 * half), 2 * half)
    moved = [(*rng.sample((at[i], at[j]), 2), cost) for i, j, cost in rng.sample(costs, len(costs))]
    back = {position: one for one, position in enumerate(at)}
    found = [tuple(sorted((back[i], back[j]))) for i, j in match_players(moved)]
    assert sorted(found) == match_players(costs)


def test_among_equals_the_halves_meet_whatever_is_drawn():
    found = pair_round(tuple(map(SwissPlayer, range(256))), 9)
    assert found.pairs == tuple((seed, seed + 128) for seed in range(128))


def test_costs_of_the_largest_field_after_the_most_rounds_fit_the_library():
    """It computes with 128 bits, and doubles and adds some of them."""
    rng = random.Random(5)
    players = [
        SwissPlayer(
            seed, rng.choice((0, 510)), tuple(rng.choices(range(256), k=255)), floated=rng.choice((-1, 1))
        )
        for seed in range(256)
    ]
    assert max(cost for *_, cost in weigh_pairs(players)) * 128 < 2**124


def test_matchings_come_by_cost_and_each_once():
    rng = random.Random(1)
    costs = [(i, j, rng.randrange(1000)) for i, j in combinations(range(8), 2)]
    prices = {(i, j): cost for i, j, cost in costs}
    found = list(list_matchings(costs, 8))
    sums = [sum(prices[pair] for pair in one) for one in found]
    assert len({tuple(one) for one in found}) == len(found) == 105
    assert sums == sorted(sums)


def test_two_triangles_leave_no_round_and_a_ring_of_six_two():
    """Matches left of six after three rounds: two triangles cannot go on."""
    triangles = frozenset({(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)})
    ring = frozenset({(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)})
    field = frozenset(range(6))
    assert not Foresight().can_go_on(triangles, field, 1)
    assert Foresight().can_go_on(ring, field, 2)


def test_five_look_ahead_so_that_the_fourth_round_needs_no_rematch():
    """After two rounds some third round would leave two triangles, the bye being one of the six."""
    spoiled = 0
    for seed in range(200):
        rng, unmet = random.Random(seed), set(combinations([NOBODY, *range(5)], 2))
        for _ in range(2):
            pairs = rng.choice([one for one in list_all(range(-1, 5)) if set(one) <= unmet])
            unmet -= set(pairs)
        players = tuple(
            SwissPlayer(seed, rng.randrange(5), list_met(seed, unmet), byes=(NOBODY, seed) not in unmet)
            for seed in range(5)
        )
        found, blind = pair_round(players, 2), pair_round(players, 0)
        left = [frozenset(unmet - {*one.pairs, (NOBODY, one.bye)}) for one in (found, blind)]
        assert Foresight().can_go_on(left[0], frozenset(range(-1, 5)), 2)
        spoiled += not Foresight().can_go_on(left[1], frozenset(range(-1, 5)), 2)
    assert spoiled  # so it was worth looking


def list_met(number, unmet):
    """Return the opponents that one of five has met."""
    return tuple(one for one in range(5) if one != number and tuple(sorted((number, one))) not in unmet)


def list_all(numbers):
    """Return all complete matchings of some numbers."""
    return list(list_pairings(list(numbers)))


@pytest.mark.long
@pytest.mark.parametrize("size", [6, 7, 13, 20, 24, 31])
def test_no_pairing_has_larger_gaps_than_that_of_another_program(size):
    """The Dutch system of caissify-pairings, after our own rounds, where it gives the bye to the same one."""
    rng, rounds, compared = random.Random(size), (size - 1).bit_length() + 2, 0
    players = tuple(map(SwissPlayer, range(size)))
    floats = [[] for _ in players]
    for turn in range(1, rounds + 1):
        ours = pair_round(players, 0)
        theirs = ask_dutch(players, floats, turn, rounds)
        met = {(one.seed, other) for one in players for other in one.opponents}
        assert met.isdisjoint(ours.pairs)
        if met.isdisjoint(theirs.pairs) and ours.bye == theirs.bye:
            compared += 1
            assert add_gaps(players, ours) <= add_gaps(players, theirs)
        players = follow(rng, players, ours)
        for one, history in zip(players, floats, strict=True):
            history.append({-1: "down", 0: "none", 1: "up"}[one.floated])
    assert compared >= (rounds - 1 if size % 2 == 0 else 1)


def add_gaps(players, found):
    return sum((players[a].points - players[b].points) ** 2 for a, b in found.pairs)


def ask_dutch(players, floats, turn, rounds):
    from caissify_pairings import generate_pairings

    given = [
        {"id": one.seed + 1, "name": str(one.seed), "score": one.points / 2, "rating": 3000 - one.seed,
         "starting_number": one.seed + 1, "color_hist": [], "float_history": floats[one.seed],
         "bye_count": one.byes}
        for one in players
    ]  # fmt: skip
    met = {(one.seed + 1, other + 1) for one in players for other in one.opponents}
    found = generate_pairings("dutch", given, met, turn, rounds)
    pairs = [(one["white_id"] - 1, one["black_id"] - 1) for one in found if one["black_id"] is not None]
    byes = [one["white_id"] - 1 for one in found if one["black_id"] is None]
    return SwissPairing(tuple(pairs), byes[0] if byes else None)


def follow(rng, players, found):
    """Return the players after a round with random results."""
    after = list(players)
    for a, b in found.pairs:
        for one, other, result in ((a, b, won := rng.choice((0, 1, 2))), (b, a, 2 - won)):
            mine, theirs = players[one], players[other]
            floated = (theirs.points > mine.points) - (theirs.points < mine.points)
            met = (*mine.opponents, other)
            after[one] = mine._replace(points=mine.points + result, opponents=met, floated=floated)
    if found.bye is not None:
        mine = players[found.bye]
        after[found.bye] = mine._replace(points=mine.points + 2, byes=mine.byes + 1, floated=-1)
    return tuple(after)
