"""Speed of contests, from their numbers of results at earlier looks. Pure."""

from collections import deque
from collections.abc import Mapping

WINDOW = 600_000  # ms of the past that count


class Throughput:
    """The numbers of the last minutes; each process has its own, and they may be lost."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, Mapping[str, int]]] = deque()

    def note_results(self, at: int, booked: Mapping[str, int]) -> None:
        """Note the numbers of results. booked: by contest. at: ms since 1970."""
        self._seen.append((at, booked))
        while self._seen[0][0] < at - WINDOW:
            self._seen.popleft()

    def per_minute(self, contest_id: str, booked: int, at: int) -> float:
        """Return results per minute since the first look within the window; 0 if unknown."""
        for then, counts in self._seen:
            if contest_id in counts and then < at:
                return 60_000 * (booked - counts[contest_id]) / (at - then)
        return 0.0
