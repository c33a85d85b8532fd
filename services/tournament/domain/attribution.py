"""Attribution of failed runs: a program may have found a way to make the platform fail. Pure.

A single failure is the platform's. But an entrant that takes part in every failed run, on several workers
and against several opponents, while the blocks of all others are played, is the cause of the failures.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from services.shared.base.worker_name import host_of

ALPHA = 0.01
"""Accepted probability that blocks fail regardless of the players, and yet all involve one entrant."""

WORKERS = 3  # on as many hosts, or all there are
OPPONENTS = 2

Pair = tuple[int, ...]
"""Two entrants, or those of a larger table."""


class FailedRun(NamedTuple):
    """A worker could not play a block of these entrants."""

    block_id: str
    pair: Pair
    worker: str


def are_enough(failed: Collection[str], there: Collection[str]) -> bool:
    """Return True if three workers on three hosts failed, or all that are present.

    A host can name its workers freely: with only its token, a match or a program must stay out of reach.
    """
    pairs = (set(failed), set(there)), (set(map(host_of, failed)), set(map(host_of, there)))
    return all(len(names) >= min(WORKERS, len(names | others)) for names, others in pairs)


def attribute_failures(
    failed: Sequence[FailedRun], done: Mapping[Pair, int], workers: Collection[str]
) -> int | None:
    """Return the entrant that is in all failed runs of a tournament; None if chance may explain it.

    done: number of blocks of each pair with a result since the first failure; workers: those that claimed a
    block.

    Suppose that blocks fail regardless of their players: then each of `n` different failed blocks involves
    the suspect with a probability of its share of all blocks; the bound is corrected for the number of
    entrants.
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
    own = blocks + sum(count for pair, count in done.items() if suspect in pair)
    share = own / (blocks + sum(done.values()))
    return suspect if len(entrants) * share**blocks <= ALPHA else None
