"""What cards do, in words: one phrase for each field of a variant's card clauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from maumau.game.cards import list_codes
from maumau.game.clause import Card
from maumau.game.power import select_cards
from maumau.rulebook.name import count, elsewhere, several

Phrase = Callable[[Card], str]
AFTER: Final = {
    "turn_ends": "taking them ends the turn",
    "play_or_pass": "whoever takes them may then lay a card or pass",
    "full_turn": "whoever takes them then plays their turn as usual",
}
SKIP: Final = {
    "none": "the next player misses a turn",
    "pass_on": "the next player misses a turn{answer}, which passes the missed turn on",
    "accumulate": "the next player misses a turn{answer}, and the missed turns add up",
    "faraon": "the next player misses a turn{answer}, which averts their own and passes on the others",
}
NAMES: Final = {
    "suit": "its player names the suit that must follow",
    "player_chooses": "its player names any suit, which must follow",
    "free": "any card may follow",
    "no_change": "the suit that was in force before it must follow",
}
COVER: Final = {
    "draw1_may_play": "a player who has none that fits draws one card, and may lay it if it fits",
    "draw1_end": "a player who has none that fits draws one card, and their turn is over",
}
AGAIN: Final = {
    "end": "its player may lay one more card that fits",
    "draw1": "its player may lay one more card that fits; without one they draw a card",
}
LAST: Final = {
    "draw1_may_play": "as the last card it does not win: its player draws a card and may cover it with that",
    "draw1_end": "as the last card it does not win: its player draws a card, and their turn is over",
    "illegal": "may not be the last card",
    "illegal_draw": "may not be the last card; a player who has no other draws",
    "allowed": "may be the last card",
    "chain": "as the last card it may be followed by more, each player in turn laying one or declining",
}


ROUND: Final = (
    "a player who has another one may begin a round with it, in which everybody lays one or draws a card, "
    "until that player announces with one that it ends"
)


def _owe(card: Card) -> str:
    if not card.owe or not isinstance(card.owe, int):
        return ""
    each = " for each of them laid together" if card.each else ""
    answer = f", or answers with {several(card.answer)}, and the cards owed add up" if card.answer else ""
    return f"the next player takes {count(card.owe)}{each}{answer}; {AFTER[card.after or 'turn_ends']}"


def _skip(card: Card) -> str:
    if not card.skip:
        return ""
    answer = f", or answers with {several(card.answer)}" if card.answer else ""
    text = SKIP["none" if not card.answer else card.skip].format(answer=answer)
    text += " and cannot avert it" if not card.answer else ""
    return f"{text}; of several laid together each counts" if card.each else text


def _wild(card: Card) -> str:
    if not card.wild:
        return ""
    barred = _but(card)
    return f"may be laid on any card{barred}; {NAMES[card.names or 'suit']}"


def _but(card: Card) -> str:
    return f" except {several(card.not_on)}, where it must fit" if card.not_on else ""


def _mirror(card: Card) -> str:
    return f"may be laid on any card{_but(card)}, and counts as the card below it" if card.mirror else ""


def _target(card: Card) -> str:
    if not card.target:
        return ""
    nobody = ", or nobody" if card.optional is True else ""
    return f"its player chooses another player, who takes {count(card.target)}{nobody}"


# every field of a card clause, in the order in which a card's effects are told
PHRASES: Final[dict[str, Phrase]] = {
    "plain": elsewhere,  # what it did until then is forgotten: without more it is an ordinary card
    "wild": _wild,
    "not_on": elsewhere,  # told with wild and mirror
    "names": lambda card: NAMES[card.names] if card.names and not card.wild else "",
    "anytime": lambda card: "may be laid in any turn without fitting" if card.anytime else "",
    "mirror": _mirror,
    "reverse": lambda card: "the direction of play is reversed" if card.reverse else "",
    "cancel": lambda card: "cards owed and turns to be missed are cancelled" if card.cancel else "",
    "owe": _owe,
    "answer": elsewhere,  # told with owe and skip
    "after": elsewhere,  # told with owe
    "each": elsewhere,  # told with owe and skip
    "skip": _skip,
    "others": lambda card: f"all other players take {count(card.others)}" if card.others else "",
    "target": _target,
    "optional": elsewhere,  # told with target
    "round": lambda card: ROUND if card.round else "",
    "touch": lambda card: (
        "everybody touches the edge of the table, and the slowest gets a penalty card" if card.touch else ""
    ),
    "joined": lambda card: (
        "any player may throw in another one at once, even out of turn" if card.joined else ""
    ),
    "twisted": lambda card: "the suit named changes to the other one of its colour" if card.twisted else "",
    "late": lambda card: (
        "the direction of play is reversed when its player's turn is over" if card.late else ""
    ),
    "turn": lambda card: "its player has another turn" if card.turn else "",
    "cover": lambda card: f"one more card must be laid on it; {COVER[card.cover]}" if card.cover else "",
    "again": lambda card: AGAIN[card.again] if card.again else "",
    "anywhere": lambda card: (
        "this also applies when it lies below others laid with it" if card.anywhere else ""
    ),
    "last": lambda card: LAST[card.last] if card.last else "",
    "fine": lambda card: f"who lays it as the last card takes {count(card.fine)}" if card.fine else "",
}


def words(card: Card) -> str:
    """What a card does, its effects parted by semicolons; a card that does nothing is an ordinary card."""
    told = [phrase(card) for phrase in PHRASES.values()]
    return "; ".join(filter(None, told)) or "an ordinary card"


def merged(entries: list[Card], pack: int) -> list[tuple[int, Card, list[str]]]:
    """The cards that do the same: which, as kinds, what they do, and what the sources say of it.

    Later entries add to and override earlier ones for the same card.
    """
    found: dict[int, tuple[dict[str, Any], list[str]]] = {}
    for entry in entries:
        for code in list_codes(select_cards(entry.on) & pack):
            values, quotes = found.setdefault(code, ({}, []))
            if entry.plain:
                values.clear()
                quotes.clear()
            values |= {name: value for name in PHRASES if (value := getattr(entry, name)) is not None}
            quotes += [entry.says] if entry.says and entry.says not in quotes else []
    groups: dict[str, list[int]] = {}
    for code, (values, quotes) in found.items():
        groups.setdefault(repr((sorted(values.items()), quotes)), []).append(code)
    return [_together(same, *found[same[0]]) for same in groups.values()]


def _together(same: list[int], values: dict[str, Any], quotes: list[str]) -> tuple[int, Card, list[str]]:
    return sum(1 << code for code in same), msgspec.convert({**values, "on": []}, Card), quotes
