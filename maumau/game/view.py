"""The view of one seat: built from its own hand and open cards, never by removing hidden parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET, UnsetType

from maumau.game.notation.cards import NAMES, RANKS, STRIDE, SUITS, list_names
from maumau.game.notation.event import Secret
from maumau.game.seen import Accused, View
from maumau.game.swiss import plenum

if TYPE_CHECKING:
    from maumau.game.deal import Deal

TURN: Final = ("draw", "take", "skip", "pass")  # prefixes of the actions in a turn that lay no card


def build_view(d: Deal, seat: int, start: int = 0) -> View:
    """Return the seat's present view; `events` from event number `start` on (0: all it has seen)."""
    legal = d.legal(seat)
    fields: dict[str, Any] = {}
    for feature in d.compiled.hooks.describe:
        fields |= feature.describe(d)
    due = {}
    if d.hands[seat].bit_count() <= d.compiled.largest_hand_owing_call:
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
        shown=[NAMES[(card.bit_length() - 1) % STRIDE] for card in d.made.cut] if d.asks == "keep" else UNSET,
        drawn=NAMES[legal[0].cards[0]] if d.asks == "rescue" and legal else UNSET,
        accused=_describe_accused(d),
        after=_get_last_action(d) if d.asks == "window" and seat in d.to_act else UNSET,
        added=list(d.rules.added) if d.rules.variant.rule else UNSET,
        totals=UNSET if d.made.totals is None else d.made.totals,
        lives=UNSET if d.made.lives is None else d.made.lives,
        **fields,
    )


def _describe_accused(d: Deal) -> Accused | UnsetType:
    """Return the accuser, the accused and the violation in an appeal and a vote."""
    charge = plenum.get_current_charge(d)
    return UNSET if charge is None else Accused(charge.by, charge.violation.seat, charge.violation.kind)


def _get_last_action(d: Deal) -> str | UnsetType:
    """Return the last action in a turn, for a view in a window."""
    for event in reversed(d.log):
        who, _, said = (event.shown if isinstance(event, Secret) else event).partition(" ")
        word = said.partition(" ")[0]
        if len(who) == 1 and (word[0] in f"{RANKS}X" or word.startswith(TURN)):
            return word
    return UNSET
