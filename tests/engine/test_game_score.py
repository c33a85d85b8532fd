"""Deals at live tables that are one game: when it is over, who has won, and how the score is shown."""

import random
import re
import sys

import pytest

from maumau import game
from maumau.bots import folder
from maumau.cli.player.sitting import Sitting
from maumau.cli.player.tally import DealTally, find_goal, set_goal
from maumau.client.live import Told
from maumau.errors import BadRequest
from maumau.screen.picture import LETTERS
from tests.engine.test_commands import terminal  # noqa: F401 - a fixture
from tests.engine.test_sitting import table
from tests.support.arenas.seat import Typing


def play(rules, *deals, players=("you", "greedy")):
    """Return the tally after deals with these points; the first has won each, unless another one says so."""
    tally = DealTally(find_goal(rules, len(players)))
    for at, points in enumerate(deals):
        assert not tally.is_over, f"over before deal {at + 1}"
        best = min(points)
        tally.add(players, {"places": [1 if one == best else 2 for one in points], "points": points})
    return tally


def test_a_game_to_a_target_is_won_by_the_fewest_points():
    """Cards left in hand are scored: 60 and 40 are 100."""
    rules = set_goal(game.load("prsi", scoring=True), 100, None)
    tally = play(rules, [0, 60], [25, 0], [0, 39])
    assert not tally.is_over
    assert str(tally) == (
        "After 3 deals of a game to 100 points: won you 2, greedy 1; points you 25, greedy 99"
    )
    tally = play(rules, [0, 60], [25, 0], [0, 40])
    assert tally.is_over
    assert tally.tell_winner() == (
        "The game to 100 points is over after 3 deals: you win with 25 points; greedy 100."
    )


def test_where_points_are_for_winning_the_most_win():
    tally = play(game.load("schweizer"), [60, 0], [0, 45], [40, 0])
    assert tally.is_over
    assert tally.tell_winner().endswith("over after 3 deals: you win with 100 points; greedy 45.")


def test_a_game_of_rounds_without_points_is_won_by_the_most_deals():
    """Nobody wins the third deal."""
    tally = DealTally(find_goal(set_goal(game.load("prsi"), None, 3), 3))
    for places in ([2, 1, 3], [1, 2, 3], [1, 1, 3]):
        assert not tally.is_over
        tally.add(["you", "greedy", "first"], {"places": places, "points": [0, 0, 0]})
    assert tally.is_over
    who = "you and greedy share first place with 1 deal each; first 0"
    assert tally.tell_winner() == f"The game of 3 deals is over: {who}."


def test_a_game_of_one_oh_one_ends_above_101_and_exactly_101_becomes_0():
    rules = game.load("one_oh_one")
    tally = play(rules, [0, 61], [30, 40])
    assert not tally.is_over
    assert str(tally).endswith("points you 30, greedy 0")
    tally = play(rules, [0, 61], [30, 41])
    assert tally.is_over
    assert str(tally).startswith("After 2 deals of a game to 102 points")


def test_a_game_ends_after_the_most_deals_that_its_variant_lets_it_have():
    """However far its target is; the leader wins, as in contests."""
    rules = game.load("schweizer", max_hands=2)
    tally = play(rules, [30, 0], [0, 10])
    assert tally.is_over
    told = "is over after 2 deals, the most it may have: you win with 30 points; greedy 10."
    assert tally.tell_winner() == f"The game to 100 points {told}"
    tally = play(set_goal(game.load("prsi", max_hands=2), None, 3), [0, 0], [0, 0])
    assert tally.is_over
    assert " of 3 deals is over after 2 deals, the most it may have: " in tally.tell_winner()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("schweizer", {"max_hands": 3}), ("schweizer", {}), ("one_oh_one", {}),
        ("one_oh_one", {"max_hands": 1}),
        ("prsi", {"scoring": True, "target": 60}), ("app", {"rounds": 3, "max_hands": 2}),
        ("prsi", {"rounds": 2, "max_hands": 5}),
    ],
)  # fmt: skip
def test_games_at_a_seat_end_when_those_of_contests_do_and_are_won_by_the_same(name, options):
    rules = game.load(name, **options)
    for seed in map(str, range(4)):
        contest, tally = game.Game(rules, 2, seed), DealTally(find_goal(rules, 2))
        while True:
            rng = random.Random(seed)
            while not contest.deal.over:
                seat = contest.deal.to_act[0]
                contest.deal.apply(seat, rng.choice(contest.deal.legal(seat)))
            seated = [one for one, hand in enumerate(contest.deal.made.dealt) if hand]
            assert seated == [0, 1]
            tally.add(["A", "B"], {"places": contest.deal.places, "points": contest.deal.points})
            assert tally.is_over == contest.over
            if contest.over:
                break
            contest.next()
        first = [player for player, place in zip("AB", contest.places, strict=True) if place == 1]
        assert tally.tell_winner().partition(": ")[2].startswith(" and ".join(first))


