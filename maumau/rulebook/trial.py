"""Variants made for one contest: random mixes of what variants can be, which nobody has seen before.

Bots that enter a contest with mystery rules play them first, so that only bots play that read the rules they
are given. They follow from the salt of the contest's rules, and say nothing of these.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from maumau.contest.strict import write_table
from maumau.errors import MaumauError
from maumau.game import Rules, load, load_text, variants
from maumau.game.ruleset.option import Option
from maumau.rulebook.check import check_ends, list_read_options

TRIALS: Final = 3
NAME: Final = "trial_{}"
EFFECTS: Final[tuple[dict[str, Any], ...]] = (
    {"reverse": True},
    {"turn": True},
    {"wild": True},
    {"anytime": True},
    {"skip": "none"},
    {"owe": 1, "after": "turn_ends"},
    {"owe": 2, "after": "turn_ends"},
    {"owe": 3, "after": "turn_ends"},
    {"others": 1},
)
"""Effects that a card may have beside its own in the variant on which a trial is built."""
RANKS: Final = ("7", "8", "9", "T", "J", "Q", "K", "A")
CARDS, OPTIONS = (1, 3), (2, 5)
"""The fewest and the most ranks with another effect, and options with another value."""
DEALS: Final = 8
"""Random deals of a trial, at each number of seats, most of which must end."""
NEAR: Final = 4
"""The most that a number may be above its lower bound."""


class TrialVariant(msgspec.Struct, frozen=True):
    """A variant made for a contest: its name, and the text of its file."""

    name: str
    text: str


def make_trials(salt: str, seats: range) -> list[TrialVariant]:
    """Return the variants made for the contest of this salt, which end at each of these numbers of seats."""
    return [_make_trial(salt, number, seats) for number in range(1, TRIALS + 1)]


def _make_trial(salt: str, number: int, seats: range) -> TrialVariant:
    """Return the first mix that can be played, of those that follow from salt and number."""
    name = NAME.format(number)
    for text in _mix_variants(random.Random(f"{salt} {name}"), number, seats):  # noqa: S311 - from the salt
        try:
            rules = load_text(name, text)
            for count in seats:
                check_ends(rules, count, DEALS)
        except MaumauError:
            continue
        return TrialVariant(name, text)
    raise AssertionError  # there are mixes without end


def _mix_variants(chance: random.Random, number: int, seats: range) -> Iterator[str]:
    """Yield texts of variants without end."""
    names = sorted(variants())
    while True:
        rules = load(chance.choice(names))
        if not _is_playable(rules, seats):
            continue
        yield write_table(
            {
                "title": f"Trial {number} of {TRIALS}",
                "source": "made for one contest",
                "extends": rules.name,
                "card": [_draw_clause(chance, rank) for rank in chance.sample(RANKS, chance.randint(*CARDS))],
                "options": _draw_options(chance, rules),
            }
        )


def _is_playable(rules: Rules, seats: range) -> bool:
    return not rules.variant.extends and rules.seats[0] <= seats[0] and seats[-1] <= rules.seats[1]


def _draw_clause(chance: random.Random, rank: str) -> dict[str, Any]:
    effect = chance.choice(EFFECTS)
    return {"on": [rank], **effect, **({"answer": [rank]} if "owe" in effect else {})}


def _draw_options(chance: random.Random, rules: Rules) -> dict[str, Any]:
    """Return options of the variant with another default than they have there."""
    names = list_read_options(rules.variant)
    drawn = chance.sample(names, min(len(names), chance.randint(*OPTIONS)))
    found = {name: _draw_default(chance, rules.variant.options[name]) for name in drawn}
    return {name: option for name, option in found.items() if option}


def _draw_default(chance: random.Random, option: Option) -> dict[str, Any]:
    """Return an option with another default, nothing if it has no other value."""
    near = [] if option.least is None else range(option.least, option.least + NEAR)
    numbers = [one for one in near if option.most is None or one <= option.most]
    others = [one for one in [*option.values, *numbers] if one != option.default]
    plain: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(option, says="", source=""))
    return {**plain, "default": chance.choice(others)} if others else {}
