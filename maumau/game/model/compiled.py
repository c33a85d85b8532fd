"""The rules compiled for a number of seats, so that playing is a few look-ups."""

from __future__ import annotations

from typing import Final

from maumau.errors import BadDeal, BadVariant
from maumau.game.model.feature import Calls, Feature, Hooks
from maumau.game.model.law import Law
from maumau.game.model.move import Kind, Menu, Move, Stage, make_menu
from maumau.game.model.pack import CardMasks, Pack
from maumau.game.model.rule import (
    BlindRule,
    CallRule,
    ComebackRule,
    DealingRule,
    DrawRule,
    KingRule,
    OrderRule,
    QueenRule,
)
from maumau.game.model.scoring import Count
from maumau.game.notation import cards
from maumau.game.notation.action import Action, parse
from maumau.game.ruleset.clause import Together
from maumau.game.ruleset.power import (
    RESTRICT,
    Power,
    compile_powers,
    list_effects,
    require_number,
    select_cards,
)
from maumau.game.ruleset.rules import Rules
from maumau.game.ruleset.variant import Variant

# the end of a menu, after the cards
NOTHING: Final = 0
DRAW: Final = 1
TAKE: Final = 2
SKIP: Final = 3
PASS: Final = 4
STUCK: Final = 5  # pass, with nothing to draw
COVER: Final = 6  # draw for a cover, which may then be laid
LAST: Final = 7  # draw, and the turn ends
DECLINE: Final = 8  # lay no further card after a finisher's
TURN: Final = 9  # draw, if nothing fits or whoever could lay a card may also draw
COVER_UNTIL: Final = 10  # draw for a cover, again and again until one can be laid
TAILS: Final = 11  # ends of menus; as many again where the card laid ends the deal, and so is sent bare


class MenuCache:
    """Menus and their parts, by what they depend on; moves by their actions."""

    __slots__ = (
        "aimed",
        "alone",
        "bundles",
        "covered",
        "first_cards",
        "groups",
        "halves",
        "keeps",
        "lower_cards",
        "menus",
        "menus_by_wish",
        "moves",
        "partners",
        "reach",
        "rings",
        "stacks",
        "stages",
        "tails",
    )

    def __init__(self, quarters: tuple[int, int], *, wish_any: bool) -> None:
        # every copy of the lower half of the pack, and of the lower half of each half; none if some may be
        # laid together with cards of another quarter
        self.lower_cards, self.first_cards = quarters
        self.menus = _make_menu_lists()
        # the lists where a wish must change the suit: by the suit in force, the last for none
        self.menus_by_wish = [self.menus] if wish_any else [_make_menu_lists() for _ in range(5)]
        self.tails = [make_menu({}) for _ in range(TAILS)]
        self.alone: dict[int, Menu] = {}  # of one card
        self.halves: dict[int, Menu] = {}  # of several cards, all from one half of the pack
        self.aimed: dict[tuple[int, int, int, int, int, int], Menu] = {}  # with cards that hit somebody
        self.keeps: dict[int, Menu] = {}  # of the cut
        self.covered: dict[int, Menu] = {}  # of cards laid face down
        self.stacks: dict[tuple[int, int, bool, bool], Menu] = {}  # of cards laid together on one card
        self.partners: dict[int, int] = {}  # by kinds: all that may be laid together with one of them
        # by the cards that may be laid: these, and all that may be laid together with one of them
        self.reach: dict[int, int] = {}
        # by the cards that may be laid and the hand's cards that can join them, where that is not all
        self.bundles: list[dict[tuple[int, int], Menu]] = [{} for _ in range(TAILS)]
        self.groups: dict[tuple[int, int], Menu] = {}  # ditto, for the cards of one half of the pack
        self.moves: dict[Action, Move] = {}
        # by what selects them (play/turn.py)
        self.stages: dict[tuple[tuple[Stage, ...], Power, bool, tuple[str, ...]], tuple[Stage, ...]] = {}
        self.rings: dict[int, tuple[int, ...]] = {}


