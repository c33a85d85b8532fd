"""Watchers' view of a deal: each event with the cards in each hand after it."""

from __future__ import annotations

from maumau import wire
from maumau.game import Deal, deal_by_hand, load
from maumau.protocol.live import make_live_piece

MAU_MAU = ({0: "7S 9S KD", 1: "8D 9H TS"}, "AS", "QC QD KC KH JD TH")
PLAYED = [  # the player, the action, and the cards that A and B hold after each event of it
    (0, "7S", {"A 7S": (2, 3)}),
    (1, "take", {"B take": (2, 3), "B +2": (2, 5)}),
    (1, "TS", {"B TS": (2, 4)}),
    (0, "9S!", {"A 9S!": (1, 4)}),
    (1, "9H", {"B 9H": (1, 3)}),
    (0, "draw", {"A draw": (2, 3)}),
]


def told(deal: Deal, start: int = 0) -> list[tuple[str, tuple[int, ...]]]:
    """Return the events as a watcher gets them over the wire, each with its hands."""
    one = wire.live_deal(wire.live_message(make_live_piece(deal, 0, 0, start)))
    seats = len(one.entrants)
    hands = [tuple(one.counts[at : at + seats]) for at in range(0, len(one.counts), seats)]
    return list(zip(one.events, hands, strict=True))


def test_each_event_comes_with_the_hands_after_it_and_not_with_those_at_the_end() -> None:
    deal = deal_by_hand(load("mau_mau"), *MAU_MAU)
    expected = [("up AS", (3, 3))]
    for seat, action, events in PLAYED:
        deal.apply(seat, action)
        expected += events.items()
    assert told(deal) == expected
    assert told(deal, 4) == expected[4:]


def test_a_lie_that_is_found_out_goes_back_to_the_hand_it_came_from() -> None:
    deal = deal_by_hand(load("prsi_blind"), {0: "7S 9S KD", 1: "8D 9H TS"}, "8S", "QC QD KC KH JD TH")
    deal.apply(0, "KD~9S")
    deal.apply(1, "doubt")
    assert told(deal) == [
        ("up 8S", (3, 3)),
        ("A ~9S", (2, 3)),
        ("B doubt", (2, 3)),
        ("A shows KD", (3, 3)),
        ("A +1", (4, 3)),
    ]


def test_a_card_that_is_claimed_truly_stays_on_the_pile() -> None:
    deal = deal_by_hand(load("prsi_blind"), {0: "7S 9S KD", 1: "8D 9H TS"}, "8S", "QC QD KC KH JD TH")
    deal.apply(0, "9S~9S")
    deal.apply(1, "doubt")
    assert told(deal)[:5] == [
        ("up 8S", (3, 3)),
        ("A ~9S", (2, 3)),
        ("B doubt", (2, 3)),
        ("A shows 9S", (2, 3)),
        ("B +1", (2, 4)),
    ]
