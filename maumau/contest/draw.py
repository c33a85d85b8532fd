"""What every format gives: who meets whom in which round, and in which groups the entrants are placed."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from maumau.contest.match import MatchPlan, Verdict

Find = Callable[[MatchPlan], Verdict | None]
"""Gives the verdict that decided a match, None while it is open."""


class Round(msgspec.Struct, frozen=True):
    """The matches of a round whose entrants are known, and who goes on without one.

    name: "final", "third place", "semi-final", "quarter-final" or "round 3".
    """

    round: int
    name: str
    matches: tuple[MatchPlan, ...]
    byes: tuple[int, ...] = ()


class Group(msgspec.Struct, frozen=True):
    """Entrants that the format itself does not order. rule: what puts all of them above the next group."""

    entrants: tuple[int, ...]
    rule: str = ""


class Draw(msgspec.Struct, frozen=True):
    """A stage as far as it is known. seeds: its entrants, best seed first. groups: best first.

    fixed: who meets whom, and the groups, depend on the seeds alone and on no result.
    """

    seeds: tuple[int, ...]
    rounds: tuple[Round, ...]
    groups: tuple[Group, ...]
    done: bool
    fixed: bool = False

    @property
    def matches(self) -> tuple[MatchPlan, ...]:
        """All matches known, in the order of their labels."""
        return tuple(plan for one in self.rounds for plan in one.matches)
