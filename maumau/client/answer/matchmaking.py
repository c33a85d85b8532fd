"""Answers of matchmaking: ladders, pairings, practice and live ratings."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from maumau.client.answer.deal import BotLimits, RuleSet, SetResult
from maumau.client.answer.engine import TablePlayer
from maumau.client.answer.version_name import name_versions, tell_apart


class Ladder(Struct, frozen=True):
    """A ladder; epoch: the number of the one that runs, 0 before the first.

    chain: its newest link. ended, compared: the last epoch that is over, and that hash of its export. rests:
    there is nothing left to learn.
    """

    name: str
    rules: RuleSet | None
    score: str
    bot: BotLimits | None
    members: int
    sets: int
    epoch: int
    seats: int
    words: str
    chain: str = ""
    ended: int = 0
    compared: str = ""
    rests: bool = False
    author_bots: int = 0


class LeaderboardLine(Struct, frozen=True):
    """A bot on a ladder; ratings in Elo, best: the chance of being the best. All 0 without a result yet.

    version: the number of its version within the bot, 0 if it is unknown; so it is in all of these structs.
    """

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
    discounted_sets: float = 0.0
    discounted_elo: float = 0.0
    version: int = 0


class GetLeaderboardResponse(Struct, frozen=True):
    """A ladder and its table, best first; bots without a result yet are at the end, with the place 0."""

    ladder: Ladder | None
    lines: tuple[LeaderboardLine, ...]

    @property
    def ranked(self) -> list[LeaderboardLine]:
        """The lines with a place."""
        return [line for line in self.lines if line.place]


class HeadToHead(Struct, frozen=True):
    """A bot's results against a version of another one, or of itself; score: its own mean, 0 to 1."""

    opponent: str
    version_id: str
    sets: int
    score: float
    low: float
    high: float
    version: int = 0


class LadderHelp(Struct, frozen=True):
    """A version's lead over what all other results predict, where another one sits at its table.

    over_others: over the others there, not over the helper itself. lead, error: in shares of a seating. p: at
    least the chance that honest bots ever seem to help so much.
    """

    helper_name: str
    helper_account: str
    helped_name: str
    helped_account: str
    over_others: bool
    sets: int
    lead: float
    error: float
    p: float
    named: bool
    helper_version: int = 0
    helped_version: int = 0


class GetLadderHelpsResponse(Struct, frozen=True):
    """The named pairs first, then the others. tests: the number of all that were made."""

    helps: tuple[LadderHelp, ...]
    tests: int


class RatingPoint(Struct, frozen=True):
    """A version's rating at a time, in Elo."""

    at: datetime | None
    elo: float
    low: float
    high: float
    sets: int


class VersionHistory(Struct, frozen=True):
    """A version's ratings on a ladder over time, oldest first.

    number: among all players of the ladder; parent: that of the bot's version before it, 0 for its first one.
    """

    version_id: str
    number: int
    parent: int
    joined_at: datetime | None
    points: tuple[RatingPoint, ...]
    version: int = 0


class Pairing(Struct, frozen=True):
    """A pairing; kind: groups, waiting, top two, least played, new. words: why it has no result."""

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
    first_version: int = 0
    second_version: int = 0
    other_versions: tuple[int, ...] = ()
    words: str = ""

    @property
    def label(self) -> str:
        """Its id, as a match has a label."""
        return self.id

    @property
    def bot_names(self) -> tuple[str, ...]:
        """The bots that meet, by position; two of them may be versions of one."""
        return self.first, self.second, *self.others

    @property
    def bot_versions(self) -> tuple[int, ...]:
        """The numbers of their versions."""
        return self.first_version, self.second_version, *self.other_versions

    @property
    def full_names(self) -> tuple[str, ...]:
        """The bots with the numbers of their versions."""
        return name_versions(self.bot_names, self.bot_versions)

    @property
    def names(self) -> dict[int, str]:
        """The names of all who meet, by position, each unlike the others."""
        return dict(enumerate(tell_apart(self.bot_names, self.bot_versions)))


class ExplainPairingResponse(Struct, frozen=True):
    """A pairing with its reason."""

    pairing: Pairing | None
    words: str


class GetPairingSetResponse(Struct, frozen=True):
    """A deal set of a pairing with its bots; entrants are positions in `names`."""

    pairing: Pairing | None
    set: SetResult
    names: tuple[str, ...]
    rules: RuleSet | None

    @property
    def distinct_names(self) -> tuple[str, ...]:
        """The names of the bots, each unlike the others."""
        return tell_apart(self.names, self.pairing.bot_versions if self.pairing else ())


class Epoch(Struct, frozen=True):
    """A contest of a ladder; state: running, closed, over.

    chain: its newest link. compared: that hash of its export, "" until it is over.
    """

    number: int
    contest_id: str
    state: str
    commitment: str
    secret: str
    root: str
    booked: int
    began_at: datetime | None
    ended_at: datetime | None
    chain: str = ""
    compared: str = ""


class PracticeMatch(Struct, frozen=True):
    """A practice match; state: open, paused, over. ended_at: None until it is over."""

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
    created_at: datetime | None = None
    ended_at: datetime | None = None
    version: int = 0
    against_version: int = 0
    more_versions: tuple[int, ...] = ()

    @property
    def bot_names(self) -> tuple[str, ...]:
        """The bots at the table, one's own first; two of them may be versions of one."""
        return self.bot, self.against, *self.more_against

    @property
    def bot_versions(self) -> tuple[int, ...]:
        """The numbers of their versions."""
        return self.version, self.against_version, *self.more_versions

    @property
    def full_names(self) -> tuple[str, ...]:
        """The bots with the numbers of their versions."""
        return name_versions(self.bot_names, self.bot_versions)

    @property
    def distinct_names(self) -> tuple[str, ...]:
        """The names of the bots, each unlike the others."""
        return tell_apart(self.bot_names, self.bot_versions)


class ListPracticeResponse(Struct, frozen=True):
    """A page of one's own practice matches, newest first; next_page_token: "" on the last one."""

    practice: tuple[PracticeMatch, ...]
    next_page_token: str


class GetPracticeSetResponse(Struct, frozen=True):
    """A deal set of a practice match with its bots; entrants are positions in `names`."""

    practice: PracticeMatch | None
    set: SetResult
    names: tuple[str, ...]

    @property
    def distinct_names(self) -> tuple[str, ...]:
        """The names of the bots, each unlike the others."""
        return tell_apart(self.names, self.practice.bot_versions if self.practice else ())


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
    """A name that plays at live tables; ratings in Elo. place: 0, with no rating, if no game counts yet."""

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
