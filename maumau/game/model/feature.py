"""The interface of features: parts of the rules that some variants have, and others do not.

A feature has no state of its own: it reads the rules compiled for it and writes to the deal's `FeatureState`,
`CallState` or `Court`. Its methods are called at the moments that they are named after, and only where the
variant has the feature: `Hooks` lists them by moment when the rules are compiled, so that one that a variant
does not use costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from maumau.game.model.move import Menu, Move, Need
from maumau.game.notation.action import Action

if TYPE_CHECKING:
    from maumau.game.model.compiled import CompiledRules
    from maumau.game.model.state import State, Window

HOOKS: Final = (
    "begin_turn",
    "describe",
    "end_deal",
    "end_turn",
    "extend_menu",
    "extend_turn",
    "find_unlisted",
    "finish_taking",
    "hold_cards",
    "limit_cards",
    "list_actions",
    "pass_turn",
    "refresh",
)
"""The moments at which features are asked: names of methods of `Feature`."""


class Feature:
    """A part of the rules that some variants have.

    Args:
        name: Its name.
        applies: Tells whether the rules have it.
        stages: By name, the stages of a turn that are its own, and when each can do something.
        hooks: The methods of this class that it implements; those of the class itself do nothing.
    """

    __slots__ = ("applies", "hooks", "name", "stages")

    def __init__(
        self,
        name: str,
        applies: Callable[[CompiledRules], bool],
        stages: Mapping[str, Need] | None = None,
        hooks: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.applies = applies
        self.stages: Mapping[str, Need] = stages or {}
        self.hooks = hooks

    def begin_turn(self, d: State, seat: int, hand: int) -> bool:  # noqa: ARG002
        """Change the cards that fit before a turn is offered; return True if the seat has no such turn."""
        return False

    def describe(self, d: State) -> dict[str, Any]:  # noqa: ARG002
        """Return the fields of a view that are this feature's: what every seat may see."""
        return {}

    def end_deal(self, d: State) -> None:
        """Clear up at the end of the deal."""

    def end_turn(self, d: State) -> None:
        """Count a turn that is over."""

    def extend_menu(self, d: State) -> None:
        """Add actions to a menu just offered, or take some out."""

    def extend_turn(self, d: State, seat: int, hand: int) -> None:
        """Add actions to the menu of a turn just begun."""

    def find_unlisted(self, d: State, action: Action) -> Move | None:  # noqa: ARG002
        """Return the move of an action that is allowed though the menu does not list it."""
        return None

    def finish_taking(self, d: State, seat: int) -> bool:  # noqa: ARG002
        """Go on after owed cards were taken, instead of as their card says; return True if that was done."""
        return False

    def hold_cards(self, d: State) -> int:  # noqa: ARG002
        """Return the cards that are neither in the pile nor in the stock nor in a hand."""
        return 0

    def limit_cards(self, d: State, seat: int, hand: int) -> int:  # noqa: ARG002
        """Return the cards that a seat may lay, in place of the cards that fit."""
        return hand

    def list_actions(self, d: State, hand: int, may: int, tail: int) -> Menu:  # noqa: ARG002
        """Return the menu of a decision, instead of the one in which each card is laid alone."""
        return d.menu

    def pass_turn(self, d: State, seat: int) -> bool:  # noqa: ARG002
        """Ask the seat to which the turn passes, instead of what is usual; return True if that was done."""
        return False

    def refresh(self, d: State, seat: int) -> bool:  # noqa: ARG002
        """Ask a seat again whose hand has changed; return True if that was done."""
        return False


