"""The winner of a contest that is finished, if it has one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from maumau.client.answer import Entry, Match, Standing
from maumau.contest.claim import WALKOVER_RULES


def find_winner(
    standings: Sequence[Standing], entries: Iterable[Entry], matches: Iterable[Match]
) -> Standing | None:
    """Return the first line of a final table, or None if nobody has won.

    Of two that have gone the better seed is placed first, so that a table has an order; it has won nothing.
    Whoever goes after its last match was won by play has won, unless all others have gone, too.
    """
    has_gone = {entry.number: bool(entry.withdrawn or entry.disqualified) for entry in entries}
    if not standings:
        return None
    first = standings[0]
    if not has_gone.get(first.entrant):
        return first
    if all(has_gone.values()):
        return None
    own = [one for one in matches if first.entrant in one.names and one.state == "decided"]
    last = max(own, key=lambda one: [int(part) for part in one.label.split(".")], default=None)
    return first if last and last.rule not in WALKOVER_RULES else None
