"""Search functions for a bot's view: the cards it has not seen, and possible full deals."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

import msgspec

from maumau import game
from maumau.errors import BadGuess
from maumau.game.guess import Belief, Position
from maumau.game.notation import cards
from maumau.game.ruleset.own import from_plain

if TYPE_CHECKING:
    from maumau.bot.sdk import Bot
    from maumau.bot.view import View

POSITION = "position"  # attribute of the view, shared by its guesses


def deal_like(view: View, bot: Bot, rng: Random) -> game.Deal:
    """Return a full deal that agrees with everything the bot has seen, at this decision."""
    position: Position | None = view.__dict__.get(POSITION)
    if position is None:
        position = view.__dict__[POSITION] = _get_belief(bot).position(view)
    return position.guess(rng)


def unseen(view: View, bot: Bot) -> list[str]:
    """Return the cards that are neither in the bot's own hand nor on the pile, in canonical order."""
    belief = _get_belief(bot)
    if belief.compiled.blind.applies:
        raise BadGuess("where cards are laid face down nobody knows what is on the pile")
    left = {code: len(copies) for code, copies in belief.copies.items()}
    for code in [*belief.laid, *(cards.code_of(name) for name in view.hand)]:
        left[code] -= 1
    return [cards.NAMES[code] for code, number in sorted(left.items()) for _ in range(number)]


def _get_belief(bot: Bot) -> Belief:
    """Return the bot's present belief, after adding the events that it lacks."""
    belief = bot._belief  # noqa: SLF001  # the SDK's own: kept with the bot, for it lives as long
    if belief is None:
        belief = bot._belief = Belief(bot.rules.load(), bot.seats, bot.seat)  # noqa: SLF001
    belief.see(bot.history[len(belief.events) :])
    return belief


@cache
def load_told_rules(name: str, said: bytes) -> game.Rules:
    """Return the rules of hello, read once in a process: options, variant (or null) and hash as JSON."""
    options, variant, known_hash = msgspec.json.decode(said)
    return from_plain(name, variant, options, known_hash) if variant else game.load(name, **options)
