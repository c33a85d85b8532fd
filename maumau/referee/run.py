"""The state of a course in a seating, with the terms on which its deals began."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from maumau.referee.course import Course
from maumau.referee.play import DealPlay


class DealTerms(NamedTuple):
    """The terms on which a deal begins: entrants that have no faults left, and whether all forfeit it."""

    out: frozenset[int]
    stalled: bool


class Tally:
    """Faults by entrant, and stalled deals."""

    def __init__(self) -> None:
        self.faults: Counter[int] = Counter()
        self.stalled = 0

    def add_tally(self, other: Tally) -> None:
        if other.faults:
            self.faults += other.faults
        self.stalled += other.stalled

    def copy_tally(self) -> Tally:
        twin = Tally()
        twin.add_tally(self)
        return twin


class Run:
    """A course under way, or over and not yet known to stand.

    play: its deal in progress. begun: for each of its deals what the course had come to when it began, and on
    which terms it began. open: the seats whose replies are to be carried out, in that order. replies: those
    that have come. questions: the last one of each seat.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self.tally = Tally()
        self.begun: list[tuple[Tally, DealTerms]] = []
        self._clear_play()

    def _clear_play(self) -> None:
        self.play: DealPlay | None = None
        self.is_over = False
        self.open: list[int] = []
        self.replies: dict[int, bytes] = {}
        self.questions: dict[int, bytes] = {}

    def withdraw_deals(self, kept: int) -> None:
        """Withdraw all deals but the first `kept`, with their faults."""
        self.tally = self.begun[kept][0]
        del self.begun[kept:]
        self._clear_play()

    @property
    def is_waiting(self) -> bool:
        """True if it is to begin."""
        return self.play is None and not self.is_over
