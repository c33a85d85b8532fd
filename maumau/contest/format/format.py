"""A format: a function from a stage, its seeds and the results to the matches that are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from maumau.contest.format.draw import Draw, Find
from maumau.contest.format.stage import Stage
from maumau.contest.strict import name_field
from maumau.errors import BadSpec


def accept(_stage: Any, _where: str, _most: int) -> None:
    """Accept every stage."""


def accept_next(_stage: Any, _where: str, _most: int, _after: Stage | None) -> None:
    """Accept any next stage, or none."""


@dataclass(frozen=True)
class Format:
    """A format of stages.

    name: in specs. label: on pages. title: one sentence about who plays whom.
    stage: its keys of `[[stage]]`; the string below a field describes the key.
    schedule: from the stage, its number from 1, its entrants by seed and the results so far to the rounds as
    far as they are known. Pure: the same answer on every machine, at any time.
    seats: how many can sit at a table.
    has_bracket: losers are out, and the page draws a tree; no guest plays. has_crosstable: everybody meets
    everybody.
    has_groups: everybody meets everybody of its group, and the page draws the groups side by side.
    drops_leavers: each round is drawn without those who have left by then.
    redraws_rest: what was not played of a round is drawn anew when somebody leaves who has no match in it.
    usual: keys of a stage for flags, forms and demonstrations that give none, if it cannot do without.
    spend: keys of a stage that costs a given number of deal sets, where the length of its matches does not.
    check: raises BadSpec for a stage that no field up to the given size can play.
    check_next: raises BadSpec for a stage that the next one (None: there is none) does not suit.
    check_start: raises TooFewEntrants for a stage that a field of the given size cannot play.
    """

    name: str
    label: str
    title: str
    schedule: Callable[[Any, int, Sequence[int], Find], Draw]
    stage: type[Stage] = Stage
    seats: range = range(2, 3)
    has_bracket: bool = False
    has_crosstable: bool = False
    has_groups: bool = False
    drops_leavers: bool = False
    redraws_rest: bool = False
    usual: Mapping[str, Any] = field(default_factory=dict)
    spend: Callable[[float], dict[str, Any]] | None = None
    check: Callable[[Any, str, int], None] = accept
    check_next: Callable[[Any, str, int, Stage | None], None] = accept_next
    check_start: Callable[[Any, str, int], None] = accept


def refuse_third_place(stage: Stage, where: str, _most: int) -> None:
    """Refuse `third_place` in a format that has no semi-finals."""
    if stage.third_place:
        words = f"{where}: third_place belongs to single_elimination, not {stage.format}."
        raise BadSpec(words, field=name_field(f"{where}.third_place"))
