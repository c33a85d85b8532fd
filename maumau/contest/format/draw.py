"""Results of all formats: the pairings of each round, and the groups in which entrants are placed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import msgspec

from maumau.contest.format.match import MatchPlan, Verdict


class Find(Protocol):
    """The results so far."""

    def __call__(self, plan: MatchPlan, /) -> Verdict | None:
        """Return the verdict that decided a match, None while it is open."""

    def has_left(self, entrant: int, stage: int, turn: int) -> bool:
        """Return True if an entrant has gone and no result names it in this round of the stage or later."""

    def keeps_played(self, stage: int, turn: int, matches: Sequence[MatchPlan], /) -> bool:
        """Return True if all results that were played in a round are of these matches."""

    def account_of(self, entrant: int, /) -> str:
        """Return an entrant's account, "" unless the spec asks for accounts."""

    def find_players(self, label: str, table: Sequence[int]) -> tuple[int, ...]:
        """Return the players of a table: those of its result if that stands, else all that have not left."""


class Round(msgspec.Struct, frozen=True):
    """The matches of a round whose entrants are known, and the entrants with a bye.

    name: "final", "third place", "semi-final", "quarter-final", "round 3", "losers' round 2" …
    """

    round: int
    name: str
    matches: tuple[MatchPlan, ...]
    byes: tuple[int, ...] = ()


class Group(msgspec.Struct, frozen=True):
    """Entrants that the format itself does not order. rule: the reason why they rank above the next group.

    pools: the parts in which they played, side by side, if they did. The first of each pool then rank above
    all the second, and these above all the third.
    """

    entrants: tuple[int, ...]
    rule: str = ""
    pools: tuple[tuple[int, ...], ...] = ()

    def remove_gone(self, gone: Collection[int], rule: str | None = None) -> Group:
        """Return the group without these entrants. rule: another one, unless None."""
        pools = tuple(_leave_out(pool, gone) for pool in self.pools)
        return Group(
            _leave_out(self.entrants, gone),
            self.rule if rule is None else rule,
            tuple(pool for pool in pools if pool),
        )


def _leave_out(entrants: tuple[int, ...], gone: Collection[int]) -> tuple[int, ...]:
    return tuple(one for one in entrants if one not in gone)


class RaceStep(msgspec.Struct, frozen=True):
    """The state of a race after a batch. sets: that count so far. chances: to be the best, by seed."""

    batch: int
    sets: int
    leader: int
    chance: float
    chances: tuple[float, ...]


class Draw(msgspec.Struct, frozen=True):
    """A stage as far as it is known. seeds: its entrants, best seed first. groups: best first.

    fixed: pairings and groups depend on the seeds alone and on no result. withdrawn_last: in the final table
    withdrawn entrants rank below all others, also if there are several groups. drawn: the players of each
    table of more than two, by label, whoever of them has left. race: after each batch of a race.
    """

    seeds: tuple[int, ...]
    rounds: tuple[Round, ...]
    groups: tuple[Group, ...]
    done: bool
    fixed: bool = False
    withdrawn_last: bool = False
    drawn: tuple[tuple[str, tuple[int, ...]], ...] = ()
    race: tuple[RaceStep, ...] = ()

    @property
    def matches(self) -> tuple[MatchPlan, ...]:
        """All matches known, in the order of their labels."""
        return tuple(plan for one in self.rounds for plan in one.matches)
