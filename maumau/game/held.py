"""How many cards each seat holds after each event, worked back from the hands as they are now."""

from __future__ import annotations

import re
from typing import Final

from maumau.game.action import SEATS
from maumau.game.event import NOONE, Covered, Event, Exchanged, Secret
from maumau.game.state import State

_CARD: Final = r"(?:[2-9TJQKA][CSHD]|XX)"
_LAID: Final = re.compile(rf"(?:rescue:)?({_CARD}(?:\+{_CARD})*)(?![A-Za-z0-9])")


def counts_after(d: State, start: int = 0) -> list[list[int]]:
    """The cards in each hand, by seat, after each event from number `start` on."""
    now = [hand.bit_count() for hand in d.hands]
    found = []
    for at in range(len(d.log) - 1, start - 1, -1):
        found.append(now)
        now = _count_before(d, at, now)
    return found[::-1]


def _count_before(d: State, at: int, after: list[int]) -> list[int]:
    event = d.log[at]
    letter, _, said = (event if isinstance(event, str) else event.shown).partition(" ")
    if said.startswith("keep:"):  # the cards are dealt when the cut is decided
        return [0] * d.seats
    seat = SEATS.index(letter) if len(letter) == 1 else None
    if seat is None:
        return after
    before = after.copy()
    before[seat] -= _get_hand_change(d, at, event, said)
    return before


def _get_hand_change(d: State, at: int, event: Event, said: str) -> int:
    """By how many cards this event changes the hand of its seat."""
    if isinstance(event, Covered):
        return 0 if d.over and not _is_decided(d, at) else -1  # at the end it is its player's again
    if isinstance(event, Secret):
        lost = event.lost if isinstance(event, Exchanged) else 0
        return 0 if event.owner == NOONE else sum(map(bool, event.drawn)) - lost
    if said.startswith("back "):
        return 1
    if said.startswith("shows "):
        return int(_is_caught(d, at, said))
    laid = _LAID.match(said)
    return -1 - laid[1].count("+") if laid else 0


def _is_decided(d: State, at: int) -> bool:
    """Whether the card laid face down in this event was believed or doubted."""
    return any(isinstance(event, str) and event[2:].startswith(("accept", "doubt")) for event in d.log[at:])


def _is_caught(d: State, at: int, said: str) -> bool:
    """Whether the card shown here is a claimed one that was another, and goes back to its player's hand."""
    rule = d.compiled.blind
    if rule is None or not rule.caught_return:
        return False
    claim = next((event for event in d.log[at::-1] if isinstance(event, Covered)), None)
    return claim is not None and f"~{said[6:]}" not in claim.shown
