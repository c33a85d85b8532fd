"""The tables of the matchmaking service.

Times are whole milliseconds since 1970, UTC; 0 means not yet. Rows are never deleted, except actions and
changes past their retention, and points of a history, which follow from the results. A ladder is played in
epochs, each a contest of the core with a secret of its own; practice is a contest, too.
"""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    MetaData,
    UniqueConstraint,
    and_,
    false,
    text,
    true,
)
from sqlmodel import Field, SQLModel, col

from maumau.contest.ladder.played import ALL_ALIKE, SEEN
from services.shared.store.action_table import ActionRow
from services.shared.store.change_table import ChangeRow
from services.shared.store.column import added_number, added_word, one_of, time_column
from services.shared.store.common_clock import BeatRow
from services.shared.store.leader import LeaderRow
from services.shared.store.migrate import NAMING
from services.shared.store.notice_table import NoticeRow

AUTHOR_BOTS = 2
JOB_STATES = ("new", "open", "paused", "over")
UNFINISHED_STATES = ("new", "open", "paused")
UNCOUNTED, NOT_OVER = text("NOT counted"), text("state <> 'over'")
UNNUMBERED_PLAYER, UNNUMBERED_PRACTICE = text("version = 0"), text("numbers = '[]'")
EPOCH_STATES = ("new", "running", "closed", "over")


class MatchmakingTable(SQLModel):
    """Base of this service's tables, with metadata apart from others imported into the process."""

    metadata = MetaData(naming_convention=NAMING)


class Ladder(MatchmakingTable, table=True):
    """A ladder and its terms.

    rests: why nobody is paired, in words, as long as those who may be paired are the players of `rests_for`
    (`store/pool.py`). author_bots: of one author that may be on it at once.
    """

    __tablename__ = "ladder"

    name: str = Field(primary_key=True)
    rules: str
    options: str  # JSON, as in RuleSet
    rules_hash: str
    variant_toml: str = ""
    seats: int = Field(default=2, sa_column_kwargs={"server_default": "2"})
    score: str
    deal_ms: int
    memory: int  # MiB
    created_at: int = time_column(default=0)
    rests: str = added_word()
    rests_for: str = added_word()
    author_bots: int = Field(default=AUTHOR_BOTS, sa_column_kwargs={"server_default": str(AUTHOR_BOTS)})


class Player(MatchmakingTable, table=True):
    """A version on a ladder, permanently. Numbers run 0, 1, 2 …; parent: of the version before it, or -1.

    account_name: of the account or team that owns the bot now; party: under which that is counted.
    version: the version's number within the bot; 0: the registry has yet to be asked, -1: it has no such
    version.
    """

    __tablename__ = "player"
    __table_args__ = (
        Index(
            "ix_player_unnumbered",
            "ladder",
            sqlite_where=UNNUMBERED_PLAYER,
            postgresql_where=UNNUMBERED_PLAYER,
        ),
        UniqueConstraint("ladder", "version_id", name="uq_player_version"),
        CheckConstraint("number >= 0 AND parent < number", name="number"),
    )

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    number: int = Field(primary_key=True)
    version_id: str
    bot_name: str
    account_name: str
    party: str = added_word()
    parent: int = -1
    joined_at: int = time_column(default=0)
    version: int = Field(default=0, sa_column_kwargs={"server_default": "0"})

    @property
    def known_version(self) -> int:
        """The version's number within the bot, 0 if it is not known."""
        return max(self.version, 0)


class Member(MatchmakingTable, table=True):
    """A bot that has joined a ladder. number: of its current player; -1: never seen active.

    here: it has not left. words: why it is not paired now. paired_at: time of its last pairing, or of entry.
    joins: how often it has joined since the time joins_from, at most an hour ago.
    """

    __tablename__ = "member"

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    bot_name: str = Field(primary_key=True)
    account_name: str
    party: str = added_word()
    number: int = -1
    pinned: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    here: bool = Field(default=True, sa_column_kwargs={"server_default": true()})
    words: str = ""
    paired_at: int = time_column(default=0)
    joins: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    joins_from: int = added_number()


