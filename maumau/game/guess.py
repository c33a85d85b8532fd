"""Guessing: full deals that agree with what one seat has seen, for programs that search.

A `Belief` follows a deal by the events that its seat sees; `position` adds the decision that is due, and
`Position.guess` places the hidden cards in one possible way, each time a new one.
"""

from __future__ import annotations

from typing import Any, Final

from maumau.errors import BadGuess
from maumau.game.deal import Deal
from maumau.game.legal.decision import COVER_TAILS, offer_actions
from maumau.game.model.chance import Chance, Seed, ShuffleEpoch, shuffle_cards
from maumau.game.model.compiled import COVER, DRAW, NOTHING, PASS, SKIP, STUCK, TAKE, CompiledRules
from maumau.game.model.court import Court
from maumau.game.model.state import ALONE, edit_calls, edit_features
from maumau.game.notation import cards
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.play.start import ask_wish, compile_rules
from maumau.game.ruleset.rules import Rules

TAIL: Final = {"draw": DRAW, "take": TAKE, "skip": SKIP, "pass": PASS}
KINDS: Final = ("turn", "answer", "cover", "again", "wish")
Slot = int  # a hidden card, as the kinds of card that it cannot be


class Belief:
    """The knowledge of one seat about a deal. Pass every event that the seat sees, in order: `see(events)`.

    It assumes that a seat that draws, takes or passes could do nothing else: where the rules allow more, this
    is a heuristic, which a guess violates before it violates a certainty.
    """

    def __init__(self, rules: Rules, seats: int, seat: int) -> None:
        self.rules = rules
        self.compiled: CompiledRules = compile_rules(rules, seats)
        self.seat = seat
        self.copies: dict[int, list[int]] = {}  # the cards of each code
        for card in self.compiled.pack.deck:
            self.copies.setdefault(_get_code(card), []).append(card)
        self.known: list[list[int]] = [[] for _ in range(seats)]  # codes that a seat shows it holds
        self.slots: list[list[Slot]] = [[] for _ in range(seats)]  # its other cards
        self.laid: list[int] = []  # codes on the pile, the top card last
        self.cut: list[int] = []
        self.fits = 0  # kinds that may be laid on the pile in a normal turn
        self.drew = False  # the last event was a draw
        self.last_cards: list[int] = []  # codes that counted when the seats that are out went out
        self.faults: dict[int, str] = {}
        self.events: list[str] = []

    def see(self, events: list[str]) -> None:
        """Add the events since the last call."""
        for event in events if not self.compiled.blind.applies else []:
            who, _, said = event.partition(" ")
            if len(who) == 1:
                if said.startswith("swaps "):
                    self._swap(SEATS.index(who), SEATS.index(said[6:]))
                else:
                    self._did(SEATS.index(who), said.split(" ")[0])
            elif who in ("cut", "refused"):
                self.cut += cards.codes_of(said)
            elif who == "forfeit":
                self.faults.setdefault(SEATS.index(said[0]), said[2:])
            elif who == "up":
                self._dealt(cards.code_of(said))
            elif who == "shuffle":
                del self.laid[: int(said)]
        self.events += events

    def position(self, view: Any) -> Position:
        """Return this seat's due decision from its view: the library's, or any with the same fields."""
        return Position(self, view)

    def _swap(self, seat: int, other: int) -> None:
        """Two seats have swapped hands: what is known of one holds of the other now."""
        for kept in (self.slots, self.known):
            kept[seat], kept[other] = kept[other], kept[seat]

    def _dealt(self, up: int) -> None:
        """Deal the hands: cards that were cut and not kept, or turned up and refused, are in the stock."""
        kept = [code for held in self.known for code in held]
        shown = _collect_kinds([code for code in self.cut if len(self.copies[code]) == 1]) & ~_collect_kinds(
            kept
        )
        for seat, slots in enumerate(self.slots):
            less = len(self.known[seat]) if self.compiled.dealing.cut_counts else 0
            slots[:] = [shown] * (self.compiled.pack.hand - less)
        self.laid = [up]
        self.fits = cards.merge_copies(self.compiled.match[up])

    def _did(self, seat: int, said: str) -> None:
        if said.startswith("+"):
            self.slots[seat] += [0] * int(said[1:])
        elif said == "back":  # a card laid against the rules
            self.known[seat].append(self.laid.pop())
            self.fits = cards.merge_copies(self.compiled.match[self.laid[-1]])
        elif said == "side":  # the view has the number of penalty cards
            return
        elif said == "out":
            self.last_cards.append(self.laid[-1])
        elif said != "skipped":
            action = parse(said)
            self._acted(seat, action)
            self.drew = action.word == "draw"

    def _acted(self, seat: int, action: Action) -> None:
        """Apply an action, and infer which cards its player does not hold."""
        if action.word == "rescue":
            action = parse(cards.NAMES[action.cards[0]])
        slots = self.slots[seat]
        if not action.word:
            self._lays(seat, action)
        elif action.word == "draw":
            slots[:] = [slot | self.fits for slot in slots]
            slots.append(0)
        elif action.word in ("take", "skip"):
            answers = cards.merge_copies(self.compiled.powers[self.laid[-1]].answer)
            slots[:] = [slot | answers for slot in slots]
        elif action.word == "pass" and self.drew and slots:
            slots[-1] |= self.fits
        elif action.word == "keep":
            self.known[seat] = list(action.cards)
        elif action.word == "wish":
            self.fits = cards.merge_copies(self.compiled.left_open(self.laid[-1], action.wish))

    def _lays(self, seat: int, action: Action) -> None:
        """Remove laid cards from the slots where they may have been: the card just drawn, or a likely one."""
        slots = self.slots[seat]
        for code in action.cards:
            if code in self.known[seat]:
                self.known[seat].remove(code)
            elif slots and self.drew:
                slots.pop()
            elif slots:
                may = [slot for slot in slots if not slot >> code & 1] or slots
                slots.remove(max(may, key=int.bit_count))
            self.laid.append(code)
        self.fits = cards.merge_copies(self.compiled.move(action.plain).fits)


