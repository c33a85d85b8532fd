"""A table: the rules compiled for a number of seats, so that playing is a few look-ups."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from maumau.errors import BadDeal, BadVariant
from maumau.game import cards
from maumau.game.action import Action
from maumau.game.clause import Blind as BlindClause
from maumau.game.clause import Call, Together
from maumau.game.effect import list_effects, restrict_wish
from maumau.game.law import Law
from maumau.game.move import Effect, Menu, Move, Run
from maumau.game.power import (
    Power,
    compile_powers,
    require_known_word,
    require_number,
    require_truth,
    select_cards,
)
from maumau.game.rules import Rules
from maumau.game.score import Count
from maumau.game.state import State
from maumau.game.variant import Variant
from maumau.game.window import Resume, Window

if TYPE_CHECKING:
    from maumau.game.state import State

# how an action list ends, after the cards
NOTHING: Final = 0
DRAW: Final = 1
TAKE: Final = 2
SKIP: Final = 3
PASS: Final = 4
STUCK: Final = 5  # pass, with nothing to draw
COVER: Final = 6  # draw for a cover, which may then be laid
LAST: Final = 7  # draw, and the turn ends
DECLINE: Final = 8  # lay no further seven after a finisher's
TURN: Final = 9  # draw, if nothing fits or whoever could lay a card may also draw
TAILS: Final = 10  # as many again where the card that is laid ends the deal, and so is sent bare

UNTIL: Final = ("play", "next_action", "own_turn", "own_zug", "next_zug")
PENALTIES: Final = ("deal_add", "replace", "cannot_lay_last")


class CallRule:
    """A call that must be made: with which cards the special one, until when, at what price."""

    __slots__ = ("at_once", "double", "locks", "others", "own_zug", "penalty", "replaces")

    def __init__(self, call: Call, hand: int, copies: int) -> None:
        self.double = cards.spread_copies(select_cards(call.double), copies)
        self.others = call.others
        self.at_once = require_known_word("until", call.until, UNTIL) == "play"
        self.own_zug = call.until == "own_zug"
        self.locks = call.penalty == "cannot_lay_last"
        self.replaces = call.penalty == "replace"
        if isinstance(call.penalty, str):
            require_known_word("penalty", call.penalty, PENALTIES)
            self.penalty = 0 if self.locks else hand
        else:
            self.penalty = require_number("penalty", call.penalty)


class BlindRule:
    """What face-down play asks for: what may be claimed, and what a wrong doubt and a lie cost."""

    __slots__ = ("caught_draw", "caught_over", "caught_return", "legal", "wrong_draw", "wrong_miss")

    def __init__(self, clause: BlindClause) -> None:
        self.legal = require_truth("claim_legal", clause.claim_legal)
        self.wrong_draw = require_number("wrong_draw", clause.wrong_draw)
        self.wrong_miss = require_truth("wrong_miss", clause.wrong_miss)
        self.caught_return = require_truth("caught_return", clause.caught_return)
        self.caught_draw = require_number("caught_draw", clause.caught_draw)
        self.caught_over = require_truth("caught_over", clause.caught_over)


class CompiledRules:
    """The rules for a number of seats."""

    def __init__(self, rules: Rules, seats: int, away: int = 0) -> None:
        fewest, most = rules.seats
        self.players = seats - away
        if not fewest <= self.players or not seats <= most:
            raise BadDeal(f"{rules.name} is played by {fewest} to {most}, not by {self.players}")
        variant = rules.at(self.players)
        self.rules = rules
        self.seats = seats
        self._pack(rules, variant)
        self._matching(rules, variant)
        self._turns(rules)
        self._ends(rules, variant)
        self._order(rules)
        self._lists()

    def _pack(self, rules: Rules, variant: Variant) -> None:
        self.hand = rules.number("deal") or dict(variant.hands).get(self.players, 5)
        self.packs = _count_packs(rules, self.players, self.hand)
        self.jokers = rules.number("jokers") * self.packs
        self.copies = max(self.packs, self.jokers)
        plain = cards.build_pack(rules.kinds & ~(1 << cards.JOKER), self.packs)
        self.deck = plain + [1 << cards.JOKER + cards.STRIDE * copy for copy in range(self.jokers)]

    def _matching(self, rules: Rules, variant: Variant) -> None:
        self.full = sum(self.deck)
        self.dealt = self.seats * self.hand
        self.powers = compile_powers(variant.card, self.copies)
        self.kinds = cards.list_codes(rules.kinds)
        self._windows(rules)
        self.power = self._those(lambda code: self.powers[code].counts)
        self.significant_cards = cards.spread_copies(self.power, self.copies)
        final = rules.flag("final_effects")
        self.bare = self._those(lambda code: self.powers[code].bare(final=final))
        self.barred = self._those(lambda code: self.powers[code].barred)
        self.targets = self._those(lambda code: self.powers[code].target > 0)
        self.mirrors = self._those(lambda code: self.powers[code].mirror)
        self.wild_on_wild = rules.flag("wild_on_wild")
        self.wish_any = rules.flag("wish_any")
        self.match = [self._fitting(top, -1) for top in range(len(cards.NAMES))]
        # by code: the cards that may be laid on it together with it
        self.along = [self._along(code, variant.together) for code in range(len(cards.NAMES))]
        self.has_card_sets = any(self.along)
        self.blind = BlindRule(variant.blind[-1]) if variant.blind else None
        self.anything = sum(1 << code for code in self.kinds)
        # whether a hand that does not fit whole is listed by its cards alone
        self.lists_by_cards_alone = not (self.blind or self.queens or rules.variant.violation)
        # whether it hangs on nothing else
        varied = self.targets | self.mirrors | self.barred
        self.lists_independent_of_pile = self.lists_by_cards_alone and self.wish_any and not varied
        if self.blind and self.has_card_sets:
            raise BadVariant("cards laid together cannot be laid face down: one card is claimed at a time")
        self.has_unlisted_actions = (
            self.has_card_sets or self.blind is not None or bool(rules.variant.violation)
        )

    def _windows(self, rules: Rules) -> None:
        """On which cards the others may lay one out of turn."""
        kings = self._those(lambda code: self.powers[code].joined)
        self.kings = cards.spread_copies(kings, self.copies)
        self.mirrored = cards.spread_copies(self._those(lambda code: self.powers[code].mirror), self.copies)
        self.queens = cards.spread_copies(self._those(lambda code: self.powers[code].round), self.copies)
        self.ladies = self.queens | self.mirrored if self.queens else 0
        self.callers = self.queens if rules.flag("qr_real_queens") else self.ladies
        self.queens_shown = rules.flag("qr_show_two")
        self.king_next = bool(kings) and rules.word("king_window") == "next_zug"
        self.king_turn = rules.word("king_turn")
        self.king_row = rules.number("king_row_min", 1)
        for power in self.powers:
            power.stops = power.joined or power.touch or self.king_next

    def _those(self, holds: Callable[[int], bool]) -> int:
        return sum(1 << code for code in self.kinds if holds(code))

    def _along(self, code: int, together: list[Together]) -> int:
        kinds = 0
        for clause in together:
            rank = cards.rank_mask(code // 4)
            if clause.ranks == "any":
                kinds |= rank
            elif clause.ranks == "power_only" and self.power >> code & 1:
                kinds |= rank & self.power
            elif clause.ranks not in ("", "power_only"):
                raise BadVariant(f"ranks = {clause.ranks!r} is not known; known are any and power_only")
            if select_cards(clause.sets) >> code & 1:
                kinds |= rank & select_cards(clause.sets)
            if select_cards(clause.base) >> code & 1 and code != cards.JOKER:
                kinds |= cards.suit_mask(code % 4)
        return cards.spread_copies(kinds, self.copies)

    def _fitting(self, top: int, wish: int) -> int:
        """What may be laid on a card in a normal turn, a suit having been wished for or not."""
        fits = self._those(lambda code: self._fits(code, top, wish))
        return cards.spread_copies(fits, self.copies)

    def _fits(self, code: int, top: int, wish: int) -> bool:
        """A card can be played if it corresponds to the suit or value of the face-up card, or is wild."""
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
        """What may be laid on a card without a suit that stands for this one."""
        return self._fitting(cards.JOKER, suit)

    def counts_as(self, laid: tuple[int, ...], below: int) -> int:
        """The card that counts when these have been laid on one: of a mirror what lies below it."""
        for code in reversed(laid):
            if not self.powers[code].mirror:
                return code
        return below if below >= 0 else laid[-1]

    def left_open(self, code: int, wish: int) -> int:
        """What may be laid on a card that has just been laid."""
        power = self.powers[code]
        if power.names == "free" or (power.wishes and wish < 0 and code == cards.JOKER):
            return cards.spread_copies(sum(1 << kind for kind in self.kinds), self.copies)
        if power.wishes or wish >= 0:
            return self._fitting(code, wish if wish >= 0 else code % 4)
        return self.match[code]

    def _turns(self, rules: Rules) -> None:
        self.draw_tail = DRAW if rules.flag("voluntary_draw") else NOTHING
        self.may_play = rules.word("may_play_drawn")
        if "play_after_draw" in rules.options:
            self.may_play = "drawn_only" if rules.flag("play_after_draw") else "none"
        self.must_play = rules.flag("must_play_drawn")
        self.until_playable = rules.flag("draw_until_playable")
        self.when_empty = rules.word("reshuffle_when") == "when_empty"
        self.keeps_chain = rules.word("reshuffle_keep") == "top_and_chain"
        self.reverse_again = rules.word("reverse_two") == "again"
        self.all_respond = rules.word("skip_responder") == "all"
        self.start = rules.word("start_card")
        self.errors = rules.number("deal_error_rate")
        self.start_wild = rules.word("start_wild")
        self.cut = rules.flag("cut_on")
        self.cut_counts = rules.options.get("cut_kept_count_in_deal", True) is True
        self.cut_most = rules.number("cut_max_repeat", 100)

    def _ends(self, rules: Rules, variant: Variant) -> None:
        self.most = rules.number("max_decisions")
        self.places = rules.flag("places") or rules.word("hand_end") == "last_left"
        self.final = rules.flag("final_effects")
        self.comeback = bool(variant.comeback)
        self.back = sum(select_cards(back.cards) for back in variant.comeback)
        self.skip_extends = any(back.skip_extends is True for back in variant.comeback)
        self.rescue = sum(select_cards(rescue.cards) for rescue in variant.rescue)
        self.lives = sum(require_number("count", lives.count) for lives in variant.lives)
        self.count = Count(rules, variant.score)
        calls = variant.call
        self.left = CallRule(calls.left[-1], self.hand, self.copies) if calls.left else None
        self.out = CallRule(calls.out[-1], self.hand, self.copies) if calls.out else None
        self.largest_hand_owing_call = (99 if self.has_card_sets else 2) if self.left or self.out else -1
        self.locks = self.left is not None and self.left.locks
        said = self.out is not None or (self.left is not None and not self.locks)
        self.law = Law(rules, variant.violation, self.left) if rules.variant.violation else None
        self.accuse = said and self.law is None and rules.word("detection") == "accuse"
        self.has_turn_end_checks = self.accuse or self.law is not None  # more happens between two turns
        # whether the others may speak when somebody has laid his last card
        self.asks_accusers_at_end = (
            self.law.reports if self.law is not None else self.accuse and self.out is not None
        )

    def _order(self, rules: Rules) -> None:
        self.rings: dict[int, tuple[int, ...]] = {}
        self.direction = rules.number("initial_dir", 1)
        self.everybody = (1 << self.seats) - 1
        self.around = self.ring(self.direction, self.everybody)

    def _lists(self) -> None:
        self.menus = _make_menu_lists()
        # the lists where a wish must change the suit: by the suit in force, the last for none
        self.menus_by_wish = [self.menus] if self.wish_any else [_make_menu_lists() for _ in range(5)]
        self.aimed: dict[tuple[int, int, int, int, int, int], Menu] = {}
        self.keeps: dict[int, Menu] = {}
        self.alone: dict[int, Menu] = {}
        self.halves: dict[int, Menu] = {}  # the same for several cards, all from one half of the pack
        self.lower = (1 << self.kinds[len(self.kinds) // 2]) - 1
        # the cards whose lists hang on more than themselves
        self.uncached_cards = self.targets | self.mirrors if self.wish_any else self.anything
        self.partners: dict[int, int] = {}  # by kinds: all that may be laid together with one of them
        # by the cards that may be laid: these, and all that may be laid together with one of them
        self.reach: dict[int, int] = {}
        # the lists by the cards that may be laid and those of the hand these reach, where that is not all
        self.bundles: list[dict[tuple[int, int], Menu]] = [{} for _ in range(TAILS)]
        self.groups: dict[tuple[int, int], Menu] = {}  # the same for the cards of one half of the pack
        self.stacks: dict[tuple[int, int, bool, bool], Menu] = {}
        self.moves: dict[Action, Move] = {}
        self.covered: dict[int, Menu] = {}
        self.tails = [Menu({}) for _ in range(TAILS)]
        self.run: Run
        self.through: Run
        self.many: Run
        self.hold: Move
        self.race: Callable[[State, Window], None]  # that to the table's edge
        self.pause: Callable[[State, int, Move, Resume], None]  # the windows that open on a card
        self.chain: Callable[[State, int], None]  # what is asked while a last seven may be answered
        self.veil: Move
        self.doubts: Menu
        self.pick: Move
        self.refresh: Callable[[State, int], None]

    def words(self, tail: int, may: int) -> Menu:
        """How a list ends in which these cards may be laid."""
        if tail % TAILS == TURN:
            return self.tails[self.draw_tail if may else DRAW]
        return self.tails[tail % TAILS]

    def move(self, action: Action) -> Move:
        """The move of a card laid."""
        found = self.moves.get(action)
        if found is not None:
            return found
        code = action.cards[-1]
        power = self.powers[code]
        for below in action.cards[:-1]:
            power = self.powers[below] if self.powers[below].anywhere else power
        move = Move(self._run(power, len(action.cards)))
        self.moves[action] = move
        move.count = sum(below // 4 == code // 4 for below in action.cards)
        move.code = code
        move.bits = 1 << code
        move.power = power
        move.said, move.touch = action.said, power.touch
        move.effects = self.effects(power)
        acts = any(self.powers[card].acts for card in action.cards)  # also below: it may be an answer
        move.plain = not (acts or self.has_turn_end_checks or self.blind or move.effects)
        stays = power.cover or power.again or power.turn or power.reverse or power.stops
        move.passes = not (move.plain or stays or self.has_turn_end_checks or self.blind)
        move.wish = wish = self.wished(code, action.wish)
        move.target = -1 if action.target is None else action.target
        move.fits = self.left_open(code, wish)
        return move

    def wished(self, code: int, suit: int) -> int:
        """The suit that holds when this one is wished for with a card: with some the other of its colour."""
        return suit ^ 1 if suit >= 0 and self.powers[code].twisted else suit

    def _run(self, power: Power, count: int) -> Run:
        if power.mirror or power.names == "no_change":
            return self.through
        return self.run if count == 1 else self.many

    def effects(self, power: Power) -> tuple[Effect, ...]:
        """What a card with this power does, and what it leaves to be wished for."""
        return list_effects(power) if self.wish_any else (*list_effects(power), restrict_wish)

    def ring(self, direction: int, active: int) -> tuple[int, ...]:
        """For every seat the next one that is still in."""
        key = direction * (active + 1)
        ring = self.rings.get(key)
        if ring is None:
            ring = self.rings[key] = tuple(self._next(seat, direction, active) for seat in range(self.seats))
        return ring

    def _next(self, seat: int, direction: int, active: int) -> int:
        for step in range(1, self.seats + 1):
            other = (seat + step * direction) % self.seats
            if active >> other & 1:
                return other
        return seat


def _make_menu_lists() -> list[dict[int, Menu]]:
    return [{} for _ in range(2 * TAILS)]


def _count_packs(rules: Rules, seats: int, hand: int) -> int:
    """The packs for this many seats: more until everybody's hand, the up card and a least stock are there."""
    size = rules.kinds.bit_count() + max(0, rules.number("jokers") - 1)
    packs = rules.number("packs")
    if packs and packs * size <= seats * hand:
        raise BadDeal(f"{packs} packs of {size} cards are too few for {seats} seats with {hand} cards each")
    if not packs:
        packs = next(require_number("packs", packs) for most, packs in rules.at(seats).packs if seats <= most)
        while packs * size < seats * hand + 1 + rules.number("min_stock"):
            packs += 1
    if packs * size > 256:
        raise BadDeal(f"{packs} packs of {size} cards are more than the 256 cards that can be shuffled")
    return packs
