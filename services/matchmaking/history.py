"""Writes down what the players of a ladder were rated, point after point (`maumau.contest.history`).

A point follows from the results before it alone: it may be made late, or again, and is the same.
"""

from maumau.contest.history import last_point, list_points
from services.matchmaking.store.history import History

LAG = 10_000  # ms after a point until it is written down: results are on their way
AT_ONCE = 8  # points that are made in one go


class Historian:
    """Remembers up to which point a ladder's history is whole, so that it looks only when another is due."""

    def __init__(self, store: History) -> None:
        self.store = store
        self._whole: dict[str, int] = {}

    def write(self, ladder: str, now: int) -> int:
        """Makes some of the points that are due and drops those that are kept no longer; how many it made."""
        due = last_point(now - LAG)
        if self._whole.get(ladder) == due:
            return 0
        since = self.store.since(ladder)
        wanted = list_points(since, due) if since else []
        known = self.store.points(ladder)
        missing = sorted(set(wanted) - set(known))
        for point in missing[:AT_ONCE]:
            self._write(ladder, point)
        if old := set(known) - set(wanted):
            self.store.drop(ladder, old)
        if len(missing) <= AT_ONCE:
            self._whole[ladder] = due
        return len(missing[:AT_ONCE])

    def note_result(self, ladder: str, at: int) -> None:
        """A result of this time was booked; if points were made without it, they are gone."""
        if last_point(at) < self._whole.get(ladder, 0):
            del self._whole[ladder]

    def _write(self, ladder: str, point: int) -> None:
        past = self.store.played(ladder, point)
        sets, ratings = past.played.count_sets(), past.played.believe(past.size, past.anchors).ratings
        self.store.keep(ladder, point, past.anchors, {player: ratings[player] for player in sets}, sets)
