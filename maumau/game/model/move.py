"""A move: the compiled effect of one action, looked up once and cached."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal

from maumau.game.notation.action import Action
from maumau.game.ruleset.power import Power

if TYPE_CHECKING:
    from maumau.game.model.compiled import CompiledRules
    from maumau.game.model.state import State, TurnProgress

Run = Callable[["State", int, "Move", Action], None]
Effect = Callable[["State", int, "Move"], None]
Stage = Callable[["State", int, "Move", Action], "TurnProgress | None"]
Need = Callable[["CompiledRules", "Move"], bool]  # tells when a stage can do something
Kind = Literal[
    "accept_claim",
    "accept_dealers_wish",
    "accept_missed_turn",
    "continue_drawing",
    "doubt_claim",
    "draw_after_kings",
    "draw_and_choose",
    "draw_and_end_turn",
    "draw_on_turn",
    "draw_too_many",
    "draw_until_covered",
    "end_chain",
    "hold",
    "keep_cut_cards",
    "lay_card",
    "lay_cards",
    "lay_face_down",
    "lay_illegal_card",
    "lay_rescue_card",
    "lay_transparent_card",
    "pass_turn",
    "pass_with_nothing_to_draw",
    "pick_up_ripe_cards",
    "take_owed_cards",
]


class Menu:
    """The action list of a decision, in canonical order, and the move of each action by its text."""

    __slots__ = ("actions", "listed", "moves", "short")

    def __init__(self, actions: list[Action], moves: dict[str, Move], *, short: bool = False) -> None:
        self.actions = actions
        self.moves = moves
        self.short = short  # more cards may be laid together than are listed
        self.listed = ""  # the list as JSON, cached on first use


def make_menu(moves: dict[Action, Move], *, short: bool = False) -> Menu:
    """Return the menu of these actions."""
    return Menu(list(moves), {action.text: move for action, move in moves.items()}, short=short)


def join_menus(parts: list[Menu], *, short: bool = False) -> Menu:
    """Return the concatenated menus; no action may be in two of them."""
    actions: list[Action] = []
    moves: dict[str, Move] = {}
    for part in parts:
        actions += part.actions
        moves |= part.moves
    return Menu(actions, moves, short=short)


def join_three_menus(lower: Menu, upper: Menu, words: Menu) -> Menu:
    """Return the concatenation of the usual three parts."""
    return Menu(
        [*lower.actions, *upper.actions, *words.actions], {**lower.moves, **upper.moves, **words.moves}
    )


class Move:
    """A compiled action: its kind, which `run.RUNS` carries out, its cards and their effects."""

    __slots__ = (
        "bits",
        "code",
        "count",
        "effects",
        "fits",
        "fused",
        "kind",
        "last_stages",
        "passes",
        "plain",
        "power",
        "run",
        "said",
        "stages",
        "target",
        "touch",
        "wish",
    )

    def __init__(self, kind: Kind) -> None:
        self.kind: Kind = kind
        self.run: Run | None = None  # what carries it out, looked up once in `run.RUNS`
        self.bits = 0
        self.code = -1
        self.fits = 0
        self.wish = -1
        self.target = -1  # a seat
        self.count = 1  # cards laid together
        self.power = Power()
        self.effects: tuple[str, ...] = ()  # names of effect.EFFECTS
        self.stages: tuple[Stage, ...] = ()  # of its turn: see play/turn.py
        self.last_stages: tuple[Stage, ...] = ()  # if it was the last card
        self.plain = True  # no effect: the turn goes to the next seat
        self.fused = False  # laid without stages where no call can be due
        self.passes = False  # an effect, but the turn goes to the next seat
        self.said = ""  # the declaration made with it
        self.touch = False  # all must touch the table's edge for it


NOTHING_DUE: Final = Menu([], {})
HOLD: Final = Move("hold")  # of a reply that only closes a window
