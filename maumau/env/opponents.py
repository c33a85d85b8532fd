"""Opponents of a Gymnasium environment: house bots, bots of the SDK, and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from maumau.bot.inside import BANK, bot_class
from maumau.bot.sdk import Bot, Player
from maumau.bots import HOUSE, folder
from maumau.env.start import read_number
from maumau.env.table import EnvTable
from maumau.errors import BadOption
from maumau.game import bot_seed
from maumau.protocol import message

Policy = Callable[[dict[str, Any]], int]
"""A choice for an observation with its mask, as an agent gets it."""
Opponent = str | type[Bot] | Policy
See = Callable[[EnvTable], dict[str, Any]]


class Seated(Protocol):
    """One opponent in one deal."""

    def act(self, table: EnvTable) -> None:
        """Make its choice at a table."""


class PolicyPlayer:
    """A function that chooses a number for an observation."""

    def __init__(self, policy: Policy, see: See) -> None:
        self.policy, self.see = policy, see

    def act(self, table: EnvTable) -> None:
        """Make its choice at a table."""
        table.step(read_number(self.policy(self.see(table))))


class BotPlayer:
    """A bot of the SDK, which gets the arena's own messages."""

    def __init__(self, bot: type[Bot], table: EnvTable, seat: int) -> None:
        self.player, self.seen = Player(bot), 0
        deal = table.deal
        self.rng = bot_seed(deal.seed.text, seat)
        rules = deal.rules
        self.player.answer_message(message.write_hello(rules, rules.chosen, deal.seats, seat, BANK))

    def act(self, table: EnvTable) -> None:
        """Make its choice at a table."""
        view = table.deal.view(table.seat, self.seen)
        self.seen = len(table.deal.log)
        line = self.player.answer_message(message.write_question(view, 1, self.rng, int(BANK * 1000)))
        self.rng = ""
        if not line.startswith(b"{"):
            table.send([line.decode().rstrip()])
            return
        reply = message.read_reply(line)
        table.send([*reply.also, reply.act])


def read_opponent(opponent: Opponent) -> type[Bot] | Policy:
    """Return the bot's class or the function; raise BadOption if it is none, or no house bot's name."""
    if isinstance(opponent, type) and issubclass(opponent, Bot):
        return opponent
    if not isinstance(opponent, str):
        if callable(opponent) and not isinstance(opponent, type):
            return opponent
        words = "neither a house bot's name, nor a class of maumau.bot.Bot, nor a function"
        raise BadOption(f"the opponent {opponent!r} is {words}")
    if opponent not in HOUSE:
        raise BadOption(f"there is no house bot {opponent!r}; known: {', '.join(HOUSE)}")
    return bot_class(folder(opponent) / "bot.py")


def seat_opponent(opponent: type[Bot] | Policy, table: EnvTable, seat: int, see: See) -> Seated:
    """Return an opponent for one deal."""
    if isinstance(opponent, type):
        return BotPlayer(opponent, table, seat)
    return PolicyPlayer(opponent, see)