@pytest.mark.parametrize("name", ["prsi", "faraon"])
def test_deals_that_are_games_of_their_own_have_no_end(name):
    """So have those of variants with lives, which cost cards of the next deal."""
    assert find_goal(game.load(name), 2) is None
    assert not play(game.load(name), *[[0, 500]] * 9).is_over


def test_a_game_that_cannot_be_is_refused_in_words():
    with pytest.raises(
        BadRequest, match=r"^target: a game of one_oh_one ends above 101 points; leave it out"
    ):
        set_goal(game.load("one_oh_one"), 50, None)
    with pytest.raises(BadRequest, match=r"^rounds: a game ends at a target or after a number of rounds"):
        set_goal(game.load("app"), 50, 3)
    with pytest.raises(BadRequest, match=r"^target: prsi counts no points; --option scoring=true counts"):
        set_goal(game.load("prsi"), 50, None)


@pytest.mark.parametrize(("target", "rounds", "key"), [(None, 2, "rounds"), (50, None, "target")])
def test_a_game_that_lives_would_decide_is_refused_for_it_would_never_end(target, rounds, key):
    """The tally counts no lives, and without a terminal deals are played until it says that all is over."""
    words = f"{key}: a game of faraon is decided by lives, which are not counted here."
    with pytest.raises(BadRequest, match=f"^{words}$"):
        set_goal(game.load("faraon", scoring=True), target, rounds)


def test_a_long_score_takes_two_lines_at_the_top_and_breaks_no_name():
    sitting = Sitting(LETTERS)
    sitting.hear(Told("seated", seat=1, table=table("prsi", 2)))
    sitting.score = str(play(set_goal(game.load("prsi", scoring=True), 500, None), [0, 120], [45, 0]))
    first, second, *_ = [line.plain for line in sitting.lines()]
    assert first == "prsi · you are B · After 2 deals of a game to 500 points: won you 1, greedy 1;"
    assert second == "points you 45, greedy 120"
    sitting.fit(40, 20)
    assert [line.plain for line in sitting.lines()][1].endswith(" …")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["app", "--target", "50", "--seats", "2"], "are for games against bots: add --house"),
        (["prsi", "--rounds", "2", "--house", "--json"], "without --from and --json"),
        (["--table", "x", "--rounds", "2"], "need a table of your own"),
    ],
)
def test_a_game_is_played_against_bots_in_the_terminal(terminal, words, said):  # noqa: F811
    assert said in " ".join(terminal.run("seat", *words, code=2).err.split())


@pytest.mark.long
def test_a_game_is_played_to_its_end_without_a_terminal(terminal, monkeypatch):  # noqa: F811
    monkeypatch.setattr(sys, "stdin", Typing())
    words = ["--rounds", "2", "--bot", str(folder("first")), "--sandbox", "process"]
    said = terminal.run("seat", "prsi", *words).out
    assert said.count("The deal is over") == 2
    assert re.search(r"The game of 2 deals is over: .+ with [12] deals?", said)
