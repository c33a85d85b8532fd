"""The entrants of a stage, and the places of entrants that do not play in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from maumau.contest.entrant import Entrant
from maumau.contest.format import FORMATS
from maumau.contest.format.cut import take_first
from maumau.contest.format.draw import Draw, Group
from maumau.contest.format.groups import GroupsStage, count_groups
from maumau.contest.format.stage import PAIR, Stage
from maumau.contest.schedule.ranking import Row
from maumau.contest.schedule.spread import spread_accounts, spread_groups, spread_pools


def list_seeds(
    stage: Stage, number: int, entrants: Sequence[Entrant], before: Draw | None, table: Sequence[Row]
) -> list[int]:
    """Return the players of a stage, best seed first. before, table: of the stage before, if there is one.

    Guests have the last seeds, and play neither in a knock-out nor after a cut.

    Withdrawn entrants are taken: a table depends on play alone, so whoever leaves, and when, changes neither
    who goes on nor the pairings of the others.
    """
    has_bracket = FORMATS[stage.format].has_bracket
    field = _list_field(entrants, before, table)
    guests = [one.number for one in entrants if one.guest and one.number in set(field)]
    field = [one for one in field if one not in guests]
    if stage.take is not None:
        out = {one.number for one in entrants if one.disqualified}
        field = take_first(field, stage.take, out)
    field = _order(stage, number, field, entrants)
    accounts = tuple(one.account for one in entrants)
    if not has_bracket:
        field = field if stage.take is not None else [*field, *guests]
        if stage.apart and isinstance(stage, GroupsStage):
            return spread_groups(tuple(field), accounts, count_groups(stage, len(field)))
        return field
    pools = tuple(pool for group in before.groups for pool in group.pools) if before else ()
    if pools and stage.seeds == "previous":
        return spread_pools(tuple(field), pools)
    if stage.apart and not stage.table_seats > PAIR:
        return spread_accounts(tuple(field), accounts)
    return field


def _list_field(entrants: Sequence[Entrant], before: Draw | None, table: Sequence[Row]) -> list[int]:
    """Return the entrants that are not cut, in the order of the table, or of entry in the first stage."""
    if before is None:
        return [one.number for one in entrants]
    playing = set(before.seeds)
    return [row.entrant for row in table if row.entrant in playing]


def _order(stage: Stage, number: int, field: Sequence[int], entrants: Sequence[Entrant]) -> list[int]:
    """Return the entrants of a stage by its kind of seeds."""
    if stage.seeds == "previous":
        return list(field)
    if stage.seeds == "draw":
        lots = {one.number: hashlib.sha256(f"{one.lot} {number}".encode()).hexdigest() for one in entrants}
        return sorted(field, key=lambda one: (lots[one], one))
    names = {one.number: one.name for one in entrants}
    places = {name: place for place, name in enumerate(stage.given)}
    return sorted(field, key=lambda one: (places.get(names[one], len(places)), one))


def place_cut(draw: Draw, groups: Sequence[Group], table: Sequence[Row]) -> tuple[Group, ...]:
    """Return the groups of a stage, then the entrants that do not play in it, in the order of the table."""
    playing = set(draw.seeds)
    behind = [Group((row.entrant,), row.rule) for row in table if row.entrant not in playing]
    if not behind:
        return tuple(groups)
    return (*groups[:-1], groups[-1].remove_gone((), "cut"), *behind)
