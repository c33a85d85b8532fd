"""Groups: entrants are dealt to groups by their seeds, in a snake; each group plays a round robin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from maumau.contest.format.draw import Draw, Find, Group
from maumau.contest.format.format import Format, refuse_third_place
from maumau.contest.format.round_robin import pair_rounds, plan_round
from maumau.contest.format.stage import Stage
from maumau.contest.strict import name_field
from maumau.errors import BadSpec, TooFewEntrants


class GroupsStage(Stage, frozen=True):
    """A stage in groups; either `groups` or `size` says how many there are."""

    groups: Annotated[int, Meta(ge=2)] | None = None
    """The number of groups; either this or `size`."""
    size: Annotated[int, Meta(ge=2)] | None = None
    """How many a group has at most: there are as few groups as that allows. Either this or `groups`."""
    advance: Annotated[int, Meta(ge=1)] | None = None
    """How many of each group go on in any case. The next stage then needs a `take` with room for all of them;
    if it takes more, the best of the next places go on, too."""


def schedule(stage: GroupsStage, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """Return all matches at once; groups and pairings depend on the seeds alone."""
    pools = deal_groups(seeds, count_groups(stage, len(seeds)))
    tables = [pair_rounds(len(pool)) for pool in pools]
    turns = [[table[turn : turn + 1] for table in tables] for turn in range(max(map(len, tables)))]
    rounds = tuple(
        plan_round(number, turn, pools, [pairs[0] if pairs else () for pairs in parts])
        for turn, parts in enumerate(turns, start=1)
    )
    decided = [find(plan) for one in rounds for plan in one.matches]
    group = Group(tuple(seeds), pools=tuple(map(tuple, pools)))
    return Draw(tuple(seeds), rounds, (group,), all(decided), fixed=True)


def count_groups(stage: GroupsStage, field: int) -> int:
    """Return the number of groups of a field: fewer than asked for if somebody would be alone."""
    wanted = stage.groups or -(-field // (stage.size or field))
    return max(1, min(wanted, field // 2))


def deal_groups(seeds: Sequence[int], count: int) -> list[list[int]]:
    """Return the groups, the best seed first in each: 1 to `count` from left to right, the next ones back."""
    pools: list[list[int]] = [[] for _ in range(count)]
    for place, seed in enumerate(seeds):
        row, column = divmod(place, count)
        pools[column if row % 2 == 0 else count - 1 - column].append(seed)
    return pools


def check(stage: GroupsStage, where: str, most: int) -> None:
    """Refuse groups that the largest field cannot fill."""
    refuse_third_place(stage, where, most)
    if (stage.groups is None) == (stage.size is None):
        both = "" if stage.groups is None else ", not both"
        raise BadSpec(
            f"{where}: give groups (their number) or size (the most of one){both}.",
            field=name_field(f"{where}.size"),
        )
    if stage.groups and 2 * stage.groups > most:
        raise BadSpec(
            f"{where}.groups: {stage.groups} groups of {most} entrants at most would leave somebody alone "
            f"in a group; {_count_groups(most // 2)} possible.",
            field=name_field(f"{where}.groups"),
        )
    if stage.size == 2 and stage.take and stage.take % 2:
        raise BadSpec(
            f"{where}.take: of {stage.take} in groups of 2 one would be alone; take an even number.",
            field=name_field(f"{where}.take"),
        )
    if stage.size and stage.advance and stage.advance >= stage.size:
        raise BadSpec(
            f"{where}.advance: of {stage.size} in a group {stage.advance} go on, so nobody would be cut; "
            f"at most {stage.size - 1} can.",
            field=name_field(f"{where}.advance"),
        )


def check_next(stage: GroupsStage, where: str, most: int, after: Stage | None) -> None:
    """Refuse `advance` where the next stage does not take all of them."""
    if stage.advance is None:
        return
    field = name_field(f"{where}.advance")
    if after is None or after.take is None:
        words = "the next stage has no take" if after else "no stage follows"
        raise BadSpec(f"{where}.advance: {stage.advance} of each group go on, but {words}.", field=field)
    groups = stage.groups or count_groups(stage, most)
    if groups * stage.advance > after.take:
        there = f"{groups} groups" if stage.groups else f"up to {groups} groups (entries.most is {most})"
        raise BadSpec(
            f"{where}.advance: of {there} {groups * stage.advance} go on, but the next stage takes "
            f"{after.take}.",
            field=field,
        )


def check_start(stage: GroupsStage, where: str, field: int) -> None:
    """Refuse to start with a field that leaves somebody alone in a group."""
    if stage.groups and 2 * stage.groups > field:
        raise TooFewEntrants(
            f"{where}: {stage.groups} groups need {2 * stage.groups} entrants, so that nobody is alone in "
            f"one; there are {field}."
        )
    if stage.size == 2 and field % 2:
        raise TooFewEntrants(
            f"{where}: in groups of 2 one of {field} entrants would be alone; one more or one fewer can play."
        )


def _count_groups(most: int) -> str:
    return f"at most {most} are" if most > 1 else "none are"


GROUPS: Final = Format(
    name="groups",
    label="groups",
    title="groups of about equal strength; every two entrants of a group play one match",
    schedule=schedule,
    stage=GroupsStage,
    has_crosstable=True,
    has_groups=True,
    usual={"size": 4},
    check=check,
    check_next=check_next,
    check_start=check_start,
)
