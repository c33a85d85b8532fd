"""Cuts: the number of entrants in each stage, and the check of `take`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from maumau.contest.format.stage import Stage
from maumau.contest.strict import name_field
from maumau.errors import BadSpec

FEWEST: Final = 2
"""The fewest entrants of a stage."""


def list_fields(stages: Sequence[Stage], entrants: int) -> list[int]:
    """Return the number of entrants in each stage; of a field smaller than `take` all play."""
    fields: list[int] = []
    for stage in stages:
        before = fields[-1] if fields else entrants
        fields.append(before if stage.take is None else min(before, stage.take))
    return fields


def check_takes(stages: Sequence[Stage], most: int) -> None:
    """Raise BadSpec for a `take` that is larger than the field can be, or that is in the first stage."""
    fields = [most, *list_fields(stages, most)]
    for number, (stage, before) in enumerate(zip(stages, fields, strict=False), start=1):
        if stage.take is None:
            continue
        where = f"stage {number}.take"
        if number == 1:
            words = "there is no earlier stage whose table could be cut"
            raise BadSpec(f"{where}: {words}; entries.most says how many may enter.", field=name_field(where))
        if stage.take > before:
            words = (
                f"at most {before} can play in stage {number - 1}, so stage {number} cannot take {stage.take}"
            )
            raise BadSpec(f"{where}: {words}.", field=name_field(where))


def take_first(field: Sequence[int], most: int, out: Collection[int]) -> list[int]:
    """Return the first entrants that are not disqualified, but at least two, since a stage needs two."""
    clean = [one for one in field if one not in out]
    return [*clean, *(one for one in field if one in out)][: max(FEWEST, min(most, len(clean)))]
