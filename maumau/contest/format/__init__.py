"""Formats of stages: who meets whom. A format is one module, registered here."""

from __future__ import annotations

from typing import Any, Final

from maumau.contest.format.double_elimination import DOUBLE_ELIMINATION
from maumau.contest.format.format import Format
from maumau.contest.format.groups import GROUPS
from maumau.contest.format.race import RACE, RaceStage
from maumau.contest.format.round_robin import ROUND_ROBIN
from maumau.contest.format.single_elimination import SINGLE_ELIMINATION
from maumau.contest.format.stage import Stage
from maumau.contest.format.swiss.swiss import SWISS
from maumau.contest.format.tables import TABLES

FORMATS: Final[dict[str, Format]] = {
    each.name: each
    for each in (SINGLE_ELIMINATION, DOUBLE_ELIMINATION, ROUND_ROBIN, SWISS, GROUPS, TABLES, RACE)
}
"""All formats, by name, in the order in which forms offer them."""


def count_seats(stage: Stage) -> int:
    """Return the largest number of seats of a table of a stage."""
    return stage.table_seats


def count_meeting(stage: Stage) -> int:
    """Return the fixed number of deal sets of every match of a stage, 0 if the contest's rule decides it."""
    return stage.sets if isinstance(stage, RaceStage) else 0


def choose_stage(table: dict[str, Any]) -> type[Stage]:
    """Return the model of a stage's keys by its format; of the keys of all formats if that is unknown."""
    name = table.get("format")
    return FORMATS[name].stage if isinstance(name, str) and name in FORMATS else Stage
