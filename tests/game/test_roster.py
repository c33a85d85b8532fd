"""Joining and leaving between the deals of a game: "jederzeit zum Beginn bzw. Ende einer Runde"."""

from __future__ import annotations

import random

import pytest

from maumau.errors import BadDeal, GameOver
from maumau.game import Game, load, record_game, resume
from tests.game.play import step


def played(game: Game, rng: random.Random) -> Game:
    """Play to the end of the deal; return the game."""
    while not game.deal.over:
        step(game.deal, rng)
    return game


def test_who_leaves_is_dealt_nothing_and_keeps_his_points() -> None:
    rng = random.Random(1)
    game = played(Game(load("schweizer"), 5, "leave"), rng)
    before = game.total
    game.leave(2)
    game.leave(4)
    d = game.next()
    assert [len(hand) for hand in d.made.dealt] == [5, 5, 0, 5, 0]
    assert d.compiled.pack.packs == 1  # three players, and not five
    assert game.total == before
    while not d.over:
        assert not set(d.to_act) & {2, 4}
        step(d, rng)
    game.join(4)
    assert [len(hand) for hand in game.next().made.dealt] == [5, 5, 0, 5, 5]


def test_who_joins_begins_without_points() -> None:
    rng = random.Random(2)
    game = played(Game(load("schweizer"), 4, "join"), rng)
    assert (game.join(), game.join()) == (4, 5)
    d = game.next()
    assert (d.seats, d.compiled.pack.packs) == (6, 2)
    assert d.view(5).totals == game.total
    assert game.total[4:] == [0, 0]
    assert played(game, rng).seats == 6


def test_nobody_joins_or_leaves_during_a_deal() -> None:
    game = Game(load("schweizer"), 3, "during")
    for change in (game.join, lambda: game.leave(0)):
        with pytest.raises(GameOver):
            change()


def test_a_table_is_never_too_small_nor_too_large() -> None:
    game = played(Game(load("schweizer"), 2, "small"), random.Random(3))
    with pytest.raises(BadDeal, match="by 2 at least"):
        game.leave(0)
    for _ in range(8):
        game.join()
    with pytest.raises(BadDeal, match="by 10 at most"):
        game.join()
    for seat in (0, 11, -1):
        with pytest.raises(BadDeal, match="has not left"):
            game.join(seat)
    with pytest.raises(BadDeal, match="seat 11 is not in the game"):
        game.leave(11)


@pytest.mark.parametrize("seed", range(4))
def test_a_game_with_comings_and_goings_is_resumed_from_its_record(seed: int) -> None:
    rng = random.Random(seed)
    game = Game(load("schweizer", target=6), 3, f"roster {seed}")
    for _ in range(8):
        played(game, rng)
        assert record_game(resume(record_game(game))) == record_game(game)
        if game.over:
            break
        here = [seat for seat in range(game.seats) if seat not in game.away]
        if rng.random() < 0.5 and len(here) > 2:
            game.leave(rng.choice(here))
        if game.away and rng.random() < 0.5:
            game.join(rng.choice(sorted(game.away)))
        elif game.seats < 6:
            game.join()
        game.next()
