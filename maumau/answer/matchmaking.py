"""What matchmaking answers: ladders, pairings, practice and live ratings."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from maumau.answer.deal import BotLimits, RuleSet
from maumau.answer.engine import TablePlayer


class Ladder(Struct, frozen=True):
    """A ladder; epoch: the number of the one that runs, 0 before the first."""

    name: str
    rules: RuleSet | None
    score: str
    bot: BotLimits | None
    members: int
    sets: int
    epoch: int
    seats: int
    words: str


class LeaderboardLine(Struct, frozen=True):
    """A bot on a ladder; ratings in Elo, best: the chance that it is the best."""

    place: int
    bot_name: str
    account_name: str
    version_id: str
    elo: float
    low: float
    high: float
    best_place: int
    worst_place: int
    best: float
    sets: int
    faults: int
    pinned: bool
    words: str


class GetLeaderboardResponse(Struct, frozen=True):
    """A ladder and its table, best first."""

    ladder: Ladder | None
    lines: tuple[LeaderboardLine, ...]


class HeadToHead(Struct, frozen=True):
    """What a bot has played against another one; score: its own mean, 0 to 1."""

    opponent: str
    version_id: str
    sets: int
    score: float
    low: float
    high: float


class RatingPoint(Struct, frozen=True):
    """What a version was rated at a time; in Elo."""

    at: datetime | None
    elo: float
    low: float
    high: float
    sets: int


class VersionHistory(Struct, frozen=True):
    """How a version on a ladder was rated over time, oldest first; parent: 0 for a bot's first one."""

    version_id: str
    number: int
    parent: int
    joined_at: datetime | None
    points: tuple[RatingPoint, ...]


class Pairing(Struct, frozen=True):
    """Who was paired with whom; kind: groups, waiting, top two, least played, new."""

    id: str
    epoch: int
    first: str
    second: str
    kind: str
    sets: int
    booked: int
    score: float
    state: str
    made_at: datetime | None
    others: tuple[str, ...]


class ExplainPairingResponse(Struct, frozen=True):
    """Why a pair was made."""

    pairing: Pairing | None
    words: str


class Epoch(Struct, frozen=True):
    """A contest of a ladder; state: running, closed, over."""

    number: int
    contest_id: str
    state: str
    commitment: str
    secret: str
    root: str
    booked: int
    began_at: datetime | None
    ended_at: datetime | None


class PracticeMatch(Struct, frozen=True):
    """A match that somebody asked for; state: open, paused, over."""

    id: str
    bot: str
    against: str
    rules: RuleSet | None
    sets: int
    booked: int
    score: float
    low: float
    high: float
    faults: int
    other_faults: int
    state: str
    words: str
    more_against: tuple[str, ...]


class LiveResult(Struct, frozen=True):
    """A live game that has ended; players, places and points by seat. Lists leave record and secret out."""

    table_id: str
    rules: RuleSet | None
    players: tuple[TablePlayer, ...]
    rated: bool
    secret: str
    record: str
    places: tuple[int, ...]
    points: tuple[int, ...]
    made_at: datetime | None


class LiveRating(Struct, frozen=True):
    """A name that plays at live tables; ratings in Elo."""

    place: int
    bot_name: str
    account_name: str
    elo: float
    low: float
    high: float
    games: int
    provisional: bool


class GetLiveRatingsResponse(Struct, frozen=True):
    """The ratings of live play, best first."""

    rules: RuleSet | None
    seats: int
    games: int
    ratings: tuple[LiveRating, ...]
