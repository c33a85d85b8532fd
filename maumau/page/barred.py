"""Reasons why a card of the hand may not be laid now, from the rules and what its seat sees. Pure.

Nothing here reads a deal: the question that a seat is asked, with its view, and the rules are enough, so
that no reason can tell what the seat may not know. `Bar.kind` stands for a sentence of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from maumau.errors import UnreadableAction
from maumau.game.model.compiled import CompiledRules
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.cards import JOKER, NAMES, SUITS, code_of, merge_copies, rank_mask

FIRST_ANSWER: Final = ("wish", "doubt", "appeal", "vote", "react", "rule", "keep")
"""Questions that are answered without a card of the hand."""
BY_THE_WAY: Final = ("+", "side", "out", "accuse", "react", "shows", "back", "swaps", "!")
"""Beginnings of a seat's events that are not its action in a turn."""


class Bar(Struct, frozen=True):
    """A reason. card: the one that it is about. cards: those that would do, one copy of each kind.

    top: the card that counts. suit: the one in force. n: the cards owed.
    """

    kind: str
    card: str = ""
    cards: int = 0
    top: str = ""
    suit: str = ""
    n: int = 0


def bar_cards(compiled: CompiledRules, seen: Mapping[str, Any]) -> dict[str, Bar]:
    """Return, by card of the hand, why it may not be laid; cards that may be laid are left out."""
    actions = _read_actions(seen["legal"] if seen["ask"] else [])
    playable = {NAMES[one.cards[0]] for one in actions if one.cards and one.word in ("", "rescue")}
    barred = [card for card in dict.fromkeys(seen["hand"]) if card not in playable]
    return {card: _find_bar(compiled, seen, actions, card) for card in barred}


