"""Whole games at the table: seatings permuted have the same deals, side by side or one after the other."""

from __future__ import annotations

import pytest

from maumau.game import event_lines, load, replay, resume
from maumau.game.model.chance import deal_seed
from maumau.game.resume import count_events, split_deals
from maumau.protocol.limit import RunLimits
from maumau.referee.pace import REFERENCE, Pace
from maumau.referee.place import SeatPlace
from maumau.referee.player import ProgramPlayer
from tests.bot.conftest import SEEDS

TWO = {"rounds": 2, "max_hands": 2}
AMPLE = {"game": True, "deal_ms": 20_000}  # time enough on any host
POINTS = {"scoring": True, "target": 60, "max_hands": 40}


def list_games(outcome):
    return [deal for each in outcome.sets for deal in each.deals]


@pytest.mark.sample
@pytest.mark.parametrize("seats", [2, 3])
def test_each_seating_has_the_deals_of_the_same_seeds(play, seats):
    outcome = play(*("good" for _ in range(seats)), sets=2, options=TWO, **AMPLE)
    for one, seed in zip(outcome.sets, SEEDS, strict=False):
        for seating, played in enumerate(one.deals):
            assert played.seats == [(seat + seating) % seats for seat in range(seats)]
            deals = [replay(text) for text in split_deals(played.record)]
            assert [deal.seed.text for deal in deals] == [deal_seed(seed, 0), deal_seed(seed, 1)]
            assert [deal.made.first for deal in deals] == [0, 1]


@pytest.mark.long
def test_a_game_ends_with_the_deal_that_reaches_its_target(play):
    for played in list_games(play("good", "good", sets=2, options=POINTS, **AMPLE)):
        totals = [0, 0]
        for text in split_deals(played.record):
            assert max(totals) < 60
            totals = [total + now for total, now in zip(totals, replay(text).points, strict=True)]
        assert totals == played.points
        assert max(totals) >= 60
        assert played.places == [1 + (totals[0] > totals[1]), 1 + (totals[1] > totals[0])]
        assert resume(played.record).over


@pytest.mark.long
def test_games_side_by_side_are_those_one_after_the_other(play, submit, mark):
    toml = f'run = ["python3", "bot.py", "{mark}"]\nconcurrent = 4\n'
    many = play(submit("good", toml=toml), submit("good", toml=toml), sets=3, options=TWO, **AMPLE)
    one = play("good", "good", sets=3, options=TWO, **AMPLE)
    assert [game.record for game in list_games(one)] == [game.record for game in list_games(many)]


@pytest.mark.parametrize("later", [0.7, 1.0, 1.3])
def test_time_granted_for_a_game_is_taken_back_as_it_was_granted(later):
    """At pace 1 and 2 two deals of 100 ms bring 3 times as many seconds as one of them alone at pace 1."""
    pace = Pace(probe=lambda: REFERENCE)
    limits = RunLimits(wall_factor=5)
    player = ProgramPlayer(SeatPlace(None, 0, 0, bytes), None, limits, 0.4, pace)
    before = player.bank, player.wall
    player.extend_bank(3, 0.1)
    pace.now = 2.0
    player.extend_bank(3, 0.1)
    assert player.wall - before[1] == pytest.approx(3 * 0.1 * 5)
    pace.now = later
    player.return_time(3)
    assert (player.bank, player.wall) == pytest.approx(before)


def test_the_time_of_deals_that_stay_is_not_given_back_with_those_behind_them():
    """Of three deals, which took 10, 20 and 40 ms, two stay: 40 ms come back, less the last one's 100."""
    limits, pace = RunLimits(wall_factor=5), Pace(probe=lambda: REFERENCE)
    player = ProgramPlayer(SeatPlace(None, 0, 0, bytes), None, limits, 0.4, pace)
    for took, waited in ((0.01, 0.1), (0.02, 0.2)):
        player.deals[3] += took
        player._waits[3] += waited
        player.extend_bank(3, 0.1)
    player.deals[3] += 0.04
    player._waits[3] += 0.4
    bank, wall = player.bank, player.wall
    for _ in range(2):  # the second time there is nothing left to return
        player.return_time(3, 2)
        assert (player.bank, player.wall) == pytest.approx((bank + 0.04 - 0.1, wall + 0.4 - 0.1 * 5))
    player.return_time(3)
    assert (player.bank, player.wall) == pytest.approx((bank + 0.07 - 0.2, wall + 0.7 - 0.2 * 5))


def test_five_faults_lose_the_game_and_end_it(play, faults):
    """The target is far: only the game's loss ends it after the fifth fault and one deal unplayed."""
    outcome = play("garbage", "good", sets=1, options=POINTS | {"target": 5000, "max_hands": 200}, **AMPLE)
    for played in list_games(outcome):
        bad = played.seats.index(0)
        assert played.places[bad] == 2
        assert [fault.kind for fault in played.faults] == ["unreadable"] * 5 + ["forfeit"]
        assert len(split_deals(played.record)) == 6
    assert len(faults(outcome)) == 12


def test_events_of_a_deal_are_counted_as_the_record_has_them(play):
    for played in list_games(play("good", "good", sets=1, options=TWO, **AMPLE)):
        for text in split_deals(played.record):
            assert count_events(text) == event_lines(replay(text))[-1]
    assert load("mau_mau", **TWO).number("rounds") == 2
