"""Claims that this process handed out, so that reports and renewals need not read the order again."""

import threading
from collections import OrderedDict

from services.tournament.store.blocks.queue import BlockClaim

MOST = 4096


class HeldClaims:
    """The newest claim of each block handed out lately: its order, not its current state."""

    def __init__(self) -> None:
        self._claims: OrderedDict[str, BlockClaim] = OrderedDict()
        self._guard = threading.Lock()

    def keep_claim(self, claim: BlockClaim) -> None:
        with self._guard:
            self._claims[claim.block.id] = claim
            self._claims.move_to_end(claim.block.id)
            if len(self._claims) > MOST:
                self._claims.popitem(last=False)

    def find_claim(self, block_id: str, fence: int) -> BlockClaim | None:
        """Return the claim with this fence; None if it is not known here."""
        claim = self._claims.get(block_id)
        return claim if claim and claim.block.fence == fence else None

    def forget_claim(self, block_id: str) -> None:
        with self._guard:
            self._claims.pop(block_id, None)
