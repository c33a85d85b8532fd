"""One weight for the bots of one author.

An author may enter bots and versions that play alike: each shows the same of an opponent once more. So a
player's sets against the bots of one author count, all together, as many as those against the one of them
that it met most. Bots share that by what they have; of the versions of a bot the newest ones count first, so
that whoever improves a bot is rated by all of its sets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from maumau.contest.statistics.rating import Floats, PairSums


class Owner(NamedTuple):
    """The author of a player, and the bot of which it is a version."""

    author: str
    bot: str


class _Meeting(NamedTuple):
    """The sets of a player against a version of a bot; line: of the pair."""

    version: int
    sets: float
    line: int


def share_pairs(pairs: PairSums, owners: Sequence[Owner]) -> Floats:
    """Return the share of each pair's sets that counts, from 0 to 1: the smaller one of both sides.

    owners: by player; of one bot, players with higher numbers are newer versions.
    """
    found = np.ones(len(pairs.n))
    for bots in _group_meetings(pairs, owners):
        most = [max(one.sets for one in met) for met in bots]
        factor = max(most) / sum(most)
        for budget, met in zip(most, bots, strict=True):
            left = budget
            for one in sorted(met, key=lambda one: -one.version):
                counted = min(one.sets, left)
                left -= counted
                found[one.line] = min(found[one.line], factor * counted / one.sets)
    return found


def _group_meetings(pairs: PairSums, owners: Sequence[Owner]) -> Iterator[list[list[_Meeting]]]:
    """Yield a player's meetings with the bots of an author, by bot, for all players and authors."""
    groups: defaultdict[tuple[int, str], defaultdict[str, list[_Meeting]]]
    groups = defaultdict(lambda: defaultdict(list))
    rows = zip(pairs.i.tolist(), pairs.j.tolist(), pairs.n.tolist(), strict=True)
    for line, (first, second, sets) in enumerate(rows):
        for player, other in ((first, second), (second, first)):
            groups[player, owners[other].author][owners[other].bot].append(_Meeting(other, sets, line))
    for bots in groups.values():
        yield list(bots.values())
