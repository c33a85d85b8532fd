"""Random play for the tests of this folder."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from maumau.errors import BadDeal, BadOption
from maumau.game import Deal, Rules, deal, load, variants
from maumau.game.notation.cards import list_names
from maumau.game.ruleset.rules import load_variant


def options_of(name: str, rng: random.Random) -> dict[str, Any]:
    """Return some options of a variant, each with a value it may have."""
    chosen: dict[str, Any] = {}
    for key, option in load_variant(name).options.items():
        if rng.random() < 0.15:
            numbers = [] if option.least is None else [option.least, option.least + 1, option.least + 2]
            values = [
                *option.values,
                *option.selectors(),
                *([[1] * option.numbers] if option.numbers else []),
                *(number for number in numbers if number <= option.limit),
            ]
            chosen[key] = rng.choice(values)
    return chosen | ({"max_decisions": 2000} if chosen.get("max_decisions") else {})


def rules_with(name: str, rng: random.Random) -> Rules:
    """Return a variant with some options that go together."""
    while True:
        try:
            return load(name, **options_of(name, rng))
        except BadOption:  # places and scoring
            continue


def dealt(name: str, number: int) -> tuple[Deal, random.Random]:
    """Return a deal with options, seats and seed drawn from a number, and the source of more."""
    rng = random.Random(f"{name} {number}")
    while True:
        rules = rules_with(name, rng)
        seats = rng.randint(*rules.seats)
        try:
            return deal(rules, seats, f"seed {number}", rng.randrange(seats)), rng
        except BadDeal:  # too few packs
            continue


def step(d: Deal, rng: random.Random, *, owed: bool = True) -> None:
    """Play one random action: a listed one with its call, or (not `owed`) with any call, or another."""
    seat = rng.choice(d.to_act)
    action = rng.choice(d.legal(seat))
    if owed:
        d.apply(seat, action + d.due(seat, action))
        return
    possible = [*list_names(d.hands[seat]), "draw"] if d.compiled.law.applies else []
    fouls = [name for name in possible if d.allows(seat, name)]
    if fouls and rng.random() < 0.2:  # illegal actions that are possible all the same
        d.apply(seat, rng.choice(fouls))
        return
    also = d.also(seat)
    if also and rng.random() < 0.2:
        d.apply(seat, rng.choice(also))
        return
    d.apply(seat, action + rng.choice(["", "!", "!!", d.due(seat, action)]))


numbered = st.tuples(st.sampled_from(variants()), st.integers(0, 100_000))
