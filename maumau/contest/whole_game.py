"""Whole games: a deal set is then a game in every seating, deal after deal with the same seeds.

The seed of a set is that of its game, from which each deal has its own (`deal_seed` of
`maumau/game/model/chance.py`): deal d of game g is the same in every seating, however the games run apart.
Who leads moves from deal to deal as the variant says.

A game has a most number of deals, `[game] deals`, at which it ends and is placed by its totals as they are.
A contest that does not choose it gets twice as many as honest play needs, and SLACK more: at a target the
points of the leader after TRIAL deals between players who lay a card whenever they can say how many that are.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from maumau.contest.length import play_honestly
from maumau.contest.strict import name_field
from maumau.errors import BadSpec
from maumau.game import Rules, deal, load_any
from maumau.game.game import hash_game
from maumau.game.play.start import compile_rules

TRIAL: Final = 40
SLACK: Final = 10
SEATED_DEALS: Final = 800
"""The deals of all seatings of a game, at most: its records fit into one message."""
GAME_BLOCK: Final = 10
"""Deal sets of a block where any stage plays games, unless the spec chooses."""
PLACES: Final = "places"
"""The option with which a deal goes on after the first player is out: in games the totals count."""


class WholeGame(msgspec.Struct, frozen=True):
    """The end of a game. Without any key it ends as the variant's own options say."""

    target: int | None = None
    """The points at which a game ends, in variants that count points, such as 100."""
    rounds: int | None = None
    """The number of deals of a game, in place of a target."""
    lives: int | None = None
    """The lives of each player, in variants that have lives."""
    deals: Annotated[int, Meta(ge=1)] | None = None
    """The most deals of a game, which then ends as it stands; without it, twice as many as honest games
    have, and ten more."""

    @property
    def shown(self) -> dict[str, int]:
        """The keys given."""
        return {key: value for key, value in msgspec.to_builtins(self).items() if value is not None}


def most_deals(seats: int) -> int:
    """Return the largest number of deals that a game may have at this many seats."""
    return SEATED_DEALS // seats


def build_options(
    game: WholeGame, name: str, options: Mapping[str, Any], text: str, where: str
) -> dict[str, Any]:
    """Return the options of a game's deals: the contest's, and the options that end the game.

    Raise BadSpec if the variant has no such end. text: of a custom variant. where: the place in the spec.
    """
    _check_numbers(game, where)
    chosen = {key: value for key, value in options.items() if key != PLACES}
    plain = load_any(name, text, **chosen)
    if game.rounds is not None:
        chosen["rounds"] = game.rounds
    if game.lives is not None:
        if "lives" not in plain.options:
            raise _refuse(where, "lives", f"{name} has no lives; faraon has")
        chosen["lives"] = game.lives
    if game.target is not None:
        chosen |= _aim(game.target, plain, where)
    if game.deals is not None:
        chosen["max_hands"] = game.deals
    rules = load_any(name, text, **chosen)
    _check_end(game, rules, where)
    return chosen


def _check_numbers(game: WholeGame, where: str) -> None:
    for key in ("target", "rounds", "lives"):
        value = getattr(game, key)
        if value is not None and value < 1:
            raise _refuse(where, key, f"{value} is too few; it is a whole number from 1 on")
    if game.target is not None and game.rounds is not None:
        raise _refuse(where, "rounds", "a game ends at a target or after a number of rounds; leave one out")


def _aim(target: int, plain: Rules, where: str) -> dict[str, Any]:
    """Return the options of a game to a target; raise BadSpec if the variant counts no points."""
    chosen: dict[str, Any] = {"target": target}
    if "rounds" in plain.chosen or plain.number("rounds"):
        chosen["rounds"] = 0
    count = compile_rules(plain, plain.seats[0]).count
    if count.above:
        raise _refuse(
            where, "target", f"a game of {plain.name} ends above {count.above} points; leave it out"
        )
    if count.adds():
        return chosen
    if not any(not clause.when for clause in plain.variant.score):
        words = f"{plain.name} counts no points; options.scoring = true counts the cards left in hand"
        raise _refuse(where, "target", f"{words}, and rounds a number of deals")
    return {**chosen, "scoring": True}