class Position:
    """A decision of one seat with the cards it sees laid out, and the hidden ones in hand.

    `hidden` are the cards it cannot place, each as a set of one (notation/cards.py).
    """

    def __init__(self, belief: Belief, view: Any) -> None:
        if view.ask not in KINDS:
            raise BadGuess(f"a deal cannot be guessed at a decision of kind {view.ask}")
        compiled = belief.compiled
        if compiled.blind.applies:
            raise BadGuess("a deal cannot be guessed where cards are laid face down")
        self._free = {code: copies[:] for code, copies in belief.copies.items()}
        hand = self._seen([cards.code_of(name) for name in view.hand])
        laid = [self._seen([code]) for code in belief.laid]
        held = [self._seen(codes) if seat != belief.seat else hand for seat, codes in enumerate(belief.known)]
        self.hidden = [bit for copies in self._free.values() for bit in copies]
        self.slots = _list_hidden_slots(belief, view)
        self.lying = view.side if isinstance(view.side, list) else []
        if not laid or view.stock + len(self.slots) + sum(self.lying) != len(self.hidden):
            raise BadGuess(
                "the events do not account for every card: give a belief all that its seat has seen"
            )
        self.deal = _build_known_deal(belief, view, held)
        self.deal.topmost = laid[-1]
        self.deal.chain = _find_chain(compiled, view.owed, laid)
        self.deal.made.full = sum(compiled.pack.deck)
        _attach_menu(belief, view, self.deal)

    def _seen(self, codes: list[int]) -> int:
        """Mark these cards as not hidden, and return them as a set."""
        try:
            return sum(self._free[code].pop(0) for code in codes)
        except (KeyError, IndexError):
            raise BadGuess("the events and the hand do not fit together: a card is in two places") from None

    def guess(self, rng: Chance) -> Deal:
        """Return a deal with this seat to act, and the others' hands and the stock in one possible order."""
        pool = self.hidden[:]
        shuffle_cards(pool, rng)
        d = self.deal.copy()
        for seat, slot in self.slots:
            d.hands[seat] |= pool.pop(_find_place(pool, slot))
        calls = edit_calls(d)
        for seat, hand in enumerate(d.hands):
            if not hand & hand - 1:
                calls.said[seat] = hand if seat != calls.owing else 0
        if d.compiled.law.applies:
            _place_penalty_cards(d.court, d.hands, self.lying, pool)
        d.stock = sum(pool)
        d.epoch = ShuffleEpoch(0, d.stock, d.seats, Seed(repr(rng.random())), tuple(pool))
        return d


