"""Whom failed runs follow: a program may have found a way to make the platform fail. Pure.

One failure is the platform's. But whoever is always there when blocks cannot be played, on several workers
and against several opponents, while the blocks of all others are played, is the cause of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from services.shared.worker_name import host_of

ALPHA = 0.01
"""The chance that may be left that blocks fail regardless of who plays them, and all are his."""

WORKERS = 3  # on as many hosts, or all there are
OPPONENTS = 2

Pair = tuple[int, int]


class FailedRun(NamedTuple):
    """A worker could not play a block of this pair of entrants."""

    block_id: str
    pair: Pair
    worker: str


def are_enough(failed: Collection[str], there: Collection[str]) -> bool:
    """Whether the workers that failed are three on three hosts, or all that are present.

    A host may give its workers any names: with its token alone nothing can be done to a match or a program.
    """
    pairs = (set(failed), set(there)), (set(map(host_of, failed)), set(map(host_of, there)))
    return all(len(names) >= min(WORKERS, len(names | others)) for names, others in pairs)


def find_culprit(
    failed: Sequence[FailedRun], done: Mapping[Pair, int], workers: Collection[str]
) -> int | None:
    """The entrant whom all failed runs of a tournament follow; None: it may be chance, or the platform.

    done: how many blocks of each pair have got a result since the first failure; workers: who has claimed a
    block.

    If blocks fail whoever plays them, each of `n` different ones is his with the chance by which any block
    played is his; and any of the entrants could have been the one.
    """
    common = set.intersection(*(set(run.pair) for run in failed)) if failed else set()
    if len(common) != 1:
        return None
    (suspect,) = common
    blocks = len({run.block_id for run in failed})
    opponents = {number for run in failed for number in run.pair} - common
    if len(opponents) < OPPONENTS or not are_enough({run.worker for run in failed}, workers):
        return None
    entrants = {number for pair in done for number in pair} | opponents | common
    his = blocks + sum(count for pair, count in done.items() if suspect in pair)
    share = his / (blocks + sum(done.values()))
    return suspect if len(entrants) * share**blocks <= ALPHA else None
