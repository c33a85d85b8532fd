"""Courses of a seating: the deal of a set, or the deals of its game, which can be played anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from maumau.game import Rules, deal
from maumau.protocol.outcome import DealOutcome
from maumau.referee.play import DealPlay, Look
from maumau.referee.player import ProgramPlayer


class Course(Protocol):
    """A set in one seating, by its `set_number`: deals one after the other, until `take_deal` has no more."""

    set_number: int

    def begin_course(self, kept: int = 0) -> None:
        """Begin, or begin anew behind its first `kept` deals."""

    def take_deal(self, number: int) -> DealPlay | None:
        """Return the next deal, which has this number for the programs; None if there is none."""

    def add_deal(self, outcome: DealOutcome) -> None:
        """Take in the deal that has ended."""

    def finish_course(self) -> DealOutcome:
        """Return the outcome of the set."""


class SingleDeal:
    """A set whose outcome is that of its one deal."""

    def __init__(
        self, rules: Rules, set_number: int, seed: str, players: Sequence[ProgramPlayer], look: Look | None
    ) -> None:
        self.set_number = set_number
        self._rules, self._seed, self._players, self._look = rules, seed, players, look
        self._outcome: DealOutcome | None = None
        self._is_dealt = False

    def begin_course(self, kept: int = 0) -> None:
        assert not kept
        self._outcome, self._is_dealt = None, False

    def take_deal(self, number: int) -> DealPlay | None:
        if self._is_dealt:
            return None
        self._is_dealt = True
        d = deal(self._rules, len(self._players), self._seed)
        return DealPlay(d, self.set_number, number, self._seed, self._players, self._look)

    def add_deal(self, outcome: DealOutcome) -> None:
        self._outcome = outcome

    def finish_course(self) -> DealOutcome:
        assert self._outcome
        return self._outcome