def _find_place(pool: list[int], slot: Slot) -> int:
    """Return the place of the first card that this hidden card can be; 0 if there is none."""
    if slot:
        for place, bit in enumerate(pool):
            if not cards.merge_copies(bit) & slot:
                return place
    return 0


def _place_penalty_cards(court: Court, hands: list[int], lying: list[int], pool: list[int]) -> None:
    """Place penalty cards as if they had been there before this turn, with no call owed."""
    for seat, count in enumerate(lying):
        court.side[seat] = tuple((-1, pool.pop()) for _ in range(count))
        court.lying |= sum(bit for _, bit in court.side[seat])
    court.settled = sum(1 << seat for seat, hand in enumerate(hands) if not hand & hand - 1)


def _list_hidden_slots(belief: Belief, view: Any) -> list[tuple[int, Slot]]:
    """Return the hidden cards of the other hands as (seat, slot), the most constrained first."""
    found = []
    for seat, count in enumerate(view.counts):
        if seat != belief.seat:
            slots = belief.slots[seat]
            missing = count - len(belief.known[seat]) - len(slots)
            found += [(seat, slot) for slot in slots[: len(slots) + min(missing, 0)]]
            found += [(seat, 0)] * missing
    return sorted(found, key=lambda pair: -pair[1].bit_count())


def _build_known_deal(belief: Belief, view: Any, held: list[int]) -> Deal:
    """Return the deal as far as the seat sees it."""
    compiled = belief.compiled
    d = Deal()
    d.clear(compiled, Seed(""))
    d.made.by_hand = True
    d.hands = held
    d.top = cards.code_of(view.top)
    d.wish = cards.SUITS.index(view.wish) if view.wish else -1
    d.fits = d.scope = cards.spread_copies(belief.fits, compiled.pack.copies)
    d.direction = view.direction
    d.out = list(view.out)
    d.faults = belief.faults.copy()
    d.winner = next((seat for seat in d.out if seat not in d.faults), None)
    if d.out and compiled.places:
        edit_features(d).last_cards = tuple(belief.last_cards)
    d.active = sum(1 << seat for seat in range(compiled.seats) if seat not in d.out)
    d.after = compiled.ring(d.direction, d.active)
    power = compiled.powers[d.top]
    d.owed, d.answers, d.after_take, d.skips = view.owed, power.answer, power.after, view.skips
    d.seat, d.to_act, d.asks = belief.seat, ALONE[belief.seat], view.ask
    if isinstance(view.also, list) and "!" in view.also:
        edit_calls(d).owing = belief.seat
    d.log = list(belief.events)
    return d


def _find_chain(compiled: CompiledRules, owed: int, laid: list[int]) -> int:
    """Return the top cards that are being owed for, where these stay when the pile is shuffled."""
    chain = 0
    while laid and owed > 0 and compiled.drawing.keeps_chain and compiled.powers[_get_code(laid[-1])].owe:
        power = compiled.powers[_get_code(laid[-1])]
        owed = owed // 2 if power.doubles and owed > power.owe else owed - power.owe
        chain |= laid.pop()
    return chain


def _attach_menu(belief: Belief, view: Any, d: Deal) -> None:
    """Attach the decision's menu with the moves of its actions."""
    if view.ask == "wish":
        ask_wish(d, belief.seat)
        return
    actions = [parse(text) for text in view.legal]
    words = [action.word for action in actions if action.word]
    tail = TAIL.get(words[0], NOTHING) if words else NOTHING
    power = belief.compiled.powers[d.top]
    if view.ask == "cover" and tail == DRAW:
        tail = COVER_TAILS[power.cover if view.hand else power.last]
    elif view.ask == "again" and tail == DRAW:
        tail = COVER
    elif tail == PASS and not view.stock and len(belief.laid) == 1 and not belief.drew and view.ask == "turn":
        tail = STUCK
    kinds = _collect_kinds([action.cards[0] for action in actions if not action.word])
    hand = d.hands[belief.seat]
    offer_actions(d, hand, hand & cards.spread_copies(kinds, belief.compiled.pack.copies), tail)
    if d.menu.actions != actions:
        raise BadGuess(f"this list of actions is not understood: {' '.join(view.legal)}")


def _collect_kinds(codes: list[int]) -> int:
    """Return these codes as a set, one copy."""
    return sum(1 << code for code in set(codes))


def _get_code(card: int) -> int:
    return (card.bit_length() - 1) % cards.STRIDE
