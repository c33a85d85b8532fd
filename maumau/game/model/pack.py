"""The pack, and which of its cards do what: sets of cards, compiled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from maumau.errors import BadDeal
from maumau.game.notation import cards
from maumau.game.ruleset.power import Power, require_number
from maumau.game.ruleset.rules import Rules

MAX_CARDS: Final = 256  # that can be shuffled


class Pack:
    """The cards of a deal for a number of players, and how many each is dealt."""

    __slots__ = ("copies", "dealt", "deck", "full", "hand", "jokers", "kinds", "packs", "players")

    def __init__(self, rules: Rules, seats: int, away: int) -> None:
        self.players = seats - away
        self.hand = rules.number("deal") or dict(rules.at(self.players).hands).get(self.players, 5)
        self.packs = _count_packs(rules, self.players, self.hand)
        self.jokers = rules.number("jokers") * self.packs
        self.copies = max(self.packs, self.jokers)
        self.kinds = cards.list_codes(rules.kinds)
        plain = cards.build_pack(rules.kinds & ~(1 << cards.JOKER), self.packs)
        self.deck = plain + [1 << cards.JOKER + cards.STRIDE * copy for copy in range(self.jokers)]
        self.full = sum(self.deck)
        self.dealt = seats * self.hand

    def select(self, holds: Callable[[int], bool]) -> int:
        """Return the kinds of card of which this holds."""
        return sum(1 << code for code in self.kinds if holds(code))

    def spread(self, kinds: int) -> int:
        """Return every copy of these kinds."""
        return cards.spread_copies(kinds, self.copies)


class CardMasks:
    """Sets of kinds of card by what they do."""

    __slots__ = (
        "anything",
        "bare",
        "barred",
        "counting",
        "first",
        "lower",
        "mirrors",
        "significant_cards",
        "swaps",
        "targets",
        "uncached",
    )

    def __init__(self, rules: Rules, pack: Pack, powers: list[Power]) -> None:
        select = pack.select
        final, wish_any = rules.flag("final_effects"), rules.flag("wish_any")
        self.anything = sum(1 << code for code in pack.kinds)
        self.counting = select(lambda code: powers[code].counts)
        self.significant_cards = pack.spread(self.counting)
        self.bare = select(lambda code: powers[code].bare(final=final))
        self.barred = select(lambda code: powers[code].barred)
        self.swaps = select(lambda code: powers[code].swap > 0)
        self.targets = self.swaps | select(lambda code: powers[code].target > 0)
        self.mirrors = select(lambda code: powers[code].mirror)
        # the cards whose menus depend on more than the cards
        self.uncached = self.targets | self.mirrors if wish_any else self.anything
        middle, quarter = len(pack.kinds) // 2, len(pack.kinds) // 4
        self.lower = (1 << pack.kinds[middle]) - 1  # the lower half of the pack
        codes = pack.kinds[:quarter] + pack.kinds[middle : middle + quarter]
        self.first = sum(1 << code for code in codes)  # the lower half of each half

    def divide_pack(self, pack: Pack, along: list[int]) -> tuple[int, int]:
        """Return every copy of the lower half, and of the lower half of each half.

        Both are 0 if some may be laid together (`along`) with cards of another quarter.
        """
        parts = [pack.spread(part) for part in (self.lower, self.first)]
        for code in pack.kinds:
            for part in parts:
                if along[code] & (~part if part >> code & 1 else part):
                    return 0, 0
        return parts[0], parts[1]


def _count_packs(rules: Rules, seats: int, hand: int) -> int:
    """Return the packs for this many seats: enough for every hand, the up card and a minimum stock."""
    size = rules.kinds.bit_count() + max(0, rules.number("jokers") - 1)
    packs = rules.number("packs")
    if packs and packs * size <= seats * hand:
        raise BadDeal(f"{packs} packs of {size} cards are too few for {seats} seats with {hand} cards each")
    if not packs:
        packs = next(require_number("packs", packs) for most, packs in rules.at(seats).packs if seats <= most)
        while packs * size < seats * hand + 1 + rules.number("min_stock"):
            packs += 1
    if packs * size > MAX_CARDS:
        raise BadDeal(f"{packs} packs of {size} cards are more than the 256 cards that can be shuffled")
    return packs