class CompiledRules:
    """The rules for a number of seats."""

    __slots__ = (
        "accuse",
        "along",
        "asks_accusers_at_end",
        "blind",
        "cache",
        "calls",
        "comeback",
        "count",
        "dealing",
        "drawing",
        "features",
        "final",
        "fuses",
        "has_card_sets",
        "has_turn_end_checks",
        "has_unlisted_actions",
        "hooks",
        "kings",
        "largest_hand_owing_call",
        "law",
        "left",
        "lists_by_cards_alone",
        "lists_independent_of_pile",
        "lives",
        "masks",
        "match",
        "most",
        "order",
        "out",
        "pack",
        "places",
        "powers",
        "queens",
        "rescue",
        "rules",
        "seats",
        "wild_on_wild",
        "wish_any",
    )

    def __init__(
        self, rules: Rules, seats: int, away: int, features: tuple[Feature, ...], *, fuses: bool = True
    ) -> None:
        fewest, most = rules.seats
        players = seats - away
        if not fewest <= players or not seats <= most:
            raise BadDeal(f"{rules.name} is played by {fewest} to {most}, not by {players}")
        variant = rules.at(players)
        self.rules = rules
        self.seats = seats
        self.fuses = fuses  # where no call can be due most cards need no stages; tests switch it off
        self.pack = Pack(rules, seats, away)
        self.powers = compile_powers(variant.card, self.pack.copies)
        self.kings, self.queens = _compile_windows(rules, self.pack, self.powers)
        self.masks = CardMasks(rules, self.pack, self.powers)  # after what says which cards open windows
        self.drawing = DrawRule(rules)
        self.order = OrderRule(rules)
        self.dealing = DealingRule(rules)
        self._match_cards(rules, variant)
        self._compile_calls(rules, variant)
        self._compile_end(rules, variant)
        self.cache = MenuCache(self.masks.divide_pack(self.pack, self.along), wish_any=self.wish_any)
        for tail, word, kind in self._list_words():
            self.cache.tails[tail] = make_menu({parse(word): Move(kind)})
        self.features = tuple(feature for feature in features if feature.applies(self))
        self.hooks = Hooks(self.features)
        self.calls = next(feature for feature in self.features if isinstance(feature, Calls))

    def _match_cards(self, rules: Rules, variant: Variant) -> None:
        """Compile which cards may be laid on which, alone and together."""
        self.wild_on_wild = rules.flag("wild_on_wild")
        self.wish_any = rules.flag("wish_any")
        self.match = [self._fitting(top, -1) for top in range(len(cards.NAMES))]
        # by code: the cards that may be laid on it together with it
        self.along = [self._along(code, variant.together) for code in range(len(cards.NAMES))]
        self.has_card_sets = any(self.along)
        self.blind = BlindRule(variant.blind)
        is_watched = bool(rules.variant.violation)
        # True if a hand that does not fit as a whole has a menu that depends on its cards alone
        self.lists_by_cards_alone = not (self.blind.applies or self.queens.cards or is_watched)
        # True if the menu depends on nothing else
        varied = self.masks.targets | self.masks.mirrors | self.masks.barred
        self.lists_independent_of_pile = self.lists_by_cards_alone and self.wish_any and not varied
        if self.blind.applies and self.has_card_sets:
            raise BadVariant("cards laid together cannot be laid face down: one card is claimed at a time")
        # True if more may be done than is listed: cards laid together, a claim, a foul
        self.has_unlisted_actions = self.has_card_sets or self.blind.applies or is_watched

    def _compile_calls(self, rules: Rules, variant: Variant) -> None:
        calls = variant.call
        self.left = CallRule(calls.left, self.pack.hand, self.pack.copies)
        self.out = CallRule(calls.out, self.pack.hand, self.pack.copies)
        owing = self.left.applies or self.out.applies
        # no call is owed with more cards in hand
        self.largest_hand_owing_call = (99 if self.has_card_sets else 2) if owing else -1
        self.law = Law(rules, variant.violation, own_zug=self.left.own_zug)
        said = self.out.applies or (self.left.applies and not self.left.locks)
        self.accuse = said and not self.law.applies and rules.word("detection") == "accuse"
        self.has_turn_end_checks = self.accuse or self.law.applies  # more happens between two turns
        # True if the others may accuse when a last card was laid
        self.asks_accusers_at_end = self.law.reports or (self.accuse and self.out.applies)

    def _compile_end(self, rules: Rules, variant: Variant) -> None:
        self.most = rules.number("max_decisions")
        self.places = rules.flag("places") or rules.word("hand_end") == "last_left"
        self.final = rules.flag("final_effects")
        self.comeback = ComebackRule(variant.comeback)
        self.rescue = sum(select_cards(rescue.cards) for rescue in variant.rescue)
        self.lives = sum(require_number("count", lives.count) for lives in variant.lives)
        self.count = Count(rules, variant.score)

    def _along(self, code: int, together: list[Together]) -> int:
        kinds = 0
        for clause in together:
            rank = cards.rank_mask(code // 4)
            if clause.ranks == "any":
                kinds |= rank
            elif clause.ranks == "power_only" and self.masks.counting >> code & 1:
                kinds |= rank & self.masks.counting
            elif clause.ranks not in ("", "power_only"):
                raise BadVariant(f"ranks = {clause.ranks!r} is not known; known: any and power_only")
            if select_cards(clause.sets) >> code & 1:
                kinds |= rank & select_cards(clause.sets)
            if select_cards(clause.base) >> code & 1 and code != cards.JOKER:
                kinds |= cards.suit_mask(code % 4)
        return self.pack.spread(kinds)

    def _fitting(self, top: int, wish: int) -> int:
        """Return the cards that may be laid on `top` in a normal turn, with or without a wish (-1)."""
        return self.pack.spread(self.pack.select(lambda code: self._fits(code, top, wish)))

    def _fits(self, code: int, top: int, wish: int) -> bool:
        """Return True if a card has the suit or rank of the face-up card or of the wish, or is wild."""
        power = self.powers[code]
        if power.wild and self.powers[top].wild and not self.wild_on_wild:
            return False
        if power.mirror and power.not_on >> top & 1:
            return False
        if power.anytime or ((power.wild or power.mirror) and not power.not_on >> top & 1):
            return True
        if wish >= 0:
            return code % 4 == wish and code != cards.JOKER
        same_suit = code % 4 == top % 4 and cards.JOKER not in (code, top)
        return same_suit or code // 4 == top // 4

    def serving(self, suit: int) -> int:
        """Return the cards that may be laid on a suitless card that stands for this suit."""
        return self._fitting(cards.JOKER, suit)

    def counts_as(self, laid: tuple[int, ...], below: int) -> int:
        """Return the card that counts once these lie on `below`: for a mirror the one under it."""
        for code in reversed(laid):
            if not self.powers[code].mirror:
                return code
        return below if below >= 0 else laid[-1]

    def left_open(self, code: int, wish: int) -> int:
        """Return the cards that may be laid on a card that has just been laid."""
        power = self.powers[code]
        if power.names == "free" or (power.wishes and wish < 0 and code == cards.JOKER):
            return self.pack.spread(self.masks.anything)
        if power.wishes or wish >= 0:
            return self._fitting(code, wish if wish >= 0 else code % 4)
        return self.match[code]

    def _list_words(self) -> list[tuple[int, str, Kind]]:
        """Return the action without a card at each end of a menu, and what it does."""
        words: list[tuple[int, str, Kind]] = [
            (DRAW, "draw", self._choose_draw()),
            (TAKE, "take", "take_owed_cards"),
            (SKIP, "skip", "accept_missed_turn"),
            (PASS, "pass", "pass_turn"),
            (STUCK, "pass", "pass_with_nothing_to_draw"),
            (COVER, "draw", "draw_after_kings" if self.kings.next_zug else "draw_on_turn"),
            (COVER_UNTIL, "draw", "draw_until_covered"),
            (LAST, "draw", "draw_and_end_turn"),
            (DECLINE, "decline", "end_chain"),
        ]
        return words

    def _choose_draw(self) -> Kind:
        """Return what `draw` does in a normal turn."""
        if self.kings.next_zug:
            return "draw_after_kings"
        if self.drawing.until_playable or self.left.locks or self.drawing.may_play == "any":
            return "draw_and_choose"
        return "draw_and_end_turn" if self.drawing.may_play == "none" else "draw_on_turn"

    def words(self, tail: int, may: int) -> Menu:
        """Return the actions without a card at the end of a menu in which these cards may be laid."""
        if tail % TAILS == TURN:
            return self.cache.tails[DRAW if self.drawing.voluntary or not may else NOTHING]
        return self.cache.tails[tail % TAILS]

    def move(self, action: Action) -> Move:
        """Return the move of a card laid, compiled once."""
        found = self.cache.moves.get(action)
        if found is not None:
            return found
        code = action.cards[-1]
        power = self.powers[code]
        for below in action.cards[:-1]:
            power = self.powers[below] if self.powers[below].anywhere else power
        move = Move(_get_kind(power, len(action.cards)))
        self.cache.moves[action] = move
        move.count = sum(below // 4 == code // 4 for below in action.cards)
        move.code = code
        move.bits = 1 << code
        move.power = power
        move.said, move.touch = action.said, power.touch
        move.effects = self.effects(power)
        acts = any(self.powers[card].acts for card in action.cards)  # also below: it may be an answer
        move.plain = not (acts or self.has_turn_end_checks or self.blind.applies or move.effects)
        stays = power.goes_on or power.stops
        move.passes = not (move.plain or stays or self.has_turn_end_checks or self.blind.applies)
        swaps = power.swap and action.target is not None
        move.fused = self.fuses and (move.plain or move.passes) and not swaps
        move.wish = wish = self.wished(code, action.wish)
        move.target = -1 if action.target is None else action.target
        move.fits = self.left_open(code, wish)
        return move

    def wished(self, code: int, suit: int) -> int:
        """Return the suit that a wish puts in force: for twisted cards the other one of the same colour."""
        return suit ^ 1 if suit >= 0 and self.powers[code].twisted else suit

    def effects(self, power: Power) -> tuple[str, ...]:
        """Return the effects of a card with this power, with the restriction of its wish."""
        return list_effects(power) if self.wish_any else (*list_effects(power), RESTRICT)

    def ring(self, direction: int, active: int) -> tuple[int, ...]:
        """Return the next active seat for every seat."""
        key = direction * (active + 1)
        ring = self.cache.rings.get(key)
        if ring is None:
            ring = tuple(self._next(seat, direction, active) for seat in range(self.seats))
            self.cache.rings[key] = ring
        return ring

    def _next(self, seat: int, direction: int, active: int) -> int:
        for step in range(1, self.seats + 1):
            other = (seat + step * direction) % self.seats
            if active >> other & 1:
                return other
        return seat


def _get_kind(power: Power, count: int) -> Kind:
    """Return the effect of laying this many cards, the top one of which has this power."""
    if power.mirror or power.names == "no_change":
        return "lay_transparent_card"
    return "lay_card" if count == 1 else "lay_cards"


def _compile_windows(rules: Rules, pack: Pack, powers: list[Power]) -> tuple[KingRule, QueenRule]:
    """Compile on which cards the others may lay one out of turn."""
    joined = pack.spread(pack.select(lambda code: powers[code].joined))
    mirrors = pack.spread(pack.select(lambda code: powers[code].mirror))
    rounds = pack.spread(pack.select(lambda code: powers[code].round))
    kings = KingRule(rules, joined, mirrors)
    for power in powers:
        power.stops = power.joined or power.touch or kings.next_zug or (power.twin and pack.copies > 1)
    return kings, QueenRule(rules, rounds, mirrors)


def _make_menu_lists() -> list[dict[int, Menu]]:
    return [{} for _ in range(2 * TAILS)]
