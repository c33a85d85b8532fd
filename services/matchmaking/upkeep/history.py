"""History of the ratings of a ladder's players, point by point (`maumau.contest.ladder.history`).

A point follows only from the results before it: made late, or made again, it is the same.
"""

from maumau.contest.ladder.history import last_point, list_points
from services.matchmaking.store.history import LadderHistory

LAG = 10_000  # ms after a point until it is written: results may still arrive
AT_ONCE = 8  # points written at a time


class Historian:
    """A writer of history that remembers up to which point a ladder's is complete, and then only waits."""

    def __init__(self, store: LadderHistory) -> None:
        self.store = store
        self._whole: dict[str, int] = {}

    def write(self, ladder: str, now: int) -> int:
        """Write some of the points that are due and drop outdated ones; return the number written."""
        due = last_point(now - LAG)
        if self._whole.get(ladder) == due:
            return 0
        since = self.store.find_start(ladder)
        wanted = list_points(since, due) if since else []
        known = self.store.list_points(ladder)
        missing = sorted(set(wanted) - set(known))
        written = sum(self._write_point(ladder, point) for point in missing[:AT_ONCE])
        if old := {point for point in known if point <= due} - set(wanted):
            self.store.drop_points(ladder, old)
        if written == len(missing):
            self._whole[ladder] = due
        return written

    def note_result(self, ladder: str, at: int) -> None:
        """Note a booked result of this time; points made without it have been dropped and are due again."""
        if last_point(at) < self._whole.get(ladder, 0):
            del self._whole[ladder]

    def _write_point(self, ladder: str, point: int) -> bool:
        """Write a point; return False if a result was booked meanwhile, so that it must be made again."""
        past = self.store.read_past(ladder, point)
        sets, ratings = past.played.count_sets(), past.ratings
        rated = {player: ratings[player] for player in sets}
        return self.store.store_point(ladder, point, past.anchors, rated, sets, past.results)
