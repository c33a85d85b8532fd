"""What must hold of any deal at any time, whatever its variant and options."""

from __future__ import annotations

import random

from maumau.game import Deal, record, replay
from maumau.game.blind import Claim
from maumau.game.cards import split_cards
from maumau.game.event import Covered, Event, Secret
from tests.game.play import step


def cards_of(d: Deal) -> list[int]:
    """Where each card lies: the hands, the stock, the top card and the pile."""
    return [*d.hands, d.stock, d.topmost, d.claimed.card if d.claimed else 0, *lying(d)]


def lying(d: Deal) -> list[int]:
    """The penalty cards in front of each seat."""
    if d.court is None:
        return []
    return [sum(bit for _, bit in side) | ripe for side, ripe in zip(d.court.side, d.court.ripe, strict=True)]


def conserved(d: Deal) -> None:
    """No card is lost or doubled."""
    held = 0
    for place in cards_of(d):
        assert not held & place
        held |= place
    assert not held & ~d.full
    assert d.court is None or d.court.lying == sum(lying(d))


def replays(d: Deal, rng: random.Random) -> None:
    """Its record, played again, gives the same state."""
    while d.asks in ("vote", "react"):  # told when all have answered
        step(d, rng)
    while d.window is not None and d.window.replies:  # who has replied to an open window is not recorded
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
    """The deal with cards that the seat cannot see changed about: other hands, the stock, what is face down.

    What others saw of them in events is another card, too.
    """
    twin = d.copy()
    others = [other for other in range(d.seats) if other != seat]
    hidden = d.stock | sum(d.hands[o] for o in others)
    pool = list(split_cards(d.full & ~d.hands[seat] if d.compiled.blind else hidden | sum(lying(d))))
    rng.shuffle(pool)
    for other in others:
        count = d.hands[other].bit_count()
        twin.hands[other] = sum(pool[:count])
        del pool[:count]
    twin.stock = sum(pool[: d.stock.bit_count()])
    del pool[: d.stock.bit_count()]
    if twin.court is not None:  # not even their owner has seen what lies in front of him
        twin.court.lying = sum(pool)
        for place, side in enumerate(twin.court.side):
            twin.court.side[place] = tuple((zug, pool.pop()) for zug, _ in side)
            twin.court.ripe[place] = sum(pool.pop() for _ in split_cards(twin.court.ripe[place]))
    if d.compiled.blind:
        twin.topmost = pool.pop()
        if d.claimed:
            twin.claimed = Claim(d, d.claimed.seat, pool.pop(), d.claimed.action)
    twin.log = [other_card(event, seat) for event in d.log]
    return twin


def other_card(event: Event, seat: int) -> Event:
    """An event of which the seat does not see everything, with other hidden cards."""
    if isinstance(event, str) or event.owner == seat:
        return event
    if isinstance(event, Covered):
        return Covered(event.owner, ("7C" if event.said[:2] != "7C" else "AD") + event.said[2:])
    return Secret(event.seat, [1 if bit > 1 else 2 for bit in event.drawn], event.said, event.owner)
