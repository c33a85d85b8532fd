"""Groups of a tournament as text: a crosstable each, and who goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from maumau.client.answer import Match, Standing, Tournament
from maumau.client.standing.group_table import find_going_on, name_group, select_stage, split_groups
from maumau.screen.output import plain
from maumau.screen.table import table

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

SIGNS = {True: "+", False: "-", None: "="}


def list_groups(
    now: Tournament, tables: Mapping[int, Sequence[Standing]], matches: Sequence[Match]
) -> Iterator[RenderableType]:
    """Yield the groups of each stage that has some, best bot first. tables: after these stages."""
    for stage, lines in tables.items():
        played = select_stage(matches, stage)
        going = find_going_on(now.spec_toml, stage, lines, now.entries)
        order = [line.entrant for line in lines]
        names = {entry.number: plain(entry.bot_name) for entry in now.entries}
        is_over = all(match.state == "decided" for match in played)
        for place, group in enumerate(split_groups(played)):
            members = sorted(group, key=order.index)
            yield ""
            yield f"group {name_group(place)}" + (f" of stage {stage}" if len(tables) > 1 else "")
            yield _draw_group(members, names, played, going, "goes on" if is_over else "would go on")


def _draw_group(
    members: Sequence[int], names: Mapping[int, str], matches: Iterable[Match], going: frozenset[int],
    words: str,
) -> Table:  # fmt: skip
    signs = _list_signs(matches)
    heads = [str(place) for place in range(1, len(members) + 1)]
    made = table(">#", "bot", *heads, ">won", ">lost", ">level", *(["next stage"] if going else []))
    for place, number in enumerate(members, start=1):
        row = ["" if number == other else signs.get((number, other), "·") for other in members]
        counts = [sum(cell.count(sign) for cell in row) for sign in SIGNS.values()]  # won, lost, level
        ending = [words if number in going else ""] if going else []
        made.add_row(str(place), names[number], *row, *map(str, counts), *ending)
    return made


def _list_signs(matches: Iterable[Match]) -> dict[tuple[int, int], str]:
    """Return the outcome of each pair's matches from the first's side: + - = and a point for an open one."""
    signs: dict[tuple[int, int], str] = {}
    for one in matches:
        for side, other in ((one.first, one.second), (one.second, one.first)):
            won = one.winner == side if one.winner else None
            sign = SIGNS[won] if one.state == "decided" else "·"
            signs[side, other] = signs.get((side, other), "") + sign
    return signs
