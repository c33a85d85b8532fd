"""Crosstables of a contest: one for each round robin, and one for each group. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from maumau.client.answer import Match
from maumau.client.standing.group_table import (
    find_going_on,
    list_group_stages,
    name_group,
    select_stage,
    split_groups,
)
from maumau.contest.format import FORMATS

CROSSTABLES: Final = {name for name, one in FORMATS.items() if one.has_crosstable}


class Cell(NamedTuple):
    """A match from one side: `won`, `lost`, `level` or `open`, and that side's score."""

    label: str
    kind: str
    score: float
    sets: int


class Row(NamedTuple):
    """A line of a crosstable. cells: the matches of each leg; None where a bot meets itself."""

    name: str
    cells: Sequence[Sequence[Cell] | None]
    goes_on: bool = False

    def count(self, kind: str) -> int:
        """Return the number of matches of a kind."""
        return sum(cell.kind == kind for cells in self.cells if cells for cell in cells)


class Cross(NamedTuple):
    """A crosstable, best bot first. group: its letter, "" of a round robin."""

    group: str
    rows: Sequence[Row]

    @property
    def has_cut(self) -> bool:
        """True if any bot of the group goes on."""
        return any(row.goes_on for row in self.rows)


class CrossStage(NamedTuple):
    """The crosstables of a stage. is_over: all its matches are decided."""

    number: int
    crosses: Sequence[Cross]
    is_over: bool

    @property
    def is_grouped(self) -> bool:
        """True if it is played in groups."""
        return bool(self.crosses[0].group)

    @property
    def has_cut(self) -> bool:
        """True if bots of it go on."""
        return any(cross.has_cut for cross in self.crosses)


def list_crosstables(view: Any) -> list[CrossStage]:
    """Return the crosstables of all stages in which everybody meets everybody, stage by stage."""
    met = [one for one in view.matches if one.format in CROSSTABLES]
    numbers = dict.fromkeys(int(one.label.partition(".")[0]) for one in met)
    grouped = list_group_stages(view.tournament.spec_toml)
    stages = [_draw_stage(view, number, is_grouped=number in grouped) for number in numbers]
    return [one for one in stages if one.crosses]


def _draw_stage(view: Any, number: int, *, is_grouped: bool) -> CrossStage:
    matches = select_stage(view.matches, number)
    table = view.tables.get(number) or view.standings
    order = [line.entrant for line in table]
    order += [one.number for one in view.tournament.entries if one.number not in order]
    ranks = {one: rank for rank, one in enumerate(order)}
    names = {one.number: one.bot_name for one in view.tournament.entries}
    everybody = list({side for one in matches for side in (one.first, one.second)})
    groups = split_groups(matches) if is_grouped else [everybody]
    going = find_going_on(view.tournament.spec_toml, number, table, view.tournament.entries)
    cells = _list_cells(matches)
    crosses = [
        Cross(
            name_group(place) if is_grouped else "",
            _list_rows(sorted(group, key=ranks.__getitem__), names, cells, going if is_grouped else ()),
        )
        for place, group in enumerate(groups)
        if group
    ]
    return CrossStage(number, crosses, all(one.state == "decided" for one in matches))


def _list_rows(
    members: Sequence[int],
    names: Mapping[int, str],
    cells: Mapping[tuple[int, int], list[Cell]],
    going: Iterable[int],
) -> list[Row]:
    return [
        Row(names[n], [None if n == other else cells.get((n, other), []) for other in members], n in going)
        for n in members
    ]


def _list_cells(matches: Iterable[Match]) -> dict[tuple[int, int], list[Cell]]:
    """Return the matches of each pair from the first's side, by leg."""
    cells: dict[tuple[int, int], list[Cell]] = {}
    for one in matches:
        cells.setdefault((one.first, one.second), []).append(_build_cell(one, one.first, one.estimate))
        cells.setdefault((one.second, one.first), []).append(_build_cell(one, one.second, 1 - one.estimate))
    return cells


def _build_cell(match: Match, side: int, score: float) -> Cell:
    kind = "open"
    if match.state == "decided":
        kind = "level" if not match.winner else "won" if match.winner == side else "lost"
    return Cell(match.label, kind, score, match.sets)
