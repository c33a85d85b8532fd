"""The rule by which pairings not yet begun make room for newcomers on a ladder. Pure."""

from collections import defaultdict
from collections.abc import Collection

ROOM_PAUSE = 10_000  # ms between two times that room is made


class Rooms:
    """Newcomers of each ladder for which room was made, in the memory of the replica that leads.

    It is made once for each newcomer, since perhaps nobody may meet it, and at most once in ROOM_PAUSE, so
    that a stream of newcomers does not keep the others from playing. A newcomer whose pairing was taken back
    before it began has waited already: it stays next.
    """

    def __init__(self) -> None:
        self._welcomed: dict[str, set[int]] = defaultdict(set)
        self._paired: dict[str, set[int]] = defaultdict(set)
        self._made: dict[str, int] = {}

    def claim_room(self, ladder: str, newcomers: Collection[int], now: int) -> bool:
        """Return True if room is to be made for a ladder's newcomers."""
        welcomed, paired = self._welcomed[ladder], self._paired[ladder]
        if paired.isdisjoint(newcomers):
            is_early = now - self._made.get(ladder, -ROOM_PAUSE) < ROOM_PAUSE
            if is_early or welcomed.issuperset(newcomers):
                return False
        welcomed.update(newcomers)
        paired.difference_update(newcomers)
        return True

    def note_room(self, ladder: str, now: int) -> None:
        """Note that pairings were taken back."""
        self._made[ladder] = now

    def note_pairings(self, ladder: str, players: Collection[int]) -> None:
        """Note who has a new pairing."""
        self._paired[ladder] |= self._welcomed[ladder] & set(players)
