"""Reasons why a card does not fit just now, in sentences. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maumau.game.notation.action import parse
from maumau.game.notation.cards import NAMES
from maumau.page.words import SUITS, show_cards
from maumau.screen.output import count_things

LAYING = ("turn", "answer", "cover", "again", "chain", "rescue")
"""Questions that a card of the hand may answer."""


def explain_card(question: Mapping[str, Any], card: str) -> str:
    """Return why this card may not be laid now.

    Args:
        question: A question of docs/reference/protocol.md.
        card: In notation; it is in no listed action.
    """
    if card not in question["hand"]:
        return f"You do not hold {show_cards(card)}."
    return f"{show_cards(card)}: {_find_reason(question, card)}."


def explain_hand(question: Mapping[str, Any]) -> str:
    """Return for every card of the hand that does not fit now why, cards with one reason together."""
    fits = list_fitting(question["legal"])
    reasons: dict[str, list[str]] = {}
    for card in dict.fromkeys(question["hand"]):
        if card not in fits:
            reasons.setdefault(_find_reason(question, card), []).append(card)
    if not reasons:
        return "Every card of your hand may be laid."
    return " ".join(
        f"{show_cards(' '.join(cards))}: {_find_reason(question, cards[0], several=len(cards) > 1)}."
        for cards in reasons.values()
    )


def list_fitting(legal: Sequence[str]) -> set[str]:
    """Return the cards that some legal action lays."""
    return {NAMES[code] for text in legal for code in parse(text).cards if parse(text).word in ("", "rescue")}


def _find_reason(question: Mapping[str, Any], card: str, *, several: bool = False) -> str:
    does, has, it = ("they do", "they have", "them") if several else ("it does", "it has", "it")
    owed, skips, top, wish = (question[key] for key in ("owed", "skips", "top", "wish"))
    if question["ask"] not in LAYING:
        return "no card is laid now; another question is open"
    if question["ask"] == "rescue":
        return "only the card just drawn may be laid now"
    if owed or skips:
        debt = f"take {count_things(owed, 'card')}" if owed else f"miss {count_things(skips, 'turn')}"
        return f"you must {debt}, and {does} not answer that"
    if wish and card[1] != wish:
        return f"{SUITS[wish]} is wished for"
    if not wish and top and top != "XX" and card != "XX" and not set(card) & set(top):
        return f"{has} neither the suit nor the rank of {show_cards(top)}"
    return f"the rules do not allow {it} {f'on {show_cards(top)} ' if top else ''}now (? shows them)"
