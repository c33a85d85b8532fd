"""Groups of a stage, from the matches and tables that the arena answers: members, names, who goes on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from string import ascii_uppercase

from maumau.client.answer import Entry, Match, Standing
from maumau.contest.format import FORMATS
from maumau.contest.format.cut import take_first
from maumau.contest.spec.spec import read_table
from maumau.errors import BadSpec


@lru_cache(maxsize=256)
def read_stages(spec_toml: str) -> tuple[tuple[str, int], ...]:
    """Return format and cut of each stage, 0 for none; nothing of a spec that cannot be read."""
    try:
        stages = read_table(spec_toml).get("stage", [])
    except BadSpec:
        return ()
    return tuple((str(one.get("format")), int(one.get("take", 0))) for one in stages)


def list_group_stages(spec_toml: str) -> list[int]:
    """Return the numbers of the stages that are played in groups, from 1."""
    stages = enumerate(read_stages(spec_toml), start=1)
    return [number for number, (name, _) in stages if name in FORMATS and FORMATS[name].has_groups]


def select_stage(matches: Iterable[Match], stage: int) -> list[Match]:
    """Return the matches of a stage that count."""
    head = f"{stage}."
    return [one for one in matches if one.label.startswith(head) and one.state != "withdrawn"]


def split_groups(matches: Iterable[Match]) -> list[list[int]]:
    """Return the entrants of each group, that is, those joined by matches, in the order of the matches.

    The first round has a match of every group, the first group's first.
    """
    groups: list[list[int]] = []
    for one in matches:
        pair = (one.first, one.second)
        joined = [group for group in groups if group.count(pair[0]) or group.count(pair[1])]
        whole = list(dict.fromkeys([*(number for group in joined for number in group), *pair]))
        if joined:
            groups[groups.index(joined[0])] = whole
            groups = [group for group in groups if not any(group is other for other in joined[1:])]
        else:
            groups.append(whole)
    return groups


def name_group(place: int) -> str:
    """Return the letters of a group, counted from 0: A to Z, then AA, AB and so on."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, len(ascii_uppercase))
        letters = ascii_uppercase[rest] + letters
    return letters


def find_going_on(
    spec_toml: str, stage: int, table: Sequence[Standing], entries: Iterable[Entry]
) -> frozenset[int]:
    """Return those whom the next stage takes by the table after this one; nobody if it cuts nobody."""
    taken = next((take for _, take in read_stages(spec_toml)[stage : stage + 1]), 0)
    out = {one.number for one in entries if one.disqualified}
    order = [line.entrant for line in table]
    return frozenset(take_first(order, taken, out)) if taken else frozenset()
