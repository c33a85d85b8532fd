"""What one seat may see: built up from its own hand and what lies open, never cut down from the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import UNSET, UnsetType

from maumau.game import plenum, side
from maumau.game.cards import NAMES, RANKS, STRIDE, SUITS, list_names
from maumau.game.event import Secret
from maumau.game.seen import Accused, View
from maumau.game.state import NOBODY

if TYPE_CHECKING:
    from maumau.game.deal import Deal

TURN: Final = ("draw", "take", "skip", "pass")  # how what one does in a turn begins, but for the cards


def build_view(d: Deal, seat: int, start: int = 0) -> View:
    """What this seat sees now; `events` from event number `start` on (0: everything it has seen)."""
    legal = d.legal(seat)
    due = {}
    if d.hands[seat].bit_count() <= d.largest_hand_owing_call:
        due = {str(action): word for action in legal if (word := d.due(seat, action))}
    return View(
        ask=d.asks if seat in d.to_act else "",
        seat=seat,
        hand=list_names(d.hands[seat]),
        top=NAMES[d.top] if d.top >= 0 else None,
        wish=SUITS[d.wish] if d.wish >= 0 else None,
        owed=d.owed,
        skips=d.skips,
        direction=d.direction,
        counts=[hand.bit_count() for hand in d.hands],
        stock=d.stock.bit_count(),
        out=d.out[:],
        legal=[action.text for action in legal],
        call=due,
        events=d.seen(seat, start),
        also=d.also(seat) or UNSET,
        shown=[NAMES[(card.bit_length() - 1) % STRIDE] for card in d.cut] if d.asks == "keep" else UNSET,
        drawn=NAMES[legal[0].cards[0]] if d.asks == "rescue" and legal else UNSET,
        claim=NAMES[d.claimed.action.claim] if d.claimed else UNSET,
        by=d.claimed.seat if d.claimed else UNSET,
        side=side.count_penalty_cards(d) or UNSET,
        accused=_describe_accused(d),
        queens=(None if d.queens == NOBODY else d.queens) if d.compiled.queens else UNSET,
        after=_get_last_action(d) if d.asks == "window" and seat in d.to_act else UNSET,
        added=list(d.rules.added) if d.rules.variant.rule else UNSET,
        totals=UNSET if d.totals is None else d.totals,
        lives=UNSET if d.lives is None else d.lives,
    )


def _describe_accused(d: Deal) -> Accused | UnsetType:
    """In an appeal and a vote: who is accused of what, and by whom."""
    charge = plenum.get_current_charge(d)
    return UNSET if charge is None else Accused(charge.by, charge.violation.seat, charge.violation.kind)


def _get_last_action(d: Deal) -> str | UnsetType:
    """In a window: the last thing that somebody has done in a turn."""
    for event in reversed(d.log):
        who, _, said = (event.shown if isinstance(event, Secret) else event).partition(" ")
        word = said.partition(" ")[0]
        if len(who) == 1 and (word[0] in f"{RANKS}X" or word.startswith(TURN)):
            return word
    return UNSET
