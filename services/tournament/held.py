"""The claims that this process handed out, so that reports and renewals need not read what was ordered."""

import threading
from collections import OrderedDict

from services.tournament.store.queue import Claim

MOST = 4096


class HeldClaims:
    """Of the last blocks handed out the newest claim: what was ordered, not how it stands now."""

    def __init__(self) -> None:
        self._claims: OrderedDict[str, Claim] = OrderedDict()
        self._guard = threading.Lock()

    def keep(self, claim: Claim) -> None:
        with self._guard:
            self._claims[claim.block.id] = claim
            self._claims.move_to_end(claim.block.id)
            if len(self._claims) > MOST:
                self._claims.popitem(last=False)

    def find(self, block_id: str, fence: int) -> Claim | None:
        """The claim with this fence; None if it is not known here."""
        claim = self._claims.get(block_id)
        return claim if claim and claim.block.fence == fence else None

    def forget(self, block_id: str) -> None:
        with self._guard:
            self._claims.pop(block_id, None)