class Calls(Feature):
    """The calls of a variant, and what forgetting one costs: every variant has one of the implementations."""

    __slots__ = ()

    def start(self, d: State, held: list[int], *, settles: bool) -> None:
        """Begin with these hands; where `settles`, one card from the deal owes no call."""

    def get_due_call(self, d: State, seat: int, action: Action) -> str:  # noqa: ARG002
        """Return the call that this action owes in its listed form."""
        return ""

    def judge_card(self, d: State, seat: int, move: Move, action: Action) -> None:
        """Judge what its player said with a card, after which it has cards left."""

    def judge_turn(self, d: State, seat: int, action: Action) -> None:
        """Judge what was said in a turn that ends without a card laid."""

    def judge_last_card(self, d: State, seat: int, move: Move, action: Action, *, stays: bool) -> bool:  # noqa: ARG002
        """Judge what was said with a last card; return False if the seat must pay for it, or stays anyway."""
        return not stays

    def get_last_call_penalty(self, d: State) -> int:  # noqa: ARG002
        """Return the price in cards of a last card without its call."""
        return 0

    def expect_call_again(self, d: State, seat: int) -> None:
        """Expect a call again from a seat that stays in play."""

    def settle_missed_call(self, d: State, seat: int) -> None:
        """Charge another seat whose call is still missing now that this one has acted."""

    def may_call_late(self, d: State, seat: int) -> bool:  # noqa: ARG002
        """Return True if a seat may still make its call without another action."""
        return False

    def make_late_call(self, d: State, seat: int, action: Action) -> bool:  # noqa: ARG002
        """Make a call without another action; return False if it is too late."""
        return False

    def list_accusations(self, d: State, seat: int) -> list[str]:  # noqa: ARG002
        """Return the accusations that a seat could make now, as notation."""
        return []

    def handle_accusation(self, d: State, seat: int, action: Action) -> bool:  # noqa: ARG002
        """Carry out an accusation; return False if it is not allowed."""
        return False

    def draw_card(self, d: State, seat: int, action: Action) -> int:
        """Let a seat draw a card and return it (0 if there is none)."""
        raise NotImplementedError

    def take_owed_cards(self, d: State, seat: int, action: Action) -> None:
        """Let a seat take the cards that it owes."""
        raise NotImplementedError

    def give_penalty_card(self, d: State, seat: int) -> None:
        """Give the seat a penalty card."""
        raise NotImplementedError

    def punish_dealer(self, d: State, dealer: int) -> None:
        """Punish the dealer's errors."""

    def keep_turn_owner(self, d: State, seat: int) -> None:
        """Note whose turn it is that a card thrown in ends."""

    def ask_for_accusations(self, d: State, seat: int) -> bool:  # noqa: ARG002
        """Ask at the end of a turn whether others accuse somebody; return True if they are asked."""
        return False

    def end_zug(self, d: State, seat: int) -> None:
        """End the turn for calls and penalty cards."""

    def begin_first_zug(self, d: State) -> None:
        """Begin the first turn: the cards are dealt, and the up card is settled."""

    def adjourn(self, d: State, window: Window) -> bool:  # noqa: ARG002
        """Close a window to which all have replied; return True if charges must be heard now."""
        return False

    def has_charges(self, d: State) -> bool:  # noqa: ARG002
        """Return True if charges wait to be heard."""
        return False

    def note_closed_windows(self, d: State) -> None:
        """Note the windows that closed silently before the next event."""


class Hooks:
    """The features of a variant by the moments at which they are asked, in the order of `FEATURES`."""

    __slots__ = HOOKS

    def __init__(self, features: tuple[Feature, ...]) -> None:
        self.begin_turn = _select(features, "begin_turn")
        self.describe = _select(features, "describe")
        self.end_deal = _select(features, "end_deal")
        self.end_turn = _select(features, "end_turn")
        self.extend_menu = _select(features, "extend_menu")
        self.extend_turn = _select(features, "extend_turn")
        self.find_unlisted = _select(features, "find_unlisted")
        self.finish_taking = _select(features, "finish_taking")
        self.hold_cards = _select(features, "hold_cards")
        self.limit_cards = _select(features, "limit_cards")
        self.list_actions = _select(features, "list_actions")
        self.pass_turn = _select(features, "pass_turn")
        self.refresh = _select(features, "refresh")


def _select(features: tuple[Feature, ...], hook: str) -> tuple[Feature, ...]:
    return tuple(feature for feature in features if hook in feature.hooks)
