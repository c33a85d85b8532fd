"""Whose turn it is when a worker asks for a block. Pure.

First by purpose; then the author who has the fewest blocks under way, then his contest with the fewest, then
whoever was served longest ago. So contests with much and with little to play get equally many workers.
"""

from collections.abc import Collection, Mapping
from itertools import count
from typing import NamedTuple

from services.tournament.models import PURPOSES

LOWER_FIRST = 20
"""One claim in this many goes by the purposes from the last to the first, so that none starves."""


class Share(NamedTuple):
    """A contest that runs. claimed: its blocks under way; waits: it has blocks that are queued."""

    contest_id: str
    purpose: str
    author: str
    claimed: int
    waits: bool


class Turns:
    """Remembers who was served when; each process has its own memory, and it may be lost."""

    def __init__(self) -> None:
        self._served: dict[str, int] = {}
        self._claims = count(1)

    def order(self, shares: Collection[Share]) -> list[str]:
        """The contests that wait, the next one first."""
        return self._order(shares, -1 if next(self._claims) % LOWER_FIRST == 0 else 1)

    def look_ahead(self, shares: Collection[Share]) -> list[str]:
        """The same, for whoever only wants to know."""
        return self._order(shares, 1)

    def _order(self, shares: Collection[Share], sign: int) -> list[str]:
        ranks = {purpose: rank for rank, purpose in enumerate(PURPOSES)}
        busy = _busy_authors(shares)

        def key(share: Share) -> tuple[int, int, int, int, str]:
            served = self._served.get(share.contest_id, 0)
            busy_author = busy[share.purpose, share.author]
            return sign * ranks[share.purpose], busy_author, share.claimed, served, share.contest_id

        return [share.contest_id for share in sorted(shares, key=key) if share.waits]

    def serve(self, contest_id: str, running: Collection[str]) -> None:
        """This contest got a worker; those that do not run any more are forgotten."""
        last = max(self._served.values(), default=0)
        kept = {one: when for one, when in self._served.items() if one in running}
        self._served = kept | {contest_id: last + 1}


def _busy_authors(shares: Collection[Share]) -> Mapping[tuple[str, str], int]:
    """How many blocks of an author are under way, by purpose."""
    busy: dict[tuple[str, str], int] = {}
    for share in shares:
        whose = share.purpose, share.author
        busy[whose] = busy.get(whose, 0) + share.claimed
    return busy
