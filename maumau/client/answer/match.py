"""Answers of the tournament service about matches: their blocks, sets and faults."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from maumau.client.answer.deal import Fault, RuleSet, SetResult


class MatchPlayer(Struct, frozen=True):
    """An entrant at a table of more than two; place: so far, 0 before the first set."""

    entrant: int
    bot_name: str
    place: int
    score: float
    low: float
    high: float
    faults: int


class LevelPair(Struct, frozen=True):
    """Two entrants at a table who are not separated."""

    first: int
    second: int


class Match(Struct, frozen=True):
    """Two entrants until it is decided; state: playing, decided, paused, withdrawn.

    players, level: at a table of more than two, all who sit there and the pairs that are not separated.
    through: how many of such a table go on, 0 where nobody is knocked out. ahead: those who do, best first.
    reason: why this take was begun after the one before it. sure: where no test decides, the chance that
    whoever is ahead is better. wins, reached: won sets of a match to a number of them, and the sets up to the
    one that decided it.
    """

    label: str
    first: int
    second: int
    first_name: str
    second_name: str
    state: str
    winner: int
    rule: str
    sets: int
    estimate: float
    low: float
    high: float
    llr: float
    faults: tuple[int, ...]
    format: str
    id: str
    take: int
    seed_take: int
    reason: str = ""
    queued_at: datetime | None = None
    started_at: datetime | None = None
    decided_at: datetime | None = None
    withdrawn_at: datetime | None = None
    players: tuple[MatchPlayer, ...] = ()
    level: tuple[LevelPair, ...] = ()
    through: int = 0
    ahead: tuple[int, ...] = ()
    sure: float = 0.0
    wins: tuple[int, ...] = ()
    reached: int = 0

    @property
    def names(self) -> dict[int, str]:
        """The names of all who meet, by number."""
        if self.players:
            return {one.entrant: one.bot_name for one in self.players}
        return {self.first: self.first_name, self.second: self.second_name}

    @property
    def ranking(self) -> list[MatchPlayer]:
        """The players of a table, the best one first."""
        return sorted(self.players, key=lambda one: one.place)

    @property
    def is_score_outside(self) -> bool:
        """True if the score of two bots lies outside its interval, as after an early stop (decision 32)."""
        return bool(self.sets) and not self.players and not self.low <= self.estimate <= self.high


class Round(Struct, frozen=True):
    """A round of a bracket."""

    round: int
    name: str
    matches: tuple[Match, ...]
    byes: tuple[int, ...]


class Block(Struct, frozen=True):
    """A block of a match; state: queued, claimed, done, dropped, void."""

    id: str
    number: int
    first_set: int
    sets: int
    state: str
    attempts: int
    worker: str
    queued_at: datetime | None = None
    claimed_at: datetime | None = None
    done_at: datetime | None = None


class FaultSummary(Struct, frozen=True):
    """The summary of a fault."""

    id: str
    entrant: int
    kind: str
    set: int
    words: str
    error: str
    deals: int
    seating: int = 0


class SetSummary(Struct, frozen=True):
    """The summary of a deal set; scores and points: by entrant. unit: of a set's score."""

    set: int
    block: int
    scores: tuple[int, ...]
    unit: int
    points: tuple[int, ...]
    seed: str


class GetSetResponse(Struct, frozen=True):
    """A deal set with its players, by number and name."""

    set: SetResult
    first: int
    second: int
    first_name: str
    second_name: str
    other_names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all who meet."""
        return self.first_name, self.second_name, *self.other_names


class BankShare(Struct, frozen=True):
    """A bot's use of its bank in a match; entrant: its entry's number."""

    entrant: int
    rules: str
    seats: int
    deal_ms: int
    mean_ms: float
    p99_ms: float
    largest_ms: float
    pace: float


class WalkPoint(Struct, frozen=True):
    """The test of a match after so many sets."""

    sets: int
    llr: float


class GetMatchResponse(Struct, frozen=True):
    """A match with its blocks, its first faults, the bots' use of their banks, its test after each block."""

    match: Match
    blocks: tuple[Block, ...]
    faults: tuple[FaultSummary, ...]
    banks: tuple[BankShare, ...]
    walk: tuple[WalkPoint, ...] = ()


class GetFaultResponse(Struct, frozen=True):
    """A fault, its deal (record, rules, bots by seat), and the memory that the bot's process might use."""

    fault: Fault
    record: str
    memory_mib: int
    rules: RuleSet | None
    names: tuple[str, ...]