def _check_end(game: WholeGame, rules: Rules, where: str) -> None:
    """Raise BadSpec for a game that is over after a single deal, or that may have too few deals."""
    compiled = compile_rules(rules, rules.seats[0])
    rounds = rules.number("rounds")
    if not (rounds or compiled.lives or compiled.count.above or compiled.count.adds()):
        words = f"a game of {rules.name} is one deal; give it rounds, or a target if it counts points"
        raise BadSpec(f"{where}: {words}.", field=name_field(where))
    if game.deals is not None and game.rounds is not None and game.deals < game.rounds:
        raise _refuse(where, "deals", f"{game.deals} are fewer than the {game.rounds} rounds of a game")


def _refuse(where: str, key: str, words: str) -> BadSpec:
    return BadSpec(f"{where}.{key}: {words}.", field=name_field(f"{where}.{key}"))


def bound_game(
    game: WholeGame, name: str, options: Mapping[str, Any], text: str, seats: int, where: str
) -> WholeGame:
    """Return the game with a most number of deals; raise BadSpec if honest play would not end it by then.

    options: the contest's.
    """
    rules = load_any(name, text, **build_options(game, name, options, text, where))
    needed, key = _count_needed(rules, seats)
    most = most_deals(seats)
    if needed is None:
        chosen = rules.number("rounds")
        words = f"{chosen} are too many; a game at {seats} seats has {most} deals at most"
        if chosen > most:
            raise _refuse(where, "rounds", words)
        return game if game.deals else msgspec.structs.replace(game, deals=chosen)
    if game.deals is not None and needed <= game.deals <= most:
        return game
    if game.deals is not None:
        words = f"honest games have about {needed} deals, and at {seats} seats there are {most} at most"
        raise _refuse(where, "deals", f"{game.deals} cannot be; {words}")
    bound = 2 * needed + SLACK
    if bound > most:
        raise _refuse(where, key, _explain_excess(rules, seats, needed))
    return msgspec.structs.replace(game, deals=bound)


def _count_needed(rules: Rules, seats: int) -> tuple[int | None, str]:
    """Return how many deals honest play needs, and the key that says so; None: as many as the rounds."""
    compiled = compile_rules(rules, seats)
    if rules.number("rounds"):
        return None, "rounds"
    if compiled.lives:
        return seats * compiled.lives, "lives"
    return math.ceil((compiled.count.above or compiled.count.target) / measure_gain(rules, seats)), "target"


def _explain_excess(rules: Rules, seats: int, needed: int) -> str:
    most = most_deals(seats)
    words = f"honest games have about {needed:,} deals, and a game at {seats} seats has {most} at most"
    compiled = compile_rules(rules, seats)
    if compiled.lives:
        return f"{words}, twice as many as it needs"
    can = int((most - SLACK) // 2 * measure_gain(rules, seats))
    return f"{words}, twice as many as it needs; {can:,} points can be played"


def measure_gain(rules: Rules, seats: int) -> float:
    """Return the leader's points per deal after TRIAL deals of honest play, at least a tenth."""
    plain = {key: value for key, value in rules.chosen.items() if key not in {"target", "max_hands"}}
    return _measure_gain(rules.name, rules.text, msgspec.json.encode(plain, order="sorted"), seats)


@lru_cache(maxsize=256)
def _measure_gain(name: str, text: str, options: bytes, seats: int) -> float:
    rules = load_any(name, text, **msgspec.json.decode(options))
    totals = [0] * seats
    for number in range(TRIAL):
        rng = random.Random(number)  # noqa: S311 - a measurement, not a secret
        d = deal(rules, seats, f"gain {number}", number % seats)
        play_honestly(d, rng)
        totals = [total + points for total, points in zip(totals, d.points, strict=True)]
    return max(0.1, max(totals) / TRIAL)


class StageRules(NamedTuple):
    """The rules of a stage. hash: of the deals."""

    options: dict[str, Any]
    hash: str
    is_game: bool

    @property
    def order_hash(self) -> str:
        """The hash that an order of a block names: workers that play single deals only know none of games."""
        return hash_game(self.hash) if self.is_game else self.hash


def build_stage_rules(
    name: str, options: Mapping[str, Any], text: str, games: Sequence[tuple[WholeGame | None, str]]
) -> list[StageRules]:
    """Return the rules of the stages from their games and the places of these in the spec; None: deals.

    text: of a custom variant.
    """
    found = []
    for game, where in games:
        chosen = dict(options) if game is None else build_options(game, name, options, text, where)
        found.append(StageRules(chosen, load_any(name, text, **chosen).hash, game is not None))
    return found


def hash_all(stages: Iterable[StageRules]) -> str:
    """Return the hash of the rules of all stages of a contest with games."""
    return hashlib.sha256("\n".join(stage.order_hash for stage in stages).encode()).hexdigest()
