"""The order in which contests get workers. Pure.

Purpose comes first, in the order of `PURPOSES` but for some claims; then the author with the fewest blocks
under way, then their contest with the fewest, then the contest served longest ago. So contests get equally
many workers, however much they have to play. Only the order of blocks depends on it, never their deals.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from services.tournament.models import PURPOSES

ROUND = 20
FIRST_PURPOSES = {0: "practice", 2: "ladder", 7: "practice", 12: "ladder", 14: "practice", 19: "audit"}
"""The purpose that comes first, by the place of a claim in a round of ROUND; all others keep the usual order.

So no purpose starves beside tournaments, which a ladder always at play slows down by a tenth at most: its
blocks are short. People wait for the first blocks of practice and of a newcomer.
"""


class Share(NamedTuple):
    """A running contest. claimed: its blocks under way; waits: it has queued blocks."""

    contest_id: str
    purpose: str
    author: str
    claimed: int
    waits: bool


class Turns:
    """The history of served contests; each process has its own, and it may be lost."""

    def __init__(self) -> None:
        self._served: dict[str, int] = {}
        self._claims = count()

    def order_claims(self, shares: Collection[Share]) -> list[str]:
        """Return the waiting contests, the next one first, and count a claim."""
        return self._sort_shares(shares, _order_purposes(next(self._claims)))

    def look_ahead(self, shares: Collection[Share]) -> list[str]:
        """Return the waiting contests in order, without counting a claim."""
        return self._sort_shares(shares, PURPOSES)

    def _sort_shares(self, shares: Collection[Share], purposes: Sequence[str]) -> list[str]:
        busy = _busy_authors(shares)

        def key(share: Share) -> tuple[int, int, int, int, str]:
            served = self._served.get(share.contest_id, 0)
            busy_author = busy[share.purpose, share.author]
            return purposes.index(share.purpose), busy_author, share.claimed, served, share.contest_id

        return [share.contest_id for share in sorted(shares, key=key) if share.waits]

    def note_service(self, contest_id: str, running: Collection[str]) -> None:
        """Record that this contest got a worker, and forget those no longer running."""
        last = max(self._served.values(), default=0)
        kept = {one: when for one, when in self._served.items() if one in running}
        self._served = kept | {contest_id: last + 1}


def _order_purposes(claim: int) -> Sequence[str]:
    """Return the purposes in the order that holds for the claim of this number, from 0."""
    first = FIRST_PURPOSES.get(claim % ROUND)
    return sorted(PURPOSES, key=lambda purpose: purpose != first)


def _busy_authors(shares: Collection[Share]) -> Mapping[tuple[str, str], int]:
    """Return the number of an author's blocks under way, by purpose."""
    busy: dict[tuple[str, str], int] = {}
    for share in shares:
        whose = share.purpose, share.author
        busy[whose] = busy.get(whose, 0) + share.claimed
    return busy
