"""What the tournament service answers about tournaments: entries, standings, previews."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from maumau.answer.deal import RuleSet
from maumau.answer.match import Match


class Entry(Struct, frozen=True):
    """A bot in a tournament, numbered from 1 in the order of entry."""

    number: int
    bot_name: str
    version_id: str
    sha256: str
    withdrawn: bool
    account_name: str
    built_sha256: str
    entered_at: datetime | None = None
    commitment: str = ""
    nonce_opened: bool = False
    nonce: str = ""
    disqualified: str = ""


class Tournament(Struct, frozen=True):
    """A contest; state: created, open, running, paused, decided, finished, cancelled.

    release: public, participants or end: who may see results before it is over.
    """

    id: str
    name: str
    state: str
    spec_toml: str
    rules: RuleSet | None
    commitment: str
    secret: str
    secret_given: bool
    entries_root: str
    entries: tuple[Entry, ...]
    matches_decided: int
    matches_known: int
    created_at: datetime | None
    words: str
    chain: str = ""
    compared: str = ""
    due_at: datetime | None = None
    organiser: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    closes_at: datetime | None = None
    warnings: tuple[str, ...] = ()
    release: str = "public"

    @property
    def over(self) -> bool:
        """Whether nothing will happen in it any more."""
        return self.state in {"finished", "cancelled"}


class Standing(Struct, frozen=True):
    """A line of the table; ratings in Elo."""

    rank: int
    entrant: int
    bot_name: str
    rating: float
    low: float
    high: float
    sets: int
    won: int
    lost: int
    level: int
    faults: int
    rule: str


class Carryover(Struct, frozen=True):
    """By how much of a deal a bot scored more in the seating played second, with its 95 % interval.

    p: at least the chance that a bot that remembers nothing ever seems to gain so much. suspicious: it is too
    small.
    """

    entrant: int
    bot_name: str
    sets: int
    estimate: float
    low: float
    high: float
    p: float
    suspicious: bool


class GetStandingsResponse(Struct, frozen=True):
    """The table, best first; carryover is for organisers and empty for everybody else."""

    standings: tuple[Standing, ...]
    final: bool
    carryover: tuple[Carryover, ...]


class WorkLeft(Struct, frozen=True):
    """What is to be played of a tournament, at most; core_hours: 0 if nothing of the kind was measured."""

    matches: int
    blocks: int
    sets: int
    core_hours: float


class SpecKeyChange(Struct, frozen=True):
    """A key of a spec with its values as JSON, empty where it has none."""

    key: str
    before: str
    after: str


class Preview(Struct, frozen=True):
    """What a change would come to; matches by their labels.

    again: those that would start again. withdrawn: taken away. stopped: ended undecided. results_lost: those
    decided before. left, left_now: what would be to play, and what is as things stand.
    """

    state: str
    due_at: datetime | None
    entries: tuple[Entry, ...]
    entries_gone: tuple[Entry, ...]
    begun: tuple[str, ...]
    again: tuple[str, ...]
    resumed: tuple[str, ...]
    withdrawn: tuple[str, ...]
    walkovers: tuple[str, ...]
    stopped: tuple[str, ...]
    results_lost: tuple[str, ...]
    sets_lost: int
    left: WorkLeft
    left_now: WorkLeft
    spec: tuple[SpecKeyChange, ...]


class RetakeMatchResponse(Struct, frozen=True):
    """The match that is played again, and the labels of those taken back with it."""

    match: Match
    withdrawn: tuple[str, ...]
    preview: Preview | None = None
