"""Races as page and terminal show them: the chances to be the best after each batch. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from maumau.client.answer import RaceBatch
from maumau.contest.format.race import RACE, RaceStage
from maumau.contest.spec.spec import read_table

SHOWN = 8
LEAST = 0.005
"""The most lines that are shown, and the chance that one of them needs now."""


class RaceLine(Struct, frozen=True):
    """An entrant and its chance after each batch."""

    entrant: int
    chances: tuple[float, ...]


class Race(Struct, frozen=True):
    """A race of which a batch is complete. sure: the chance at which it ends. budget: in deal sets.

    lines: the likeliest first. others: how many have hardly a chance, and no line.
    """

    stage: int
    sure: float
    budget: int
    batches: tuple[RaceBatch, ...]
    lines: tuple[RaceLine, ...]
    others: int

    @property
    def last(self) -> RaceBatch:
        """The state after the last complete batch."""
        return self.batches[-1]

    @property
    def is_sure(self) -> bool:
        """True if the leader's chance is enough."""
        return self.last.chance >= self.sure


def list_races(spec_toml: str, batches: Sequence[RaceBatch]) -> tuple[Race, ...]:
    """Return the races of a contest that have begun."""
    stages = read_table(spec_toml).get("stage", ()) if batches else ()
    return tuple(
        _read_race(stages[number - 1], number, tuple(own))
        for number, own in groupby(batches, key=lambda one: one.stage)
    )


def _read_race(keys: dict[str, object], number: int, batches: tuple[RaceBatch, ...]) -> Race:
    last, default = batches[-1], RaceStage(RACE.name)
    order = sorted(range(len(last.entrants)), key=lambda seed: (-last.chances[seed], seed))
    shown = [seed for seed in order if last.chances[seed] >= LEAST][:SHOWN]
    lines = [RaceLine(last.entrants[seed], tuple(one.chances[seed] for one in batches)) for seed in shown]
    sure, budget = keys.get("sure", default.sure), keys.get("budget", 0)
    assert isinstance(sure, float)
    assert isinstance(budget, int)
    return Race(number, sure, budget, batches, tuple(lines), len(order) - len(lines))
