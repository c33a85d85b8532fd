"""The number of cards in each hand after each event, computed backwards from the present hands."""

from __future__ import annotations

import re
from typing import Final

from maumau.game.model.state import State
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import CARD_PATTERN
from maumau.game.notation.event import NOONE, Covered, Event, Exchanged, Secret

_LAID: Final = re.compile(rf"(?:rescue:)?({CARD_PATTERN}(?:\+{CARD_PATTERN})*)(?![A-Za-z0-9])")


def counts_after(d: State, start: int = 0) -> list[list[int]]:
    """Return the cards in each hand, by seat, after each event from number `start` on."""
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
    if said.startswith("swaps "):
        other = SEATS.index(said[6:])
        before[seat], before[other] = after[other], after[seat]
        return before
    before[seat] -= _get_hand_change(d, at, event, said)
    return before


def _get_hand_change(d: State, at: int, event: Event, said: str) -> int:
    """Return the change in the number of cards of the event's seat."""
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
    """Return True if the card laid face down in this event was believed or doubted."""
    return any(isinstance(event, str) and event[2:].startswith(("accept", "doubt")) for event in d.log[at:])


def _is_caught(d: State, at: int, said: str) -> bool:
    """Return True if the card shown here proved a claim false and goes back to its player's hand."""
    rule = d.compiled.blind
    if not rule.caught_return:
        return False
    claim = next((event for event in d.log[at::-1] if isinstance(event, Covered)), None)
    return claim is not None and f"~{said[6:]}" not in claim.shown
