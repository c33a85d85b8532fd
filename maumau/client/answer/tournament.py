"""Answers of the tournament service about tournaments: entries, standings, previews."""

from __future__ import annotations

import tomllib
from datetime import datetime

from msgspec import Struct
from msgspec.structs import force_setattr

from maumau.client.answer.deal import RuleSet
from maumau.client.answer.match import Match


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
    confirmed: bool = False
    guest: bool = False

    @property
    def awaited(self) -> bool:
        """Return True if a start waits for its author."""
        return bool(self.commitment) and not (self.nonce_opened or self.confirmed or self.withdrawn)


class SpecKeyChange(Struct, frozen=True):
    """A key of a spec with its values as JSON, empty if it has none."""

    key: str
    before: str
    after: str


class SpecChange(Struct, frozen=True):
    """A change of a spec before play; long values are cut."""

    at: datetime | None
    account_name: str
    keys: tuple[SpecKeyChange, ...]


class Protest(Struct, frozen=True):
    """A protest against a result; state: open, accepted or rejected."""

    number: int
    entrant: int
    bot_name: str
    account_name: str
    text: str
    at: datetime | None
    state: str
    answer: str
    answered_by: str
    answered_at: datetime | None


class TrialRules(Struct, frozen=True):
    """A variant made for one contest."""

    name: str
    variant_toml: str


class Mystery(Struct, frozen=True):
    """Rules that are sealed until their reveal.

    commitment: SHA-256 over salt, line feed and sealed text. salt, trials: empty until then; sealed_toml,
    too, but for organisers, who also have the whole spec, draft_toml.
    """

    commitment: str
    reveal_at: datetime | None
    revealed_at: datetime | None
    salt: str
    sealed_toml: str
    trials: tuple[TrialRules, ...] = ()
    draft_toml: str = ""


class GetTrialResponse(Struct, frozen=True):
    """A bot's validation for one contest; state: none, waiting, playing, passed, refused, stalled.

    words: what it did, if it was refused. log: empty until the rules are revealed.
    """

    state: str
    words: str
    log: str


class Tournament(Struct, frozen=True):
    """A contest; state: created, open, starting, running, paused, decided, finished, cancelled.

    release: public, participants or end: who may see results before it is decided. starting: its entries are
    closed and it is not played yet; the arena tells it beside the state `open`, which earlier clients know.
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
    starting: bool = False
    spec_changes: tuple[SpecChange, ...] = ()
    protests: tuple[Protest, ...] = ()
    mystery: Mystery | None = None

    def __post_init__(self) -> None:
        _tell_starting(self)

    @property
    def own_spec_toml(self) -> str:
        """The spec as whoever reads it may edit or copy it: with sealed rules, if they are theirs."""
        return (self.mystery.draft_toml if self.mystery else "") or self.spec_toml

    @property
    def visibility(self) -> str:
        """The audience by its spec: public, unlisted or group."""
        return str(self._audience.get("visibility", "public"))

    @property
    def group(self) -> str:
        """The group that it is for, "" if it is for everybody."""
        return str(self._audience.get("group", ""))

    @property
    def _audience(self) -> dict[str, object]:
        if "visibility" not in self.spec_toml:  # as in most, which need not be read
            return {}
        return tomllib.loads(self.spec_toml)

    @property
    def entrants(self) -> int:
        """Return the number of entrants, without those that have withdrawn."""
        return sum(not entry.withdrawn for entry in self.entries)

    @property
    def confirming(self) -> int:
        """Return the number of authors who have something to confirm before it starts."""
        return len({one.account_name for one in self.entries if one.commitment and not one.withdrawn})

    @property
    def awaited(self) -> tuple[str, ...]:
        """Return the accounts that the start waits for, in the order of entry."""
        return tuple(dict.fromkeys(one.account_name for one in self.entries if one.awaited))

    @property
    def has_begun(self) -> bool:
        """Return True if it was ever played, also if it was cancelled then."""
        return self.started_at is not None or self.matches_known > 0

    @property
    def over(self) -> bool:
        """True if the tournament will not change any more."""
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
    """A bot's extra score, in deals, in the seating played second, with its 95 % interval.

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


class Foreknowledge(Struct, frozen=True):
    """Results of replaying a bot's deals alone.

    told: of seatings played second, which it may have known; fresh: of seatings played first; changed: in how
    many of them it decided otherwise. screened: told deals compared to choose where to look. p: at least the
    chance that a bot that knows no deal ever seems to know some.
    """

    entrant: int
    bot_name: str
    told: int
    told_changed: int
    fresh: int
    fresh_changed: int
    screened: int
    screened_changed: int
    p: float
    suspicious: bool


class RaceBatch(Struct, frozen=True):
    """The state of a race after a batch; chances to be the best, by entrant."""

    stage: int
    batch: int
    sets: int
    leader: int
    chance: float
    entrants: tuple[int, ...]
    chances: tuple[float, ...]


class GetStandingsResponse(Struct, frozen=True):
    """The table, best first; carryover and foreknowledge are for organisers, empty for everybody else."""

    standings: tuple[Standing, ...]
    final: bool
    carryover: tuple[Carryover, ...]
    foreknowledge: tuple[Foreknowledge, ...] = ()
    race: tuple[RaceBatch, ...] = ()


class WorkLeft(Struct, frozen=True):
    """The work left in a tournament, at most; core_hours: 0 if nothing similar was measured."""

    matches: int
    blocks: int
    sets: int
    core_hours: float


class Preview(Struct, frozen=True):
    """The effects of a change; matches by their labels.

    again: matches that would start again. withdrawn: matches removed. stopped: ended undecided. results_lost:
    decided before. left, left_now: work left after the change, and now.
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
    starting: bool = False

    def __post_init__(self) -> None:
        _tell_starting(self)


class RetakeMatchResponse(Struct, frozen=True):
    """The match to be played again, and the labels of the matches taken back with it."""

    match: Match
    withdrawn: tuple[str, ...]
    preview: Preview | None = None


def _tell_starting(found: Tournament | Preview) -> None:
    """Make `starting` the state that it is."""
    if found.starting and found.state == "open":
        force_setattr(found, "state", "starting")
