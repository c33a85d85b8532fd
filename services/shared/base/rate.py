"""Rate limits: a number per second on average, and more at once after a rest."""

import time
from collections import OrderedDict
from collections.abc import Callable

OWNERS = 10_000  # remembered; the one silent for longest is forgotten


class Rates:
    """Rates by owner. `second`: times per second on average; `burst`: times at once after a rest."""

    def __init__(self, second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.second, self.burst, self.clock = second, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # times left, and at which time

    def may(self, owner: str) -> bool:
        """Return True if it may happen now; nothing is counted."""
        return self._now_left(owner) >= 1

    def take(self, owner: str) -> bool:
        """Count an occurrence and return True if it may happen now."""
        now, left = self.clock(), self._now_left(owner)
        self._left.pop(owner, None)
        self._left[owner] = (left - (left >= 1), now)
        if len(self._left) > OWNERS:
            self._left.popitem(last=False)
        return left >= 1

    def give_back(self, owner: str) -> None:
        """Undo one `take`: what was counted did not happen."""
        now, left = self.clock(), self._now_left(owner)
        if owner in self._left:
            self._left[owner] = (min(float(self.burst), left + 1), now)

    def _now_left(self, owner: str) -> float:
        left, at = self._left.get(owner, (float(self.burst), self.clock()))
        return min(self.burst, left + (self.clock() - at) * self.second)
