"""One deal after another, at a pace that people can follow; the score beside it is that of its match."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from maumau.screen.live_deal import line
from services.web.figures.deal_data import deal_data
from services.web.figures.shown_deal import PAUSE, STEP, DealWatch, ShownDeal, show_match, show_pairing
from services.web.public.home import Home, _with_table
from tests.support.fake import DEAL, a_match, a_pairing

LENGTH = STEP * len(DEAL.events) + PAUSE


def test_a_deal_is_shown_to_its_end_and_then_the_newest() -> None:
    now = [0.0]
    table = DealWatch(lambda: now[0])
    assert table.add_part(show_match("cup", a_match()), DEAL)
    for number in (1, 2, 3):
        assert not table.add_part(show_match("cup", a_match()), replace(DEAL, set=number))
    assert [table.shown.known(at) for at in (0, STEP * 1.5, 1000)] == [1, 2, len(DEAL.events)]
    now[0] = LENGTH
    assert table.advance_deal()
    assert table.shown.deal.set == 3


def test_pieces_are_joined_and_what_does_not_follow_is_passed_over() -> None:
    table = DealWatch(lambda: 0.0)
    half = replace(DEAL, events=DEAL.events[:4], counts=DEAL.counts[:8], places=(), points=())
    rest = replace(DEAL, start=4, events=DEAL.events[4:], counts=DEAL.counts[8:])
    table.add_part(show_match("cup", a_match()), half)
    assert not table.add_part(show_match("cup", a_match()), replace(rest, start=6))
    assert table.add_part(show_match("cup", a_match()), rest)
    assert not table.add_part(show_match("cup", a_match()), rest)
    assert table.shown.deal == DEAL


def test_the_score_is_of_the_match_at_the_table() -> None:
    now = [0.0]
    table = DealWatch(lambda: now[0])
    table.add_part(show_match("cup", a_match("1.1.1")), DEAL)
    other = show_match("cup", a_match("1.1.2"))
    assert _with_table(Home(), table, other).now.match.label == "1.1.1"
    now[0] = LENGTH
    assert _with_table(Home(), table, other) == Home((), other, ())


@pytest.mark.parametrize(
    ("game", "watched", "deal", "english", "german"),
    [
        (
            show_match("cup", a_match()),
            a_match(),
            DEAL,
            "one deal of this match: set 0, seating 0",
            "ein Spiel dieser Begegnung: Satz 0, Sitzordnung 0",
        ),
        (
            show_pairing("prsi", a_pairing("3.1", "greedy", "rollout")),
            a_match(),
            replace(DEAL, set=3, seating=1),
            "played on the ladder prsi: set 3, seating 1",
            "gespielt auf der Rangliste prsi: Satz 3, Sitzordnung 1",
        ),
    ],
)
def test_beside_a_deal_stands_which_one_it_is_with_the_numbers_of_commands(
    game, watched, deal, english, german
) -> None:
    shown = ShownDeal(game, deal, 0.0)
    assert deal_data(shown, 0.0, "en")["where"] == english
    assert deal_data(shown, 0.0, "de")["where"] == german
    assert english.partition(": ")[2] in line(deal, watched)