class Epoch(MatchmakingTable, table=True):
    """A contest of a ladder. cursor: the link of the last result that is kept here.

    other_links: how many links before it are not of results. chain: the newest link that is known here, its
    number before it; compared: that hash of its export, "" until it is over.
    fit: number of the fit of ratings from its beginning on (`maumau.contest.ladder.played`).
    """

    __tablename__ = "epoch"
    __table_args__ = (
        UniqueConstraint("ladder", "number", name="uq_epoch_number"),
        one_of("state", EPOCH_STATES),
        CheckConstraint("number >= 1 AND cursor >= 0", name="number"),
    )

    id: str = Field(primary_key=True)
    ladder: str = Field(foreign_key="ladder.name", index=True)
    number: int
    state: str = Field(default="new", index=True)
    contest_id: str = ""
    rules_hash: str
    commitment: str = ""
    root: str = ""
    secret: str = ""
    cursor: int = 0
    began_at: int = time_column(default=0)
    ended_at: int = time_column(default=0)
    fit: int = Field(default=SEEN, sa_column_kwargs={"server_default": str(ALL_ALIKE)})
    chain: str = added_word()
    compared: str = added_word()
    other_links: int = Field(default=0, sa_column_kwargs={"server_default": "0"})

    @property
    def results(self) -> int:
        """The number of results kept here."""
        return self.cursor - self.other_links


class Pairing(MatchmakingTable, table=True):
    """A pairing, with its reason. first, second: numbers of players. numbers: JSON.

    others: with more than two seats, the numbers of the other players, as `,3,5,`.
    """

    __tablename__ = "pairing"
    __table_args__ = (
        Index("ix_pairing_pair", "ladder", "first", "second"),
        Index("ix_pairing_unfinished", "ladder", sqlite_where=NOT_OVER, postgresql_where=NOT_OVER),
        one_of("state", JOB_STATES),
        CheckConstraint("first <> second AND sets >= 1", name="pair"),
    )

    epoch_id: str = Field(primary_key=True, foreign_key="epoch.id")
    label: int = Field(primary_key=True)
    ladder: str = Field(foreign_key="ladder.name")
    first: int
    second: int
    others: str = added_word()
    kind: str
    numbers: str
    sets: int
    state: str = "new"
    words: str = ""
    made_at: int = time_column(default=0)


class Result(MatchmakingTable, table=True):
    """A booked block of a pairing; its key is its booking. Sums are the first player's.

    sums: with more than two seats, the sums of all players, as `store/pod.py` writes them. counted:
    included in its `Meeting`; a result of an older replica is counted together with the next one.
    """

    __tablename__ = "result"
    __table_args__ = (
        Index("ix_result_pairing", "epoch_id", "label"),
        Index("ix_result_uncounted", "epoch_id", sqlite_where=UNCOUNTED, postgresql_where=UNCOUNTED),
    )

    epoch_id: str = Field(primary_key=True, foreign_key="epoch.id")
    booking: int = Field(primary_key=True)
    label: int
    sets: int
    total: int
    squares: int
    sums: str = added_word()
    first_faults: int = 0
    second_faults: int = 0
    at: int = Field(default=0, sa_type=BigInteger, index=True)
    decisions: int = added_number()
    counted: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


RESULT_OF_PAIRING = and_(
    col(Result.epoch_id) == col(Pairing.epoch_id), col(Result.label) == col(Pairing.label)
)


class Meeting(MatchmakingTable, table=True):
    """Totals of all counted results of the same players in the same positions. Columns: as in Result.

    measured_sets: those whose decisions are known. These totals keep the cost of a look constant,
    however many results there are.
    """

    __tablename__ = "meeting"

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    first: int = Field(primary_key=True)
    second: int = Field(primary_key=True)
    others: str = Field(default="", primary_key=True)
    sets: int = Field(default=0, sa_type=BigInteger)
    total: int = Field(default=0, sa_type=BigInteger)
    squares: int = Field(default=0, sa_type=BigInteger)
    sums: str = ""
    first_faults: int = Field(default=0, sa_type=BigInteger)
    second_faults: int = Field(default=0, sa_type=BigInteger)
    decisions: int = added_number()
    measured_sets: int = added_number()


