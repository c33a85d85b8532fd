"""Sentences on options: builders of plain ones, and functions for those that depend on more than a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from maumau.game import Rules
from maumau.game.ruleset.option import Value
from maumau.game.ruleset.variant import Variant
from maumau.rulebook.name import NUMBER, RANK, count_things, list_words

Sentence = Callable[[Rules, Variant, Value], str]


def one_of(**sentences: str) -> Sentence:
    """Choose the sentence by the option's word; `true` and `false` stand for those values."""
    return lambda _rules, _variant, value: sentences[
        str(value).lower() if isinstance(value, bool) else str(value)
    ]


def number_of(sentence: str, thing: str = "", *, none: str = "") -> Sentence:
    """Fill in the sentence with the number, or with that many things; use `none` for 0."""

    def tell_number(_rules: Rules, _variant: Variant, value: Value) -> str:
        number = int(value) if isinstance(value, int) else 0
        return sentence.format(count_things(number, thing) if thing else number) if number else none

    return tell_number


def tell_ranks(rules: Rules, _variant: Variant, _value: Value) -> str:
    """Tell which cards a pack has."""
    jokers = rules.number("jokers")
    more = f" and {count_things(jokers, 'joker')}" if jokers else ""
    lowest = RANK[str(rules.cards[0])[0]]
    plain = sum(name != "XX" for name in rules.cards)
    return f"A pack has {plain} cards, from {lowest} to ace{more}."


def tell_packs(rules: Rules, variant: Variant, value: Value) -> str:
    """Tell how many packs there are."""
    least = count_things(rules.number("min_stock"), "card")
    if isinstance(value, int):
        return f"{count_things(value, 'pack').capitalize()}."
    if len(variant.packs) == 1 and variant.packs[0][1] == 1:
        told = "One pack"
    else:
        told = list_words(
            [f"{count_things(int(packs), 'pack')} for up to {most} players" for most, packs in variant.packs]
        )
    return f"{told[0].upper()}{told[1:]}; more if fewer than {least} would be left to draw."


def tell_deal(rules: Rules, variant: Variant, value: Value) -> str:
    """Tell how many cards each player is dealt."""
    if isinstance(value, int):
        return f"Each player is dealt {count_things(value)}."
    by: dict[int, list[str]] = {}
    for seats, cards in sorted(variant.hands):
        if seats <= rules.seats[1]:
            by.setdefault(cards, []).append(NUMBER[seats])
    told = [f"{count_things(cards)} with {list_words(seats, 'or')} players" for cards, seats in by.items()]
    return f"Each player is dealt {', '.join(told)}, otherwise five."


def names_suit(variant: Variant) -> bool:
    """Return True if a suit is named with some card."""
    return any(card.wild or card.names in ("suit", "player_chooses") for card in variant.card)


def only_if(holds: Callable[[Rules, Variant], object], sentence: Sentence) -> Sentence:
    """Use the sentence only if `holds` is true of the rules and the variant."""
    return lambda rules, variant, value: sentence(rules, variant, value) if holds(rules, variant) else ""


def tell_king_turn(_rules: Rules, variant: Variant, value: Value) -> str:
    """Tell whose turn it is after a card thrown in out of turn."""
    card = "king" if any(card.joined for card in variant.card) else "card thrown in"
    if value == "original":
        return f"After the last {card} the turn continues where it was."
    return f"After the last {card} the turn continues from the player who threw it in."


def tell_wild_on_wild(rules: Rules, variant: Variant, value: Value) -> str:
    """Tell whether wild cards may be laid on wild cards."""
    if not names_suit(variant):
        return ""
    if value is True:
        return "A wild card may be laid on a wild card."
    suitless = rules.number("jokers") or rules.word("start_wild") == "free"
    unless = ", unless any card may follow the one below" if suitless else ""
    return f"A wild card may not be laid on a wild card{unless}."


def tell_start_card(_rules: Rules, variant: Variant, value: Value) -> str:
    """Tell what the card turned up does."""
    told = START_CARD[str(value)]
    free = any(card.names == "free" and not card.wild for card in variant.card)
    if free and value != "redraw_special":
        told += " Even if any card may follow it when it is laid, turned up it is followed only by what fits."
    return told


def has_calls(_rules: Rules, variant: Variant) -> object:
    """Return something true if a word must be said."""
    return variant.call.left or variant.call.out


def say_nothing(_rules: Rules, _variant: Variant, _value: Value) -> str:
    """Return nothing: the sentence of another option covers this one."""
    return ""


START_CARD: Final = {
    "none": "A card is turned up; it has no effect.",
    "as_dealer": "The card turned up counts as laid by the dealer, and its effect applies.",
    "as_dealer_next_only": "The card turned up counts as laid by the dealer for the next player only.",
    "redraw_special": "A card is turned up; if it has an effect, another one is turned up.",
}
