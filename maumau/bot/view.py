"""A bot's view of a decision, and functions for parts of the notation that bots need to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from maumau.errors import BadGuess

if TYPE_CHECKING:
    from random import Random

    from maumau import game
    from maumau.bot.sdk import Bot
    from maumau.game import Deal

RANKS = "23456789TJQKA"
SUITS = "CSHD"


class Accused(msgspec.Struct, frozen=True):
    """An accusation before the table: who accused (`by`), whom (`seat`), and of what (`kind`)."""

    by: int
    seat: int
    kind: str


class View(msgspec.Struct, frozen=True, dict=True):
    """One decision as the arena asks it; fields that a variant or a kind of decision lacks stay empty.

    Cards are two characters (`7S`, `TD`, joker `XX`), seats are numbers from 0, `counts` are cards in hand by
    seat. `legal` is never empty and every entry may be returned as it is. `call` maps an action to the call
    it owes now (`!` or `!!`). `events` are what this seat saw since its last decision of this deal.
    """

    deal: int = 0
    ask: str = ""
    seat: int = 0
    hand: list[str] = []
    top: str | None = None
    wish: str | None = None
    owed: int = 0
    skips: int = 0
    direction: int = 1
    counts: list[int] = []
    stock: int = 0
    out: list[int] = []
    legal: list[str] = []
    call: dict[str, str] = {}
    events: list[str] = []
    bank_ms: float = 0.0
    rng: str | None = None
    side: list[int] | None = None
    queens: int | None = None
    totals: list[int] | None = None
    lives: list[int] | None = None
    added: list[str] = []
    also: list[str] = []
    shown: list[str] = []
    claim: str | None = None
    by: int | None = None
    drawn: str | None = None
    after: str | None = None
    accused: Accused | None = None

    @property
    def next(self) -> int:
        """The seat that follows this one in the direction of play, passing over seats that are out."""
        seats = len(self.counts)
        seat = (self.seat + self.direction) % seats
        while seat in self.out and seat != self.seat:
            seat = (seat + self.direction) % seats
        return seat

    @property
    def plays(self) -> list[str]:
        """The legal actions that lay at least one card."""
        return [action for action in self.legal if laid(action)]

    @property
    def unseen(self) -> list[str]:
        """The cards in the others' hands and in the stock, together: all but the own hand and the pile.

        BadGuess where the pile cannot be known, because cards are laid face down.
        """
        from maumau.bot.search import unseen

        return unseen(self, self._bot)

    def deal_like_this(self, rng: Random) -> Deal:
        """Return a full deal that agrees with all that this seat has seen, each time another one, for search.

        It is a deal of `maumau.game` at this very decision: `copy`, `legal`, `apply` and `due` play it on.
        BadGuess where that cannot be made: before the cards are dealt, in a window, in a blind game.
        """
        from maumau.bot.search import deal_like

        return deal_like(self, self._bot, rng)

    @property
    def _bot(self) -> Bot:
        """The bot whose view it is: only a view passed to `act` knows the whole deal so far."""
        bot: Bot | None = self.__dict__.get("bot")
        if bot is None:
            raise BadGuess("only a view that `act` was called with knows what has been seen")
        return bot


class Rules(msgspec.Struct, frozen=True):
    """The rules of a process's deals: `cards` is the whole pack, `options` what differs from the default.

    `variant` is set for a custom variant: all of it, as plain values (docs/reference/variant.md).
    """

    name: str
    options: dict[str, Any] = {}
    hash: str = ""
    cards: list[str] = []
    variant: dict[str, Any] | None = None

    def load(self) -> game.Rules:
        """Return the rules for `maumau.game`, also of a variant that this library doesn't know; read once."""
        from maumau.bot.search import load_told_rules

        return load_told_rules(self.name, msgspec.json.encode([self.options, self.variant, self.hash]))


class Result(msgspec.Struct, frozen=True):
    """The end of a deal: `places` from 1 and `points` by seat; `fault` is this bot's own fault, or none."""

    places: list[int]
    points: list[int] = []
    events: list[str] = []
    fault: Any = None


def laid(action: str) -> list[str]:
    """Return the cards that an action lays, bottom first: `9H+KH>C!` gives `["9H", "KH"]`, `draw` none.

    Of a card laid face down (`8D~9S`) it is the real one.
    """
    if len(action) < 2 or action[1] not in "CSHDX" or action[0] not in "23456789TJQKAX":
        return []
    if len(action) == 2:
        return [action]
    end = next((i for i, mark in enumerate(action) if mark in "~>@/!"), len(action))
    return action[:end].split("+")


def top_of(action: str) -> str | None:
    """Return the card that others see on the pile after this action: the last one laid, or its claim."""
    cards = laid(action)
    if not cards:
        return None
    _, _, claim = action.partition("~")
    return claim[:2] or cards[-1]


def wished(action: str) -> str | None:
    """Return the suit that this action wishes for: `JD>H` gives `H`, an action without a wish None."""
    _, mark, suit = action.partition(">")
    if mark:
        return suit[:1]
    return action[5] if action.startswith("wish:") else None


def fits(card: str, top: str | None, wish: str | None = None) -> bool:
    """Return True if a card has the wished suit, or without a wish the suit or the rank of the top card."""
    if wish:
        return card[1] == wish
    return top is not None and (card[0] == top[0] or card[1] == top[1])
