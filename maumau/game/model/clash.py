"""Contradictions between a variant's clauses and options, found when they are compiled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from maumau.errors import BadOption, BadVariant
from maumau.game.notation.cards import NAMES

if TYPE_CHECKING:
    from maumau.game.model.compiled import CompiledRules
    from maumau.game.ruleset.power import Power

UNTIL_COVERED = "draw_until"


def refuse_clashes(compiled: CompiledRules) -> None:
    """Raise `BadVariant`, or `BadOption` where an option is part of it, if two things do not go together."""
    for code in compiled.pack.kinds:
        for words in _list_card_clashes(compiled.powers[code], compiled):
            raise BadVariant(f"{NAMES[code]}: {words}")
    for words in _list_swap_clashes(compiled):
        raise BadVariant(f"'swap' does not go with {words}")
    if compiled.places and any(compiled.powers[code].last == "chain" for code in compiled.pack.kinds):
        raise BadOption(
            'places cannot be played where a last card may be followed by more (last = "chain")',
            field="options.places",
        )
    _refuse_score_clashes(compiled)


def _list_card_clashes(power: Power, compiled: CompiledRules) -> Iterator[str]:
    """Each key of one card that needs or excludes another, in words."""
    if power.doubles and not power.owe:
        yield "'doubles' needs 'owe': there is nothing to double"
    if power.chain and power.last != "chain":
        yield "'chain' needs last = \"chain\""
    if power.last == "chain" and power.skip:
        yield "last = \"chain\" does not go with 'skip': the next player would be asked and left out"
    if power.swap and power.target:
        yield "'swap' and 'target' both choose a player; a card can have one of them"
    if power.twin and compiled.blind.applies:
        yield "'twin' does not go with [[blind]]: nobody sees which card was laid"
    if compiled.kings.next_zug and UNTIL_COVERED in (power.cover, power.last):
        yield f"{UNTIL_COVERED!r} does not go with king_window = 'next_zug'"


def _list_swap_clashes(compiled: CompiledRules) -> Iterator[str]:
    """Each part of a variant in which hands cannot be swapped, in words."""
    if not compiled.masks.swaps:
        return
    if compiled.has_card_sets:
        yield "[[together]]: only a card laid alone has one card below it"
    if compiled.masks.mirrors:
        yield "'mirror': a mirror would count as the card that swaps"
    if compiled.blind.applies:
        yield "[[blind]]: nobody sees which card lies below"
    if compiled.rules.variant.violation:
        yield "[[violation]]: nobody could tell who had to say a word"
    if any(compiled.powers[code].last == "chain" for code in compiled.pack.kinds):
        yield 'last = "chain": a player without cards has no hand to give'
    if compiled.comeback.applies:
        yield "[[comeback]]: a player without cards has no hand to give"


def _refuse_score_clashes(compiled: CompiledRules) -> None:
    count = compiled.count
    if not count.place:
        return
    if count.scored or count.win:
        raise BadOption(
            "'place' of [[score]] gives points for places, so neither hands ('scored', scoring) nor deals "
            "won ('win') can count",
            field="options.scoring",
        )
    if not compiled.places:
        raise BadOption("'place' of [[score]] needs places = true", field="options.places")
