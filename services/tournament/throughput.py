"""How fast contests are played, from how many results each had when it was last looked at. Pure."""

from collections import deque
from collections.abc import Mapping

WINDOW = 600_000  # ms that are looked back


class Throughput:
    """Remembers the last minutes; each process has its own memory, and it may be lost."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, Mapping[str, int]]] = deque()

    def note(self, at: int, booked: Mapping[str, int]) -> None:
        """booked: results by contest. at: ms since 1970."""
        self._seen.append((at, booked))
        while self._seen[0][0] < at - WINDOW:
            self._seen.popleft()

    def per_minute(self, contest_id: str, booked: int, at: int) -> float:
        """Results a minute since the first look at it within the window; 0 if that says nothing."""
        for then, counts in self._seen:
            if contest_id in counts and then < at:
                return 60_000 * (booked - counts[contest_id]) / (at - then)
        return 0.0
