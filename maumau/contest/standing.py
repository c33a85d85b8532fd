"""The table of a tournament."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from maumau.contest.entrant import Entrant
from maumau.contest.format import advance
from maumau.contest.match import Verdict
from maumau.contest.ranking import Row
from maumau.contest.spec import Spec


def table(spec: Spec, entrants: Sequence[Entrant], results: Iterable[Verdict]) -> list[Row]:
    """The table as it stands: final once `advance` says done, before that of the stage in play."""
    return list(advance(spec, entrants, results).table)
