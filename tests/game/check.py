"""Invariants of any deal at any time, for all variants and options."""

from __future__ import annotations

import random

from maumau.game import Deal, record, replay
from maumau.game.features.blind import make_claim
from maumau.game.model.state import edit_features
from maumau.game.notation.cards import split_cards
from maumau.game.notation.event import Covered, Event, Secret
from tests.game.play import step


def cards_of(d: Deal) -> list[int]:
    """Return the cards of each place: the hands, the stock, the top card and the pile."""
    claimed = d.features.claimed
    return [*d.hands, d.stock, d.topmost, claimed.card if claimed else 0, *lying(d)]


def lying(d: Deal) -> list[int]:
    """Return the penalty cards in front of each seat."""
    return [sum(bit for _, bit in side) | ripe for side, ripe in zip(d.court.side, d.court.ripe, strict=True)]


def conserved(d: Deal) -> None:
    """No card is lost or doubled."""
    held = 0
    for place in cards_of(d):
        assert not held & place
        held |= place
    assert not held & ~d.made.full
    assert d.court.lying == sum(lying(d))


def replays(d: Deal, rng: random.Random) -> None:
    """Check that its record, played again, gives the same state."""
    while d.asks in ("vote", "react"):  # told when all have answered
        step(d, rng)
    while d.window is not None and d.window.replies:  # replies to an open window are not recorded
        d.apply(d.to_act[0], "hold")
    again = replay(record(d))
    assert record(again) == record(d)
    for one in (d, again):
        while one.asks in ("window", "appeal"):
            one.apply(one.to_act[0], "hold")
    assert [again.view(seat) for seat in range(d.seats)] == [d.view(seat) for seat in range(d.seats)]
    assert (again.hands, again.stock, again.top, again.over) == (d.hands, d.stock, d.top, d.over)


def hides(d: Deal, rng: random.Random) -> None:
    """Deals that differ only in what a seat cannot see give it equal views."""
    for seat in range(d.seats):
        if seat in d.to_act or d.over or d.asks == "window":
            assert swapped(d, seat, rng).view(seat) == d.view(seat)


def scored(d: Deal) -> None:
    """Places and points of a deal that is over are in their bounds."""
    assert len(d.places) == len(d.points) == d.seats
    assert set(d.places) <= set(range(1, d.seats + 1))
    assert min(d.places) == 1
    assert min(d.points) >= min([0, *(value for _, value in d.compiled.count.out)])
    if d.winner is not None:
        assert d.places[d.winner] == 1


def swapped(d: Deal, seat: int, rng: random.Random) -> Deal:
    """Return the deal with hidden cards exchanged: other hands, the stock, cards face down.

    What others saw of them in events is another card, too.
    """
    twin = d.copy()
    others = [other for other in range(d.seats) if other != seat]
    hidden = d.stock | sum(d.hands[o] for o in others)
    if d.compiled.blind.applies:
        hidden = d.made.full & ~d.hands[seat]
    pool = list(split_cards(hidden | sum(lying(d))))
    rng.shuffle(pool)
    for other in others:
        count = d.hands[other].bit_count()
        twin.hands[other] = sum(pool[:count])
        del pool[:count]
    twin.stock = sum(pool[: d.stock.bit_count()])
    del pool[: d.stock.bit_count()]
    if d.compiled.law.applies:  # not even their owner has seen what lies in front of him
        twin.court.lying = sum(pool)
        for place, side in enumerate(twin.court.side):
            twin.court.side[place] = tuple((zug, pool.pop()) for zug, _ in side)
            twin.court.ripe[place] = sum(pool.pop() for _ in split_cards(twin.court.ripe[place]))
    if d.compiled.blind.applies:
        twin.topmost = pool.pop()
        claimed = d.features.claimed
        if claimed:
            edit_features(twin).claimed = make_claim(d, claimed.seat, pool.pop(), claimed.action)
    twin.log = [other_card(event, seat) for event in d.log]
    return twin


def other_card(event: Event, seat: int) -> Event:
    """Return an event of which the seat does not see everything, with other hidden cards."""
    if isinstance(event, str) or event.owner == seat:
        return event
    if isinstance(event, Covered):
        return Covered(event.owner, ("7C" if event.said[:2] != "7C" else "AD") + event.said[2:])
    return Secret(event.seat, [1 if bit > 1 else 2 for bit in event.drawn], event.said, event.owner)
