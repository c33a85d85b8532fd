"""Which worker reports what others do not: it is the odd one out of three, again and again. Pure.

One difference says little: a program may use entropy or the clock, and the worker that had it play otherwise
is then any of the three. So a worker is named only if it was the odd one more often than that, whichever one
program is left out of account: a program may play otherwise on one host in order to have it suspended.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

ALPHA = 0.01
"""The chance that may be left that each of three workers was the odd one as likely as the others."""

PLAYS = 3


class OddOne(NamedTuple):
    """A block that three workers played, two of them alike. worker: the third; programs: by their hashes."""

    worker: str
    workers: tuple[str, ...]
    programs: tuple[str, ...]


def find_liar(audits: Sequence[OddOne]) -> str | None:
    """The worker that is the odd one too often for chance; None: it may be chance, or one program."""
    count = len({name for audit in audits for name in audit.workers})
    for suspect in dict.fromkeys(audit.worker for audit in audits):
        his = [audit for audit in audits if suspect in audit.workers]
        programs = {one for audit in his if audit.worker == suspect for one in audit.programs}
        without = ([audit for audit in his if one not in audit.programs] for one in programs)
        if all(count * _chance(suspect, some) <= ALPHA for some in without):
            return suspect
    return None


def _chance(suspect: str, audits: Sequence[OddOne]) -> float:
    """That it is the odd one at least so often, of so many times, if each of the three is as likely."""
    times, odd = len(audits), sum(audit.worker == suspect for audit in audits)
    ways = (comb(times, k) * (PLAYS - 1) ** (times - k) for k in range(odd, times + 1))
    return float(sum(ways) / PLAYS**times)
