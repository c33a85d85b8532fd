"""Rate limits: so many times a second on average, and more at once after a rest."""

import time
from collections import OrderedDict
from collections.abc import Callable

OWNERS = 10_000  # that are remembered; who was silent for longest is forgotten


class Rates:
    """By owner. `second`: how often a second; `burst`: how often at once after a rest."""

    def __init__(self, second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.second, self.burst, self.clock = second, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # how often still, and when

    def may(self, owner: str) -> bool:
        """Whether it may happen once more now; nothing is counted."""
        return self._now_left(owner) >= 1

    def take(self, owner: str) -> bool:
        """Whether it may happen once more now; it counts only if it may."""
        now, left = self.clock(), self._now_left(owner)
        self._left.pop(owner, None)
        self._left[owner] = (left - (left >= 1), now)
        if len(self._left) > OWNERS:
            self._left.popitem(last=False)
        return left >= 1

    def _now_left(self, owner: str) -> float:
        left, at = self._left.get(owner, (float(self.burst), self.clock()))
        return min(self.burst, left + (self.clock() - at) * self.second)
