"""The state of a deal: plain fields, cheap to copy. Other modules of the package modify it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maumau.game.model.chance import Seed, ShuffleEpoch
from maumau.game.model.court import Court
from maumau.game.model.move import HOLD, NOTHING_DUE, Menu, Move, Stage
from maumau.game.notation.action import NOBODY, SEATS, Action, parse
from maumau.game.notation.event import Event

if TYPE_CHECKING:
    from maumau.game.model.compiled import CompiledRules
    from maumau.game.ruleset.rules import Rules

ALONE: Final = tuple((seat,) for seat in range(len(SEATS)))
ON_TURN: Final = ("turn", "answer", "cover", "again")  # questions to the seat whose turn it is


class TurnProgress:
    """A turn in progress: its seat, what was done in it, and the stages to come. It never changes."""

    __slots__ = ("action", "asked", "move", "seat", "stages")

    def __init__(
        self, seat: int, move: Move, action: Action, stages: tuple[Stage, ...], asked: str = ""
    ) -> None:
        self.seat = seat
        self.move = move
        self.action = action
        self.stages = stages
        self.asked = asked  # the kind of decision that was due when it was interrupted


DONE: Final = TurnProgress(NOBODY, HOLD, parse("hold"), ())
PAUSED: Final = TurnProgress(NOBODY, HOLD, parse("hold"), ())


class Window:
    """An open window: the seats asked with their menus, the replies, and the turn that goes on afterwards.

    It changes only while it is opened, so copies share it.
    """

    __slots__ = ("asked", "menus", "opener", "replies", "turn")

    def __init__(self, opener: int, menus: dict[int, Menu]) -> None:
        self.opener = opener
        self.menus = menus
        self.replies: dict[int, Action] = {}
        self.asked = ""  # the kind of decision that it interrupts
        self.turn = DONE

    def reply(self, seat: int, action: Action) -> Window:
        """Return the window with one more reply."""
        after = Window(self.opener, self.menus)
        after.asked, after.turn = self.asked, self.turn
        after.replies = {**self.replies, seat: action}
        return after


class CallState:
    """The state of calls. Copies of a deal share it; to change it, take a copy (`edit_calls`)."""

    __slots__ = ("doubled_winner", "missed", "owing", "said", "stale", "suspect")

    def clear(self, seats: int) -> CallState:
        """Reset to the start of a deal. A new state has no fields, so that a copy need not reset them."""
        self.said = [0] * seats  # the last card for which a seat has made its call
        self.missed: dict[int, tuple[str, ...]] = {}  # the accusations of a seat that would be right
        self.owing = NOBODY  # the seat that has one card left and has not said so
        self.suspect = NOBODY  # the seat left with one card by its last turn, while the next turn goes on
        self.stale = NOBODY  # the seat whose missed call can be accused until the next turn is over
        self.doubled_winner = NOBODY  # the seat whose last card was laid with the special word it asks for
        return self

    def copy(self) -> CallState:
        """Return an independent copy."""
        twin = CallState()
        twin.said = self.said[:]
        twin.missed = self.missed.copy() if self.missed else {}
        twin.owing = self.owing
        twin.suspect = self.suspect
        twin.stale = self.stale
        twin.doubled_winner = self.doubled_winner
        return twin


class Claim:
    """A card laid face down that nobody has believed or doubted yet. It never changes, so copies share it."""

    __slots__ = ("action", "asks", "card", "menu", "move", "seat")

    def __init__(self, seat: int, card: int, action: Action, move: Move, asks: str, menu: Menu) -> None:
        self.seat = seat
        self.card = card  # the card that was really laid, a set of one
        self.action = action
        self.move = move  # what it does if it counts
        self.asks = asks  # the decision that the claim was made in
        self.menu = menu


class FeatureState:
    """The state of features that only some variants have, and of what seldom changes.

    Copies of a deal share it; to change it, take a copy (`edit_features`).
    """

    __slots__ = (
        "absent",
        "claimed",
        "finishers",
        "interrupted",
        "king_turns_left",
        "last_cards",
        "queens",
        "rescued",
        "turning",
    )

    def clear(self) -> FeatureState:
        """Reset to the start of a deal. A new state has no fields, so that a copy need not reset them."""
        self.claimed: Claim | None = None  # laid face down, and not yet believed or doubted
        self.absent = 0  # the seats that miss their next turn: they doubted the truth
        self.finishers: tuple[int, ...] = ()  # the seats whose last card may still be answered
        self.queens = NOBODY  # the seat that has started a queen round
        self.interrupted: TurnProgress = DONE  # the turn that goes on after a king being thrown in
        self.last_cards: tuple[int, ...] = ()  # with places: the codes with which the seats in `out` went out
        self.king_turns_left = 0  # for how many turns, this one included, kings may still be thrown in
        # owed cards already drawn while a drawn one may be laid at once; else RESCUED (features/effect.py)
        self.rescued = 0
        self.turning = False  # the direction changes when this turn is over
        return self

    def copy(self) -> FeatureState:
        """Return an independent copy."""
        twin = FeatureState()
        twin.claimed = self.claimed
        twin.absent = self.absent
        twin.finishers = self.finishers
        twin.queens = self.queens
        twin.interrupted = self.interrupted
        twin.king_turns_left = self.king_turns_left
        twin.last_cards = self.last_cards
        twin.rescued = self.rescued
        twin.turning = self.turning
        return twin


UNUSED: Final = FeatureState().clear()
FORFEITS: Final = 2
"""The version by which forfeits count: `Made.forfeits`."""
GIVEN_UP: Final = ("forfeit", "stall")
"""The kinds of faults by which a deal is lost unplayed, and with it its game."""
NO_COURT: Final = Court().clear(len(SEATS))  # of a variant without one: no penalty cards, no charges


class Made:
    """A deal as it was made. It changes only until the cards are dealt, so copies share it."""

    __slots__ = (
        "by_hand",
        "cut",
        "dealt",
        "first",
        "forfeits",
        "full",
        "laid",
        "lives",
        "rest",
        "sizes",
        "totals",
        "up",
    )

    def __init__(self) -> None:
        self.by_hand = False
        self.first = 0  # the seat that leads
        # 1: forfeits count as in records from before version 2. A forfeiter leads those who forfeit after a
        # deal that nobody won, a stand-in that goes out doubles points, and who has gone out keeps the win.
        self.forfeits = FORFEITS
        self.full = 0  # every card of this deal
        self.dealt: list[list[int]] = []
        self.up = 0
        self.sizes: list[int] = []  # of the hands, where they differ; 0: the seat is not in this deal
        self.totals: list[int] | None = None  # of the game before this deal
        self.lives: list[int] | None = None
        self.cut: list[int] = []  # the cards exposed by the cut
        self.laid: tuple[int, ...] = ()  # by hand: the stock
        self.rest: tuple[int, ...] = ()  # by hand: the cards under it


class State:
    """A deal in progress. Card sets are bit sets (notation/cards.py), lists by seat unless said otherwise."""

    __slots__ = (
        "active",
        "after",
        "after_take",
        "answers",
        "asks",
        "at",
        "calls",
        "chain",
        "compiled",
        "court",
        "direction",
        "epoch",
        "faults",
        "features",
        "fits",
        "hands",
        "idle",
        "left",
        "log",
        "made",
        "menu",
        "menus",
        "out",
        "over",
        "owed",
        "scope",
        "seat",
        "skips",
        "stock",
        "to_act",
        "top",
        "topmost",
        "window",
        "winner",
        "wish",
    )

    def clear(self, compiled: CompiledRules, seed: Seed) -> None:
        """Reset to an empty deal. A new state has no fields, so that a copy need not reset them first."""
        self.compiled = compiled
        # the cards
        self.hands: list[int] = [0] * compiled.seats
        self.stock = 0
        self.top = -1  # the code of the card that counts
        self.topmost = 0  # the physical card on top
        self.wish = -1  # the suit wished for, or -1
        self.fits = 0  # the cards that may be laid on the pile in a normal turn
        # chance
        self.epoch = ShuffleEpoch(0, 0, 0, seed)
        self.at: list[int] = [0] * compiled.seats  # each seat's position in its permutation
        # the order of play
        self.direction = compiled.order.direction
        self.active = (1 << compiled.seats) - 1  # the seats that are not out
        self.after: tuple[int, ...] = compiled.ring(self.direction, self.active)
        self.out: list[int] = []
        # pending effects
        self.owed = 0
        self.chain = 0  # the cards being owed for, where they stay when the pile is shuffled
        self.answers = 0  # the cards that may answer what is owed or the missed turn
        self.after_take = 0
        self.skips = 0
        self._undecided(compiled)

    def _undecided(self, compiled: CompiledRules) -> None:
        """Reset the fields of the decision, of calls and features, of the deal's set-up and end."""
        # the decision that is due
        self.seat = NOBODY
        self.to_act: tuple[int, ...] = ()
        self.asks = ""
        self.menus = compiled.cache.menus
        self.menu: Menu = NOTHING_DUE
        self.scope = 0  # after a draw: the cards that may still be laid
        self.window: Window | None = None
        # what others than the seat on turn watch, and what only some variants have
        self.calls = CallState().clear(compiled.seats)
        self.court = Court().clear(compiled.seats) if compiled.law.applies else NO_COURT
        self.features = UNUSED
        # the deal
        self.made = Made()
        self.idle = 0  # turns passed in a row with nothing to draw
        self.left = compiled.most  # decisions until the deal is stopped
        self.over = False
        self.winner: int | None = None
        self.faults: dict[int, str] = {}
        self.log: list[Event] = []

    def fill(self, twin: State) -> None:
        """Make this state a copy of `twin`: they share only what never changes, or not without a copy."""
        self.compiled = twin.compiled
        self.hands = twin.hands[:]
        self.stock = twin.stock
        self.top = twin.top
        self.topmost = twin.topmost
        self.wish = twin.wish
        self.fits = twin.fits
        self.epoch = twin.epoch
        self.at = twin.at[:]
        self.direction = twin.direction
        self.active = twin.active
        self.after = twin.after
        self.out = twin.out[:]
        self.owed = twin.owed
        self.chain = twin.chain
        self.answers = twin.answers
        self.after_take = twin.after_take
        self.skips = twin.skips
        self.seat = twin.seat
        self.to_act = twin.to_act
        self.asks = twin.asks
        self.menus = twin.menus
        self.menu = twin.menu
        self.scope = twin.scope
        self.window = twin.window
        self.calls = twin.calls
        court = twin.court
        self.court = court if court is NO_COURT else court.copy()
        self.features = twin.features
        self.made = twin.made
        self.idle = twin.idle
        self.left = twin.left
        self.over = twin.over
        self.winner = twin.winner
        self.faults = twin.faults.copy() if twin.faults else {}
        self.log = twin.log[:]

    @property
    def rules(self) -> Rules:
        """The rules of the deal."""
        return self.compiled.rules

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.compiled.seats

    @property
    def seed(self) -> Seed:
        """The seed from which all chance of the deal comes."""
        return self.epoch.seed


def edit_calls(d: State) -> CallState:
    """Return the state of calls as a copy that is this deal's own, to be changed at once."""
    calls = d.calls = d.calls.copy()
    return calls


def edit_features(d: State) -> FeatureState:
    """Return the state of features as a copy that is this deal's own, to be changed at once."""
    features = d.features = d.features.copy()
    return features


__all__ = [
    "ALONE",
    "DONE",
    "NOBODY",
    "NO_COURT",
    "PAUSED",
    "CallState",
    "Claim",
    "FeatureState",
    "Made",
    "State",
    "TurnProgress",
    "Window",
    "edit_calls",
    "edit_features",
]
