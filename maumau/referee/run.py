"""The state of a course in a seating, with the terms on which its deals began."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from maumau.referee.course import Course
from maumau.referee.play import DealPlay


class DealTerms(NamedTuple):
    """The terms on which a deal begins: entrants that have no faults left, and whether all forfeit it."""

    out: frozenset[int]
    stalled: bool


class Tally(NamedTuple):
    """Faults by entrant, and stalled deals."""

    faults: Counter[int]
    stalled: int

    def add_tally(self, other: Tally) -> Tally:
        """Return the sum of both; of deals without faults, as nearly all are, at no cost."""
        if other is NO_TALLY:
            return self
        return Tally(self.faults + other.faults, self.stalled + other.stalled)

    def add_fault(self, entrant: int) -> Tally:
        return Tally(self.faults + Counter([entrant]), self.stalled)

    def add_stalled_deal(self) -> Tally:
        return Tally(self.faults, self.stalled + 1)


NO_TERMS: Final = DealTerms(frozenset(), stalled=False)
NO_TALLY: Final = Tally(Counter(), 0)


class Run:
    """A course under way, or over and not yet known to stand.

    play: its deal in progress. begun: for each of its deals what the course had come to when it began, and on
    which terms it began. open: the seats whose replies are to be carried out, in that order. replies: those
    that have come before their turn.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self.tally = NO_TALLY
        self.begun: list[tuple[Tally, DealTerms]] = []
        self._clear_play()

    def _clear_play(self) -> None:
        self.play: DealPlay | None = None
        self.is_over = False
        self.open: tuple[int, ...] = ()
        self.replies: dict[int, bytes] = {}

    def withdraw_deals(self, kept: int) -> None:
        """Withdraw all deals but the first `kept`, with their faults."""
        self.tally = self.begun[kept][0]
        del self.begun[kept:]
        self._clear_play()

    @property
    def is_waiting(self) -> bool:
        """True if it is to begin."""
        return self.play is None and not self.is_over
