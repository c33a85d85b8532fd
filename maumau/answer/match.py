"""What the tournament service answers about matches: their blocks, sets and faults."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from maumau.answer.deal import Fault, RuleSet, SetResult


class Match(Struct, frozen=True):
    """Two entrants until it is decided; state: playing, decided, paused, withdrawn.

    reason: why this take was begun after the one before it.
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
    """A fault in short."""

    id: str
    entrant: int
    kind: str
    set: int
    words: str
    error: str
    deals: int


class SetSummary(Struct, frozen=True):
    """A deal set in short; scores and points: of the first and the second. unit: what a set is worth."""

    set: int
    block: int
    scores: tuple[int, ...]
    unit: int
    points: tuple[int, ...]
    seed: str


class GetSetResponse(Struct, frozen=True):
    """A deal set and who played it, by number and name."""

    set: SetResult
    first: int
    second: int
    first_name: str
    second_name: str


class BankShare(Struct, frozen=True):
    """What a bot used of its bank in a match; entrant: its entry's number."""

    entrant: int
    rules: str
    seats: int
    deal_ms: int
    mean_ms: float
    p99_ms: float
    largest_ms: float
    pace: float


class GetMatchResponse(Struct, frozen=True):
    """A match with its blocks, its first faults and what the bots used of their banks."""

    match: Match
    blocks: tuple[Block, ...]
    faults: tuple[FaultSummary, ...]
    banks: tuple[BankShare, ...]


class GetFaultResponse(Struct, frozen=True):
    """A fault, its deal (record, rules, bots by seat), and the memory that the bot's process might use."""

    fault: Fault
    record: str
    memory_mib: int
    rules: RuleSet | None
    names: tuple[str, ...]
