"""Players without results are in nobody's line, and the bots of one author weigh as one."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from maumau.contest.ladder.leaderboard import rank_players
from maumau.contest.ladder.played import WIDENED, Played
from maumau.contest.statistics.author import Owner, share_pairs
from maumau.contest.statistics.pod import add_up_pod
from maumau.contest.statistics.rating import Centre, Duel, add_up_duels, compute_posterior
from maumau.contest.statistics.sequential import Sums

SETS = 600


def score(share, sets=SETS):
    """Return sets of four units, their scores as even as this share of all units allows."""
    units = round(4 * share * sets)
    less, more = divmod(units, sets)
    return Sums(4).add_scores([less + 1] * more + [less] * (sets - more))


def field_of_six():
    """The first one is the best: its score falls by a hundredth for each place between two."""
    return [Duel(i, j, score(0.5 + 0.01 * (j - i))) for i, j in combinations(range(6), 2)]


@pytest.mark.parametrize("fresh", [1, 4, 50])
@pytest.mark.parametrize("anchors", [(), (2,), (2, 6)])
def test_newcomers_without_a_set_change_nobodys_line(fresh, anchors):
    before, _ = rank_players(6, Played(field_of_six()), range(6), [one for one in anchors if one < 6])
    after, _ = rank_players(6 + fresh, Played(field_of_six()), range(6 + fresh), anchors)
    assert after == before
    assert [line.player for line in after] == [0, 1, 2, 3, 4, 5]
    assert after[0].best > 0.99


def test_a_newcomer_in_the_fit_before_widens_all_intervals():
    """The fault as it was, for epochs that began with that fit: from 4 Elo to 50."""
    few, many = (
        rank_players(size, Played(field_of_six()), range(6), fit=WIDENED)[0][0] for size in (6, 10)
    )  # fmt: skip
    assert many.high - many.low > 10 * (few.high - few.low)


def test_a_newcomer_with_few_sets_widens_the_others_by_little():
    before, _ = rank_players(6, Played(field_of_six()), range(6))
    first = [Duel(5, 6, score(0.5, 10))]
    after, _ = rank_players(7, Played([*field_of_six(), *first]), range(7))
    wide = {line.player: line.high - line.low for line in after}
    for line in before:
        assert wide[line.player] < 1.1 * (line.high - line.low)


@st.composite
def results(draw):
    """Return the results of some players, and where others without a result stand between them."""
    size = draw(st.integers(2, 6))
    pairs = [pair for pair in combinations(range(size), 2) if draw(st.booleans())] or [(0, 1)]
    if draw(st.booleans()) and size > 2:
        tables = [draw(st.permutations(range(size)))[:3] for _ in range(draw(st.integers(1, 3)))]
        places = [draw(st.permutations([8, 6, 4])) for _ in range(4)]
        played = Played(pods=[add_up_pod(table, places) for table in tables])
    else:
        scores = st.lists(st.integers(0, 4), min_size=1, max_size=12)
        played = Played([Duel(*pair, Sums(4).add_scores(draw(scores))) for pair in pairs])
    strangers = sorted(draw(st.sets(st.integers(0, size + 3), min_size=1, max_size=4)))
    numbers = [number for number in range(size + len(strangers)) if number not in strangers][:size]
    return size, played, numbers, size + len(strangers), draw(st.sets(st.integers(0, size - 1), max_size=2))


def renumber(played, numbers):
    return Played(
        [Duel(numbers[one.first], numbers[one.second], one.sums) for one in played.duels],
        [pod._replace(players=tuple(numbers[player] for player in pod.players)) for pod in played.pods],
    )


@given(results())
def test_joins_and_leaves_without_a_set_change_no_line_by_a_bit(found):
    size, played, numbers, more, anchors = found
    before, _ = rank_players(size, played, range(size), anchors)
    held = {*(numbers[player] for player in anchors), more - 1 if more - 1 not in numbers else numbers[0]}
    held = held if anchors else ()
    again, _ = rank_players(
        more, renumber(played, numbers), range(more), [*map(numbers.__getitem__, anchors)]
    )
    assert again == [replace(line, player=numbers[line.player]) for line in before]
    if held and not held <= set(numbers):  # a newcomer that holds the scale as well
        once_more, _ = rank_players(more, renumber(played, numbers), range(more), held)
        assert once_more == again


def test_a_mean_by_information_is_held_by_those_who_are_known():
    """Of two pairs with 30 and 10 sets, all even, the players of the first weigh three times as much."""
    duels = [Duel(0, 1, score(0.5, 30)), Duel(2, 3, score(0.5, 10))]
    pairs, theta = add_up_duels(duels), compute_posterior(4, duels).theta
    assert Centre((), by_information=True).weigh_mean(theta, pairs) == pytest.approx(
        [0.375, 0.375, 0.125, 0.125]
    )
    assert Centre((0, 3), by_information=True).weigh_mean(theta, pairs) == pytest.approx([0.75, 0, 0, 0.25])
    assert Centre((0, 3)).weigh_mean(theta, pairs) == pytest.approx([0.5, 0, 0, 0.5])


def owners_of(text):
    """Return the owners in a text such as `own/x a/y`: author and bot of each player."""
    return [Owner(*one.split("/")) for one in text.split()]


def test_sets_against_one_author_count_as_those_against_the_one_met_most():
    """Player 0 has 30 sets against a bot, 10 against its twin: 30 of the 40 count, three of four of each."""
    duels = [Duel(0, 1, score(0.5, 30)), Duel(0, 2, score(0.5, 10)), Duel(0, 3, score(0.5, 8))]
    pairs = add_up_duels(duels)
    assert share_pairs(pairs, owners_of("own/o a/x a/y b/z")).tolist() == [0.75, 0.75, 1.0]
    assert share_pairs(pairs, owners_of("own/o a/x b/y c/z")).tolist() == [1.0, 1.0, 1.0]


def test_of_the_versions_of_a_bot_the_newest_count_first():
    """Of 30, 20 and 10 sets against three versions 30 count: all of the newest, then of the one before."""
    duels = [Duel(0, 1, score(0.5, 30)), Duel(0, 2, score(0.5, 20)), Duel(0, 3, score(0.5, 10))]
    shares = share_pairs(add_up_duels(duels), owners_of("own/o a/x a/x a/x"))
    assert shares.tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("versions", [0, 20, 60])
def test_whoever_improves_a_bot_often_is_rated_as_one_who_does_not(versions):
    """The newest version, player 7, scores 58 % against six; so did, by less, the versions before it."""
    duels = [Duel(7, j, score(0.58, 100)) for j in range(1, 7)]
    duels += [Duel(i, j, score(0.5, 100)) for i, j in combinations(range(1, 7), 2)]
    earlier = range(8, 8 + versions)  # numbers are turned around below, so that these are older
    duels += [Duel(k, j, score(0.52, 100)) for k in earlier for j in range(1, 7)]
    size = 8 + versions
    turned = [Duel(size - 1 - one.first, size - 1 - one.second, one.sums) for one in duels]
    owners = owners_of(" ".join(["b/b", *(f"{c}/{c}" for c in "cdefgh"), "ada/x", *["ada/x"] * versions]))
    lines, _ = rank_players(size, Played(turned, owners=owners[::-1]), range(size))
    (newest,) = [line for line in lines if line.player == size - 1 - 7]
    assert newest.place == 1
    assert newest.high - newest.low < 40


@pytest.mark.parametrize("copies", [0, 6, 50])
def test_copies_of_a_bots_rival_do_not_carry_it_from_its_place(copies):
    """The leader scores 56 % against six, who are equal, and 40 % against a seventh, which they hold even."""
    size = 8 + copies
    duels = [Duel(0, j, score(0.56)) for j in range(1, 7)]
    duels += [Duel(i, j, score(0.5)) for i, j in combinations(range(1, 7), 2)]
    duels += [Duel(0, j, score(0.4)) for j in range(7, size)]
    duels += [Duel(i, j, score(0.5)) for i in range(1, 7) for j in range(7, size)]
    copied = (f"eve/{number}" for number in range(1 + copies))
    owners = owners_of(" ".join(["ada/a", *(f"{c}/{c}" for c in "bcdefg"), *copied]))
    lines, _ = rank_players(size, Played(duels, owners=owners), range(size))
    assert lines[0].player == 0
    if copies:
        alike, _ = rank_players(size, Played(duels), range(size), fit=1)
        assert alike[-1].player == 0
