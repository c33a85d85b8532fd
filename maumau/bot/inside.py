"""Deals between SDK bots in this process: the table's messages, without pipe, sandbox or clock.

For measurements and tests of trusted programs; they decide as they do in processes of their own.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import maumau.bot as sdk
from maumau.bot.sdk import Bot, Player
from maumau.errors import NoBot
from maumau.game import Deal, Rules, bot_seed, deal
from maumau.protocol import message

BANK = 1.0  # seconds, sent in every message; there is no time limit here
NUMBER = 1


def bot_class(program: Path) -> type[Bot]:
    """Return the bot of a program's file, which is imported, not run; raise NoBot if it defines none."""
    name = f"bot_{program.parent.name}_{program.stem}"
    spec = importlib.util.spec_from_file_location(name, program)
    if spec is None or spec.loader is None:
        raise NoBot(f"{program} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    kept, sdk.run = sdk.run, lambda bot: None  # noqa: ARG005
    try:
        spec.loader.exec_module(module)
    finally:
        sdk.run = kept
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == name:
            return value
    raise NoBot(f"{program} defines no class of Bot")


def play_inside(rules: Rules, bots: Sequence[type[Bot]], seed: str) -> Deal:
    """Play one deal to its end, with a bot for each seat; raise IllegalAction on an illegal action."""
    d = deal(rules, len(bots), seed)
    players = [Player(bot) for bot in bots]
    seen = [0] * len(bots)
    for seat, player in enumerate(players):
        player.answer_message(message.write_hello(rules, rules.chosen, len(bots), seat, BANK))
    while not d.over:
        seat = d.to_act[0]
        rng = "" if seen[seat] else bot_seed(seed, seat)
        question = message.write_question(d.view(seat, seen[seat]), NUMBER, rng, int(BANK * 1000))
        seen[seat] = len(d.log)
        _carry_out_reply(d, seat, players[seat].answer_message(question))
    for seat, player in enumerate(players):
        player.answer_message(message.write_end(NUMBER, d.places, d.points, d.seen(seat, seen[seat]), None))
    return d


def _carry_out_reply(d: Deal, seat: int, line: bytes) -> None:
    """Carry out a reply; late calls and accusations go first."""
    if not line.startswith(b"{"):
        d.apply(seat, line.decode().rstrip())
        return
    reply = message.read_reply(line)
    for text in (*reply.also, reply.act):
        d.apply(seat, text)
