"""Playouts: deals played on inside the engine, by a policy instead of by players.

A deal comes out as if `legal`, `due` and `apply` had been called for each of its decisions, with the same
choices. So that a decision costs little, no list is copied, nothing is looked up twice, and a preference
keeps what it chooses from each menu.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from maumau.game.model.chance import Chance
from maumau.game.model.move import Menu
from maumau.game.model.state import NOBODY, State
from maumau.game.notation.action import Action
from maumau.game.notation.cards import SUITS, suit_mask
from maumau.game.play.run import RUNS, carry_out_reply
from maumau.game.table.end import finish_deal

Draw = Callable[[], float]  # the method `random` of a `random.Random`
KEPT: Final = 20_000  # menus of which a preference keeps its choice
OTHERS: Final = "*"  # in an order of ranks: every rank that is not in it
SUIT: Final = [suit_mask(suit) for suit in range(len(SUITS))]
ORDERS: Final = {"mau_mau": "8*A7", "prsi": "*A7", "app": "*87"}
USUAL_ORDER: Final = "*A7"
"""Orders of ranks that win most in playouts of a variant, and of any other one."""


class Policy:
    """The choice of actions in playouts: here each listed one equally often, by one number of chance."""

    __slots__ = ()

    def choose(self, d: State, seat: int, menu: Menu, draw: Draw) -> Action:  # noqa: ARG002
        """Return the action that this seat takes from its menu."""
        actions = menu.actions
        return actions[int(draw() * len(actions))]


class Preference(Policy):
    """The first cards by an order of ranks, then wild ones, then words; a wish is for the suit held most.

    It uses no chance: of equals it takes the one listed first. Out of turn it takes the first wish, too.
    """

    __slots__ = ("_kept", "_rates", "order")

    def __init__(self, order: str) -> None:
        """Take the order of the ranks, such as `8*A7`: eights first, sevens last, `*` for all others."""
        self.order = order
        self._rates: dict[Action, float] = {}
        self._kept: dict[Menu, list[Action]] = {}

    def rate(self, action: Action) -> float:
        """Return how early an action is taken: 1 for the order's first, 0 for wild cards, -1 for words."""
        known = self._rates.get(action)
        if known is None:
            known = self._rates[action] = self._compute_rate(action)
        return known

    def choose(self, d: State, seat: int, menu: Menu, draw: Draw) -> Action:  # noqa: ARG002
        """Return the action that this seat prefers."""
        if seat != d.seat:
            return max(menu.actions, key=self.rate)
        equals = self._kept.get(menu)
        if equals is None:
            equals = self._keep_best(menu)
        best = equals[0]
        if len(equals) > 1:
            hand, most = d.hands[seat], -1
            for action in equals:
                held = (hand & SUIT[action.wish]).bit_count()
                if held > most:
                    best, most = action, held
        return best

    def _compute_rate(self, action: Action) -> float:
        if action.word:
            return -1.0
        if action.wish >= 0:
            return 0.0
        rank = action.text[0] if action.text[0] in self.order else OTHERS
        return 1 - self.order.index(rank) / len(self.order)

    def _keep_best(self, menu: Menu) -> list[Action]:
        """Return the best action of a menu, with all its wishes."""
        best = max(menu.actions, key=self.rate)
        wishes = [action for action in menu.actions if action.cards == best.cards and action.wish >= 0]
        if len(self._kept) >= KEPT:
            self._kept.clear()
        kept = self._kept[menu] = wishes if best.wish >= 0 else [best]
        return kept


RANDOM: Final = Policy()


@cache
def load_preference(variant: str) -> Preference:
    """Return the preference by this variant's order: one in a process, since it keeps its choices."""
    return Preference(ORDERS.get(variant, USUAL_ORDER))


class Trial:
    """A seat's choices tried out: one is carried out in a copy of a deal, which is played on and judged.

    A deal is worth 1 to its winner and 0 to whoever comes last, and `margin` for each of at most `counted`
    cards left over; one that is not over an even share, and the margin for every card that the others hold
    more. `played` and `listed` are those of the last trial (`play_on`), without the choice itself.
    """

    __slots__ = ("_counted", "_margin", "_most", "_policy", "_seat", "_twin", "listed", "played")

    def __init__(self, seat: int, policy: Policy, most: int, margin: float, counted: int) -> None:
        self._seat = seat
        self._policy = policy
        self._most = most  # actions after the choice
        self._margin = margin
        self._counted = counted
        self._twin = State()
        self.played = self.listed = 0

    def judge_action(self, d: State, action: Action, rng: Chance) -> float:
        """Return the worth of the deal that this listed action leads to; `d` stays as it is."""
        twin = self._twin
        twin.fill(d)
        known = len(twin.menu.actions)
        played, listed = play_on(twin, rng.random, self._policy, self._most + 1, action)
        self.played, self.listed = played - 1, listed - known
        return self._judge_end(twin) if twin.over else self._judge_hands(twin)

    def _judge_end(self, d: State) -> float:
        seat, others = self._seat, d.seats - 1
        hands = [hand.bit_count() for hand in d.hands]
        if d.winner == seat:
            return 1 + self._margin * min(self._counted, sum(hands))
        mine = hands[seat]
        lost = self._margin * min(self._counted, mine)
        if others == 1:
            return (0.5 if d.winner is None else 0.0) - lost
        if seat in d.out:
            return (others - d.out.index(seat)) / others
        return sum([hand > mine for hand in hands]) / others - lost

    def _judge_hands(self, d: State) -> float:
        hands = [hand.bit_count() for hand in d.hands]
        mine = hands[self._seat]
        if d.winner is not None:
            return -self._margin * min(self._counted, mine)
        rest = (sum(hands) - mine) / (d.seats - 1)
        return min(1.0, max(0.0, 1 / d.seats + self._margin * (rest - mine)))


def play_on(d: State, draw: Draw, policy: Policy, most: int, first: Action | None = None) -> tuple[int, int]:
    """Play a deal on by a policy, to its end or for `most` actions (0: no limit).

    `first` is the action to begin with, of the seat on turn. Return the number of actions and of all that
    were listed with them for seats on turn.
    """
    played = listed = 0
    largest = d.compiled.largest_hand_owing_call
    calls = d.compiled.calls
    while not d.over:
        seat = d.seat
        if seat == NOBODY:
            _reply(d, draw, policy)
        else:
            menu = d.menu
            listed += len(menu.actions)
            action = policy.choose(d, seat, menu, draw) if first is None else first
            first = None
            move = menu.moves[action.text]
            if largest >= 0:
                hand = d.hands[seat]
                rest = hand & hand - 1
                if (largest > 2 or not rest & rest - 1) and (call := calls.get_due_call(d, seat, action)):
                    action += call  # with at most two cards in hand
            d.left -= 1
            run = move.run
            if run is None:
                run = move.run = RUNS[move.kind]
            run(d, seat, move, action)
            if not d.left and not d.over:
                finish_deal(d)
        played += 1
        if played == most:
            break
    return played, listed


def _reply(d: State, draw: Draw, policy: Policy) -> None:
    """Reply to the open window for the first seat that must."""
    seat = d.to_act[0]
    if d.window is None:
        raise AssertionError("a deal in which no seat is on turn has a window open")
    action = policy.choose(d, seat, d.window.menus[seat], draw)
    if d.hands[seat].bit_count() <= d.compiled.largest_hand_owing_call:
        action += d.compiled.calls.get_due_call(d, seat, action)
    carry_out_reply(d, seat, action)
