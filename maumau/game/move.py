"""A move: what one action does under the rules, looked up once and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from maumau.game.action import Action
from maumau.game.power import Power

if TYPE_CHECKING:
    from maumau.game.state import State

Run = Callable[["State", int, "Move", Action], None]
Effect = Callable[["State", int, "Move"], None]


class Menu:
    """The action list of a decision, in canonical order, and the move of each action by its text."""

    __slots__ = ("actions", "listed", "moves", "short")

    def __init__(self, moves: dict[Action, Move], *, short: bool = False) -> None:
        self.actions = list(moves)
        self.moves = {action.text: move for action, move in moves.items()}
        self.short = short  # more cards may be laid together than are listed
        self.listed = ""  # the list as JSON, once somebody has asked for it


def join_menus(parts: list[Menu], *, short: bool = False) -> Menu:
    """The lists one after the other; no action is in two of them."""
    menu = Menu({}, short=short)
    actions, moves = menu.actions, menu.moves
    for part in parts:
        actions += part.actions
        moves |= part.moves
    return menu


def join_three_menus(lower: Menu, upper: Menu, words: Menu) -> Menu:
    """The same for the usual three parts."""
    menu = Menu({})
    menu.actions = [*lower.actions, *upper.actions, *words.actions]
    menu.moves = {**lower.moves, **upper.moves, **words.moves}
    return menu


class Move:
    """One action made ready: `run` carries it out; the rest says which cards it lays and what they do."""

    __slots__ = (
        "bits",
        "code",
        "count",
        "cover",
        "effects",
        "fits",
        "passes",
        "plain",
        "power",
        "run",
        "said",
        "target",
        "touch",
        "wish",
    )

    def __init__(self, run: Run) -> None:
        self.run = run
        self.bits = 0
        self.code = -1
        self.fits = 0
        self.wish = -1
        self.target = -1  # a seat
        self.count = 1  # cards laid together
        self.power = Power()
        self.effects: tuple[Effect, ...] = ()
        self.plain = True  # nothing but laying: it has no effect, and the turn goes to the next seat
        self.passes = False  # it has an effect, and the turn goes to the next seat
        self.said = ""  # what is declared with it
        self.touch = False  # all must still touch the table's edge for it

    def touched(self) -> Move:
        """The same when all have touched the table's edge."""
        twin = Move(self.run)
        twin.bits, twin.code, twin.fits, twin.wish = self.bits, self.code, self.fits, self.wish
        twin.target, twin.count, twin.power, twin.effects = self.target, self.count, self.power, self.effects
        twin.plain, twin.passes, twin.said = self.plain, self.passes, self.said
        return twin


NOTHING_DUE: Final = Menu({})
