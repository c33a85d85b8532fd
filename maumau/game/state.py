"""The state of a deal: plain fields, cheap to copy. The rooms beside this one read and change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maumau.game.action import SEATS
from maumau.game.chance import Epoch, Seed
from maumau.game.court import Court
from maumau.game.event import Event
from maumau.game.move import NOTHING_DUE, Menu

if TYPE_CHECKING:
    from maumau.game.blind import Claim
    from maumau.game.compiled import CompiledRules
    from maumau.game.rules import Rules
    from maumau.game.window import Window

ALONE: Final = tuple((seat,) for seat in range(len(SEATS)))
NOBODY: Final = -1
NO_EPOCH: Final = Epoch(0, 0, 0)


class State:
    """A deal in progress. Sets of cards are bit sets (cards.py), lists are by seat unless said otherwise."""

    __slots__ = (
        "absent", "active", "after", "after_take", "answers", "asks", "at", "by_hand", "chain", "claimed",
        "compiled", "court", "cut", "dealt", "direction", "doubled_winner", "epoch", "faults", "finishers",
        "first", "fits", "full", "hands", "has_unlisted_actions", "idle", "king_turns_left", "laid",
        "largest_hand_owing_call", "left", "lives", "log", "menu", "menus", "missed", "next_card", "order",
        "out", "over", "owed", "owing", "queens", "rescued", "rest", "row", "rules", "said", "scope",
        "seat", "seats", "seed", "sizes", "skips", "stale", "stock", "suspect", "to_act", "top", "topmost",
        "totals", "turning", "up", "window", "winner", "wish",
    )  # fmt: skip

    def clear(self, rules: Rules, compiled: CompiledRules, seed: Seed) -> None:
        """Nothing is dealt yet. A state is made empty, so that a copy need not be cleared first."""
        seats = compiled.seats
        self.rules = rules
        self.compiled = compiled
        self.seats = seats
        self.seed = seed
        # what lies where
        self.full = 0  # every card of this deal
        self.hands: list[int] = [0] * seats
        self.stock = 0
        self.top = -1  # the code of the card that counts
        self.topmost = 0  # the card that really lies on top
        self.wish = -1  # the suit wished for, or -1
        self.fits = 0  # what may be laid on the pile in a normal turn
        # chance
        self.by_hand = False
        self.order: tuple[int, ...] = ()  # the stock of a deal by hand, drawn first to last
        self.next_card = 0
        self.epoch = NO_EPOCH
        self.at: list[int] = [0] * seats  # how far each seat has come in its permutation
        # the order of play
        self.first = 0
        self.direction = compiled.direction
        self.active = compiled.everybody  # the seats that are not out
        self.after: tuple[int, ...] = compiled.around
        self.out: list[int] = []
        # what is pending
        self.owed = 0
        self.chain = 0  # the cards laid for what is owed, where they stay when the pile is shuffled
        # cards already drawn of what is owed, while a drawn one may be laid at once; else RESCUED (effect.py)
        self.rescued = 0
        self.answers = 0  # the cards that may answer what is owed or the missed turn
        self.after_take = 0
        self.skips = 0
        self.absent = 0  # the seats that miss their next turn: they doubted the truth
        self.claimed: Claim | None = None  # laid face down, and not yet believed or doubted
        self._undecided(compiled)
        self._undisturbed()

    def _undecided(self, compiled: CompiledRules) -> None:
        """Nobody has done anything yet."""
        # the decision that is due
        self.seat = NOBODY
        self.to_act: tuple[int, ...] = ()
        self.asks = ""
        self.menus = compiled.menus
        self.menu: Menu = NOTHING_DUE
        self.has_unlisted_actions = (
            compiled.has_unlisted_actions
        )  # more may be done than is listed: cards laid together, a claim, a foul
        self.largest_hand_owing_call = (
            compiled.largest_hand_owing_call
        )  # no call is owed with more cards in hand
        # the deal as it was made
        self.dealt: list[list[int]] = []
        self.up = 0
        # cards dealt to each seat, where they differ; 0: the seat is not in this deal
        self.sizes: list[int] = []
        self.totals: list[int] | None = None  # of the game before this deal
        self.lives: list[int] | None = None
        self.cut: list[int] = []  # the cards exposed by the cut
        self.laid: tuple[int, ...] = ()  # by hand: the stock
        self.rest: tuple[int, ...] = ()  # by hand: what lies under it
        self._unsaid(compiled)

    def _unsaid(self, compiled: CompiledRules) -> None:
        """No call has been made, and nothing has ended."""
        self.said = [0] * compiled.seats  # the last card for which a seat has made its call
        self.owing = NOBODY  # the seat that has one card left and has not said so
        self.missed: dict[int, tuple[str, ...]] = {}  # what a seat may rightly be accused of
        self.suspect = NOBODY  # the seat whose last turn left it one card, while the next turn goes on
        self.stale = NOBODY  # the seat whose missed call can be accused until the next turn is over
        self.scope = 0  # after a draw: the cards that may still be laid
        self.window: Window | None = None
        self.court = Court().clear(compiled.seats) if compiled.law is not None else None
        self.idle = 0  # turns passed in a row with nothing to draw
        self.left = compiled.most  # decisions until the deal is stopped
        self.over = False
        self.winner: int | None = None
        self.doubled_winner = NOBODY  # the seat whose last card was laid with the special word it asks for
        self.faults: dict[int, str] = {}
        self.log: list[Event] = []

    def _undisturbed(self) -> None:
        """Nothing goes on that changes who may lay what, and when."""
        self.turning = False  # the direction changes when this turn is over
        self.queens = NOBODY  # who has started a queen round
        self.row: Window | None = None  # what a king thrown in has interrupted
        self.king_turns_left = 0  # for how many turns, this one included, kings may still be thrown in
        self.finishers: tuple[int, ...] = ()  # who has laid a last card that may still be answered

    def fill(self, twin: State) -> None:
        """Make this state a copy of its twin: it shares only what never changes."""
        self.rules = twin.rules
        self.compiled = twin.compiled
        self.seats = twin.seats
        self.seed = twin.seed
        self.full = twin.full
        self.hands = twin.hands[:]
        self.stock = twin.stock
        self.top = twin.top
        self.topmost = twin.topmost
        self.wish = twin.wish
        self.fits = twin.fits
        self.by_hand = twin.by_hand
        self.order = twin.order
        self.next_card = twin.next_card
        self.epoch = twin.epoch
        self.at = twin.at[:]
        self.first = twin.first
        self.direction = twin.direction
        self.active = twin.active
        self.after = twin.after
        self.out = twin.out[:]
        self.owed = twin.owed
        self.chain = twin.chain
        self.answers = twin.answers
        self.after_take = twin.after_take
        self.skips = twin.skips
        self.absent = twin.absent
        self.claimed = twin.claimed
        self._fill_decision(twin)

    def _fill_decision(self, twin: State) -> None:
        self.seat = twin.seat
        self.to_act = twin.to_act
        self.asks = twin.asks
        self.menus = twin.menus
        self.menu = twin.menu
        self.has_unlisted_actions = twin.has_unlisted_actions
        self.largest_hand_owing_call = twin.largest_hand_owing_call
        self.rescued = twin.rescued
        self.dealt = twin.dealt
        self.up = twin.up
        self.sizes = twin.sizes
        self.totals = twin.totals
        self.lives = twin.lives
        self.cut = twin.cut
        self.laid = twin.laid
        self.rest = twin.rest
        self.said = twin.said[:]
        self.owing = twin.owing
        self.missed = twin.missed.copy() if twin.missed else {}
        self.suspect = twin.suspect
        self.stale = twin.stale
        self.scope = twin.scope
        self.window = twin.window
        self.court = None if twin.court is None else twin.court.copy()
        self.turning = twin.turning
        self.queens = twin.queens
        self.row = twin.row
        self.king_turns_left = twin.king_turns_left
        self.idle = twin.idle
        self.left = twin.left
        self.finishers = twin.finishers
        self.over = twin.over
        self.winner = twin.winner
        self.doubled_winner = twin.doubled_winner
        self.faults = twin.faults.copy() if twin.faults else {}
        self.log = twin.log[:]