class Point(MatchmakingTable, table=True):
    """A point of a ladder's history, from all results before it. anchors: JSON, numbers of players.

    number: of the point (`maumau.contest.ladder.history`).
    """

    __tablename__ = "point"

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    number: int = Field(primary_key=True, sa_type=BigInteger)
    anchors: str


class PointRating(MatchmakingTable, table=True):
    """The rating of a player at a point, in hundredths of an Elo; sets: the number it had played."""

    __tablename__ = "point_rating"
    __table_args__ = (
        ForeignKeyConstraint(("ladder", "point"), ("point.ladder", "point.number"), ondelete="CASCADE"),
    )

    ladder: str = Field(primary_key=True)
    player: int = Field(primary_key=True)
    point: int = Field(primary_key=True, sa_type=BigInteger)
    elo: int
    low: int
    high: int
    sets: int


class Practice(MatchmakingTable, table=True):
    """A match for practice. Sums are those of the asker's own bot, which is named first.

    more: with more than two seats, JSON: the names of the other bots after `against`, and their versions.
    numbers: JSON: the numbers of all versions within their bots, -1 of one that the registry does not have;
    [] as long as it has yet to be asked.
    """

    __tablename__ = "practice"
    __table_args__ = (
        Index(
            "ix_practice_unnumbered",
            "id",
            sqlite_where=UNNUMBERED_PRACTICE,
            postgresql_where=UNNUMBERED_PRACTICE,
        ),
        one_of("state", JOB_STATES),
        CheckConstraint("sets >= 1 AND cursor >= 0", name="sets"),
    )

    id: str = Field(primary_key=True)
    account_name: str = Field(index=True)
    bot: str
    against: str
    version_id: str
    other_id: str
    more: str = Field(default="[]", sa_column_kwargs={"server_default": "[]"})
    numbers: str = Field(default="[]", sa_column_kwargs={"server_default": "[]"})
    rules: str
    options: str
    rules_hash: str
    variant_toml: str = ""
    sets: int
    state: str = Field(default="new", index=True)
    words: str = ""
    contest_id: str = ""
    cursor: int = 0
    booked: int = 0
    total: int = 0
    squares: int = 0
    faults: int = 0
    other_faults: int = 0
    created_at: int = time_column(default=0)
    ended_at: int = time_column(default=0)


class LiveGame(MatchmakingTable, table=True):
    """A live table that was played to its end; its key is the table's id, so that it is stored once.

    pool: rules_hash and seats of the games rated together.
    """

    __tablename__ = "live_game"
    __table_args__ = (
        Index("ix_live_game_pool", "pool", "rated"),
        CheckConstraint("seats >= 2", name="seats"),
    )

    id: str = Field(primary_key=True)
    rules: str
    options: str
    rules_hash: str
    seats: int
    pool: str
    rated: bool
    secret: str
    record: str
    made_at: int = time_column(default=0)
    kept_at: int = time_column(default=0)


class LivePlayer(MatchmakingTable, table=True):
    """A player at a seat of a live table, with the result. bot_name: "" for a person."""

    __tablename__ = "live_player"
    __table_args__ = (
        Index("ix_live_player_name", "account_name", "bot_name"),
        CheckConstraint("seat >= 0 AND place >= 1", name="seat"),
    )

    game_id: str = Field(primary_key=True, foreign_key="live_game.id")
    seat: int = Field(primary_key=True)
    account_id: str
    account_name: str
    bot_name: str
    place: int
    points: int


class MatchmakingAction(ActionRow, MatchmakingTable, table=True):
    """Requests of admins and organisers to this service."""

    __tablename__ = "action"


class MatchmakingChange(ChangeRow, MatchmakingTable, table=True):
    """Changes of the last day and their answers, by request id."""

    __tablename__ = "change"


class MatchmakingNotice(NoticeRow, MatchmakingTable, table=True):
    """Events for webhooks, until the registry has them."""

    __tablename__ = "notice"


class MatchmakingBeat(BeatRow, MatchmakingTable, table=True):
    """The latest time that a replica has told."""

    __tablename__ = "beat"


class MatchmakingLeader(LeaderRow, MatchmakingTable, table=True):
    """The leader's lease: the replica that runs the tasks of one."""

    __tablename__ = "leader"
