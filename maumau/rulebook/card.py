"""Effects of cards in words: one phrase for each field of a variant's card clauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from maumau.game.notation.cards import list_codes
from maumau.game.ruleset.clause import Card
from maumau.game.ruleset.power import select_cards
from maumau.rulebook.name import count_things, name_any_card, say_nothing

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
    "draw_until": "a player who has none that fits draws until a card covers it, and lays that card",
}
AGAIN: Final = {
    "end": "its player may lay one more card that fits",
    "draw1": "its player may lay one more card that fits; without one they draw a card",
}
LAST: Final = {
    "draw1_may_play": "as the last card it does not win: its player draws a card and may cover it with that",
    "draw1_end": "as the last card it does not win: its player draws a card, and their turn is over",
    "draw_until": "as the last card it does not win: its player draws until a card covers it, and lays that",
    "illegal": "may not be the last card",
    "illegal_draw": "may not be the last card; a player who has no other draws",
    "allowed": "may be the last card",
    "chain": "as the last card it may be followed by more, each player in turn laying one or declining",
}


ROUND: Final = (
    "a player who has another one may begin a round with it, in which everybody lays one or draws a card, "
    "until that player announces with one that it ends"
)


def _tell_owe(card: Card) -> str:
    if not card.owe or not isinstance(card.owe, int):
        return ""
    each = " for each of them laid together" if card.each else ""
    sum_up = "the cards owed double" if card.doubles else "the cards owed add up"
    answer = f", or answers with {name_any_card(card.answer)}, and {sum_up}" if card.answer else ""
    return f"the next player takes {count_things(card.owe)}{each}{answer}; {AFTER[card.after or 'turn_ends']}"


def _tell_skip(card: Card) -> str:
    if not card.skip:
        return ""
    answer = f", or answers with {name_any_card(card.answer)}" if card.answer else ""
    text = SKIP["none" if not card.answer else card.skip].format(answer=answer)
    text += " and cannot avert it" if not card.answer else ""
    return f"{text}; of several laid together each counts" if card.each else text


def _tell_wild(card: Card) -> str:
    if not card.wild:
        return ""
    barred = _tell_exception(card)
    return f"may be laid on any card{barred}; {NAMES[card.names or 'suit']}"


def _tell_exception(card: Card) -> str:
    return f" except {name_any_card(card.not_on)}, where it must fit" if card.not_on else ""


def _tell_mirror(card: Card) -> str:
    return (
        f"may be laid on any card{_tell_exception(card)}, and counts as the card below it"
        if card.mirror
        else ""
    )


def _tell_target(card: Card) -> str:
    if not card.target:
        return ""
    nobody = ", or nobody" if card.optional is True else ""
    return f"its player chooses another player, who takes {count_things(card.target)}{nobody}"


def _tell_swap(card: Card) -> str:
    if not card.swap:
        return ""
    return f"laid on {name_any_card(card.swap)}, its player chooses another player and they swap hands"


def _tell_last_card(card: Card) -> str:
    if not card.last:
        return ""
    price = (
        f"; each adds {count_things(card.chain)} for the player whom the chain reaches" if card.chain else ""
    )
    return f"{LAST[card.last]}{price}"


# every field of a card clause, in the order in which a card's effects are told
PHRASES: Final[dict[str, Phrase]] = {
    "plain": say_nothing,  # earlier effects are dropped: without others it is an ordinary card
    "wild": _tell_wild,
    "not_on": say_nothing,  # described with wild and mirror
    "names": lambda card: NAMES[card.names] if card.names and not card.wild else "",
    "anytime": lambda card: "may be laid in any turn without fitting" if card.anytime else "",
    "mirror": _tell_mirror,
    "reverse": lambda card: "the direction of play is reversed" if card.reverse else "",
    "cancel": lambda card: "cards owed and turns to be missed are cancelled" if card.cancel else "",
    "owe": _tell_owe,
    "doubles": say_nothing,  # told with owe
    "answer": say_nothing,  # told with owe and skip
    "after": say_nothing,  # told with owe
    "each": say_nothing,  # told with owe and skip
    "skip": _tell_skip,
    "others": lambda card: f"all other players take {count_things(card.others)}" if card.others else "",
    "target": _tell_target,
    "optional": say_nothing,  # told with target
    "swap": _tell_swap,
    "round": lambda card: ROUND if card.round else "",
    "touch": lambda card: (
        "everybody touches the edge of the table, and the slowest gets a penalty card" if card.touch else ""
    ),
    "joined": lambda card: (
        "any player may throw in another one at once, even out of turn" if card.joined else ""
    ),
    "twin": lambda card: (
        "any player who holds the identical card may throw it in at once, even out of turn"
        if card.twin
        else ""
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
    "last": _tell_last_card,
    "chain": say_nothing,  # told with last
    "fine": lambda card: f"who lays it as the last card takes {count_things(card.fine)}" if card.fine else "",
}


def card_effects(card: Card) -> str:
    """Return a card's effects, separated by semicolons; a card without any is an ordinary card."""
    told = [phrase(card) for phrase in PHRASES.values()]
    return "; ".join(filter(None, told)) or "an ordinary card"


def merge_cards(entries: list[Card], pack: int) -> list[tuple[int, Card, list[str]]]:
    """Return groups of equal cards: their kinds, their effects, and the sources' words about them.

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
    return [_merge_equal(same, *found[same[0]]) for same in groups.values()]


def _merge_equal(same: list[int], values: dict[str, Any], quotes: list[str]) -> tuple[int, Card, list[str]]:
    return sum(1 << code for code in same), msgspec.convert({**values, "on": []}, Card), quotes