def bar_companion(compiled: CompiledRules, seen: Mapping[str, Any], bottom: str, card: str) -> Bar:
    """Return why a card may not be laid together with the one chosen first."""
    first, other = code_of(bottom), code_of(card)
    mirrored = compiled.powers[first].mirror and seen["top"]
    along = merge_copies(compiled.along[code_of(seen["top"]) if mirrored else first])
    if along >> other & 1:
        return Bar("with_last", card, top=bottom)
    beside = along & ~(1 << first)
    if not beside and compiled.pack.copies < 2:
        return Bar("with_none", card, top=bottom)
    if beside & ~rank_mask(first // 4):  # further cards of its suit may lie on it
        return Bar("with_suit", card, top=bottom, suit=SUITS[first % 4])
    return Bar("with_rank", card, top=bottom)


def _read_actions(texts: Sequence[str]) -> list[Action]:
    """Return the actions that this version can read."""
    found = []
    for text in texts:
        try:
            found.append(parse(text))
        except UnreadableAction:  # of a newer arena
            continue
    return found


def _find_bar(compiled: CompiledRules, seen: Mapping[str, Any], actions: Sequence[Action], card: str) -> Bar:
    ask = seen["ask"]
    if not ask:
        return Bar("not_asked", card)
    if ask in FIRST_ANSWER:
        return Bar(f"first_{ask}", card)
    offered = _collect(actions)
    if ask == "rescue":
        return Bar("rescue", card, offered)
    if ask == "window":
        return Bar("window" if offered else "window_none", card, offered)
    if ask in ("answer", "chain"):
        return _bar_answer(compiled, seen, card)
    return _bar_turn(compiled, seen, offered, card)


def _collect(actions: Sequence[Action]) -> int:
    """Return the cards that may be laid, alone or as the lowest of several."""
    codes = {one.cards[0] for one in actions if one.cards and one.word in ("", "rescue")}
    return sum(1 << code for code in codes)


def _bar_answer(compiled: CompiledRules, seen: Mapping[str, Any], card: str) -> Bar:
    """Return why a card does not answer the one on top."""
    top, owed = seen["top"], seen["owed"]
    answers = merge_copies(compiled.powers[code_of(top)].answer) & merge_copies(compiled.pack.full)
    if compiled.blind.applies or answers >> code_of(card) & 1:
        return _bar_last(compiled, seen, card) or Bar("other", card)
    kind = "chain" if seen["ask"] == "chain" else "owed" if owed else "miss"
    return Bar(kind if answers else f"{kind}_none", card, answers, top, n=owed)


def _bar_turn(compiled: CompiledRules, seen: Mapping[str, Any], offered: int, card: str) -> Bar:
    """Return why a card may not be laid in a turn."""
    fits, code = find_fitting_cards(compiled, seen), code_of(card)
    if compiled.blind.applies:
        return _bar_last(compiled, seen, card) or Bar("other", card)
    if offered & ~fits:  # the rules know more than the view tells
        return Bar("other", card)
    drawn = find_drawn_card(seen)
    if fits >> code & 1:
        return _bar_fitting(compiled, seen, card, drawn)
    if isinstance(seen.get("queens"), int):
        return Bar("queens", card, fits)
    return _bar_unfitting(compiled, seen, card)


def _bar_unfitting(compiled: CompiledRules, seen: Mapping[str, Any], card: str) -> Bar:
    """Return why a card does not fit the pile."""
    code, top = code_of(card), code_of(seen["top"])
    own, below = compiled.powers[code], compiled.powers[top]
    is_wild_on_wild = own.wild and below.wild and not compiled.wild_on_wild
    if is_wild_on_wild or ((own.wild or own.mirror) and own.not_on >> top & 1):
        return Bar("not_on", card, top=seen["top"])
    if seen["wish"]:
        return Bar("wished", card, suit=seen["wish"])
    alike = JOKER not in (code, top) and (code % 4 == top % 4 or code // 4 == top // 4)
    return Bar("other" if alike else "no_match", card, top=seen["top"])


def _bar_fitting(compiled: CompiledRules, seen: Mapping[str, Any], card: str, drawn: str) -> Bar:
    """Return why a card that fits the pile may not be laid all the same."""
    if drawn and card != drawn and compiled.drawing.until_playable and "draw" in seen["legal"]:
        return Bar("until", card)
    if drawn and card != drawn and compiled.drawing.may_play != "any":
        return Bar("drawn", card, 1 << code_of(drawn))
    if drawn and compiled.left.locks and len(seen["hand"]) == 2:
        return Bar("unsaid", card)
    return _bar_last(compiled, seen, card) or Bar("other", card)


def _bar_last(compiled: CompiledRules, seen: Mapping[str, Any], card: str) -> Bar | None:
    """Return why a card may not be the last one, if it is."""
    if len(seen["hand"]) != 1:
        return None
    barred, top = compiled.masks.barred, code_of(seen["top"])
    kinds = barred | compiled.masks.mirrors if barred >> top & 1 else barred
    if kinds >> code_of(card) & 1 and not compiled.blind.applies:
        return Bar("last", card)
    return Bar("unsaid", card) if compiled.left.locks else None


def find_fitting_cards(compiled: CompiledRules, seen: Mapping[str, Any]) -> int:
    """Return the kinds of card that fit the pile in a turn, as the seat can tell from its view."""
    if seen["top"] is None:
        return 0
    everything = merge_copies(compiled.pack.full)
    starter = seen.get("queens")
    if isinstance(starter, int):
        callers = any(compiled.queens.callers >> code_of(card) & 1 for card in seen["hand"])
        if starter != seen["seat"] or callers:
            return merge_copies(compiled.queens.playable)
    top, wish = code_of(seen["top"]), SUITS.index(seen["wish"]) if seen["wish"] else -1
    power = compiled.powers[top]
    if wish >= 0 or power.names == "free":
        return merge_copies(compiled.left_open(top, wish))
    is_open = power.wishes and (top == JOKER or compiled.dealing.start_wild == "free")
    return everything if is_open else merge_copies(compiled.match[top])


def find_drawn_card(seen: Mapping[str, Any]) -> str:
    """Return the card that the seat has drawn in this turn; "" if it has drawn none."""
    own = SEATS[seen["seat"]]
    for event in reversed(seen["events"]):
        who, _, said = event.partition(" ")
        if len(who) != 1 or said.startswith(BY_THE_WAY) or said.endswith(" in"):
            continue
        if who != own or not said.startswith("draw"):
            return ""
        card = said.rpartition(" ")[2]
        return card if card in NAMES else ""
    return ""
