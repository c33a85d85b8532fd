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

    def take(self, owner: str) -> bool:
        """Whether it may happen once more now; it counts only if it may."""
        now = self.clock()
        left, at = self._left.pop(owner, (float(self.burst), now))
        left = min(self.burst, left + (now - at) * self.second)
        self._left[owner] = (left - (left >= 1), now)
        if len(self._left) > OWNERS:
            self._left.popitem(last=False)
        return left >= 1
