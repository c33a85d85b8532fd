"""Questions written straight from the deal are those that the view gives."""

from __future__ import annotations

from random import Random

import pytest

from maumau.game import bot_seed, deal, load, variants
from maumau.protocol.limit import RunLimits
from maumau.protocol.message import write_question
from maumau.protocol.question import has_usual_fields
from maumau.referee.pace import Pace
from maumau.referee.place import SeatPlace
from maumau.referee.play import DealPlay
from maumau.referee.player import ProgramPlayer
from tests.support.kinds import one_of

DEALS = 12
SILENT = 0.3  # probability of omitting a call that is owed, so that late calls are open
BANK_MS = 7123
ASKED = ProgramPlayer(SeatPlace(True, 0, 0, bytes), None, RunLimits(), 1.0, Pace())
"""A player with a program that is never started: only its questions are read."""


def plays(name, seats, **options):
    """Deals by chance, each with its play: before every decision (deal, play, seat, events told so far)."""
    chance, rules = Random(name), load(name, **options)
    for number in range(DEALS):
        d = deal(rules, seats, f"{name} {number}")
        play, told = DealPlay(d, 100 + number, number, d.seed.text, [ASKED] * seats), [-1] * seats
        while not d.over:
            for seat in d.to_act:
                yield d, play, seat, told[seat]
                told[seat] = len(d.log)
            for seat in d.to_act:
                action = chance.choice(d.legal(seat))
                d.apply(seat, action + ("" if chance.random() < SILENT else d.due(seat, action)))


def compare(name, seats, **options):
    """Compare all questions of some deals with the line of their view; return the questions."""
    asked = []
    for d, play, seat, told in plays(name, seats, **options):
        rng = bot_seed(d.seed.text, seat) if told < 0 else ""
        asked.append(play.question_line(seat, BANK_MS))
        assert asked[-1] == write_question(d.view(seat, max(told, 0)), play.number, rng, BANK_MS)
    return b"".join(asked)


@pytest.mark.sample(2)
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("name", one_of(4, variants()))
def test_every_question_is_the_line_of_the_view(name, seats):
    if not load(name).seats[0] <= seats <= load(name).seats[1]:
        pytest.skip("not at this table size")
    compare(name, seats)


def test_only_the_law_of_schweizer_needs_fields_of_its_own():
    """Elsewhere a line is written without a view, in half of the time."""
    dealt = {name: deal(load(name), load(name).seats[0], "usual") for name in variants()}
    assert {name for name, d in dealt.items() if not has_usual_fields(d)} == {"schweizer", "schweizer_2016"}
    assert not has_usual_fields(deal(load("mau_mau", detection="accuse"), 2, "accuse"))


def test_so_are_questions_with_late_calls_and_with_two_packs():
    assert b'"also":["!","!!"]' in compare("mau_mau", 3)
    assert b'"KC","KC"' in compare("mau_mau", 6)  # two packs at this size


def test_any_number_of_owed_cards_is_written():
    d = deal(load("mau_mau"), 2, "owed")
    d.owed, d.skips = 65_536, 3
    play = DealPlay(d, 0, 0, "owed", [ASKED] * 2)
    assert b'"owed":65536,"skips":3,"direction":1,' in play.question_line(d.seat, BANK_MS)
