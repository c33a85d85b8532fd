"""Games: deals in a row, written down and gone on with."""

from __future__ import annotations

import random

import pytest

from maumau.errors import BadDeal, BadRecord, GameOver
from maumau.game import Game, deal_by_hand, first_action, load, record_game, resume, variants
from tests.game.play import rules_with, step
from tests.support.kinds import one_of

LONG = {
    "app": {},
    "faraon": {"lives": 3},
    "mau_mau": {"scoring": True, "target": 60},
    "one_oh_one": {},
    "shop_extended": {"rounds": 4},
    "tschau_sepp": {"ts_score": "points"},
    "prsi": {"rounds": 3},
    "shop_basic": {"rounds": 2},
}


def played(game: Game, rng: random.Random, steps: int) -> Game:
    """Return the game after this many more actions, or over."""
    for _ in range(steps):
        if game.deal.over:
            if game.over:
                return game
            game.next()
        else:
            step(game.deal, rng)
    return game


def finished(game: Game, seed: str) -> Game:
    return played(game, random.Random(seed), 1_000_000)


@pytest.mark.parametrize("name", sorted(LONG))
def test_a_game_goes_on_from_its_record_as_if_it_had_not_stopped(name: str) -> None:
    for number, stop in enumerate((1, 60, 300)):
        game = played(Game(load(name, **LONG[name]), 3, f"resume {number}"), random.Random(name), stop)
        again = resume(record_game(game))
        assert record_game(again) == record_game(game)
        assert [again.deal.view(seat) for seat in range(3)] == [game.deal.view(seat) for seat in range(3)]
        finished(game, "rest")
        finished(again, "rest")
        assert record_game(again) == record_game(game)
        assert (again.places, again.total, again.lives) == (game.places, game.total, game.lives)


@pytest.mark.parametrize("name", one_of(3, variants()))
def test_a_finished_game_is_read_back_as_it_was(name: str) -> None:
    rng = random.Random(f"whole {name}")
    game = finished(Game(rules_with(name, rng), 3, "a game"), name)
    text = record_game(game)
    assert text.split("\n")[-2].startswith("game places ")
    again = resume(text)
    assert record_game(again) == text
    assert again.over
    with pytest.raises(GameOver):
        again.next()


def test_a_game_of_deals_by_hand_is_read_back() -> None:
    rules = load("one_oh_one")
    game = Game(rules, 2, "", deal_by_hand(rules, {0: "TH", 1: "QS 9C"}, "8H", ""))
    game.deal.apply(0, "TH")
    game.next_by_hand({0: "9S AC", 1: "QS 9C"}, "8H", "KC")
    again = resume(record_game(game))
    assert record_game(again) == record_game(game)
    assert again.deal.made.totals == [0, 12]


def lines() -> list[str]:
    return record_game(finished(Game(load("shop_extended", rounds=2), 2, "two"), "lines")).split("\n")


@pytest.mark.parametrize(
    ("line", "text", "words"),
    [
        (0, "[maumau game 2]", "line 1: this is not version 1"),
        (1, "[rules nosuch {} 0]", "line 2: there is no variant 'nosuch'"),
        (2, "[seats 0]", "line 3: '0' is not a number of seats"),
        (3, "[seed x]", "line 5: this is not deal 0 of the game"),
        (4, "", r"line 5: expected \[maumau …\]"),
        (-2, "game places 1 1 total 0 0", "line [0-9]+: by the rules this is 'game places"),
    ],
)
def test_a_wrong_line_of_a_game_is_named(line: int, text: str, words: str) -> None:
    found = lines()
    found[line] = text
    with pytest.raises(BadRecord, match=words):
        resume("\n".join(found))


def test_a_wrong_line_of_a_later_deal_is_counted_from_the_top() -> None:
    found = lines()
    second = found.index("[maumau 1]", 5)
    found[second + 4] = "deal A 7C"
    with pytest.raises(BadRecord, match=f"line {second + 5}: the seed deals 'deal A"):
        resume("\n".join(found))


def test_deals_stand_in_their_order() -> None:
    found = lines()
    second = found.index("[maumau 1]", 5)
    with pytest.raises(BadRecord, match="line 5: this is not deal 0"):
        resume("\n".join([*found[:4], *found[second:-2], ""]))


def test_nothing_follows_the_result_of_a_game() -> None:
    found = lines()
    with pytest.raises(BadRecord, match="nothing follows the result"):
        resume("\n".join([*found[:-1], "A draw", ""]))
    with pytest.raises(BadRecord, match="the game is not over here"):
        resume("\n".join([*found[: found.index("[maumau 1]", 5)], found[-2], ""]))
    with pytest.raises(BadRecord, match="the record of a deal"):
        resume("\n".join([*found[:4], ""]))


def test_another_games_deal_is_refused() -> None:
    game, other = (Game(load("prsi", rounds=2), 2, seed) for seed in ("one", "other"))
    with pytest.raises(BadDeal):
        game.put(other.deal)


def test_a_fault_costs_a_life_and_no_other_seat_one() -> None:
    game = Game(load("faraon", lives=1), 3, "fault")
    game.deal.forfeit(1, "crash")
    while not game.deal.over:
        game.deal.apply(game.deal.seat, first_action(game.deal, game.deal.seat))
    assert game.lives == [1, 0, 1]
    assert game.hands() == [5, 0, 5]


def test_players_who_lose_their_last_life_in_one_deal_share_a_place() -> None:
    game = Game(load("faraon", lives=1), 3, "faults")
    game.deal.forfeit(1, "crash")
    game.deal.forfeit(2, "time")
    while not game.deal.over:
        game.deal.apply(game.deal.seat, first_action(game.deal, game.deal.seat))
    assert game.over
    assert game.places == [1, 2, 2]
    assert game.winner == 0


def test_who_is_out_of_the_game_earlier_has_the_worse_place() -> None:
    game = Game(load("faraon", lives=2), 4, "places")
    fallen: list[int] = []
    while not game.over:
        finished_deal(game)
        fallen += [seat for seat, left in enumerate(game.lives or []) if not left and seat not in fallen]
        if not game.over:
            game.next()
    assert [game.places[seat] for seat in fallen] == [4, 3, 2]
    assert game.places[game.winner or 0] == 1


def finished_deal(game: Game) -> None:
    while not game.deal.over:
        game.deal.apply(game.deal.seat, first_action(game.deal, game.deal.seat))
