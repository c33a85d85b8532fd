"""The tables of the matchmaking service.

Times are whole milliseconds since 1970, UTC; 0 means not yet. Nothing is ever deleted but points of a
history, which follow from the results. A ladder is played in epochs, each a contest of the core with a secret
of its own; practice is a contest, too.
"""

from typing import Any

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

from services.shared.action_table import ActionRow
from services.shared.change_table import ChangeRow
from services.shared.leader import LeaderRow
from services.shared.migrate import NAMING

JOB_STATES = ("new", "open", "paused", "over")
UNFINISHED_STATES = ("new", "open", "paused")
UNCOUNTED, NOT_OVER = text("NOT counted"), text("state <> 'over'")
EPOCH_STATES = ("new", "running", "closed", "over")


class Table(SQLModel):
    """Tables of this service alone, whatever else is imported into the process."""

    metadata = MetaData(naming_convention=NAMING)


def _one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(word) for word in words)})", name=column)


def _time() -> Any:
    return Field(default=0, sa_type=BigInteger)


class Ladder(Table, table=True):
    """What is played on a ladder."""

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
    created_at: int = _time()


class Player(Table, table=True):
    """A version on a ladder, once and for all. Numbers run 0, 1, 2 …; parent: of the one before it, or -1."""

    __tablename__ = "player"
    __table_args__ = (
        UniqueConstraint("ladder", "version_id", name="uq_player_version"),
        CheckConstraint("number >= 0 AND parent < number", name="number"),
    )

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    number: int = Field(primary_key=True)
    version_id: str
    bot_name: str
    account_name: str
    parent: int = -1
    joined_at: int = _time()


class Member(Table, table=True):
    """A bot that has joined a ladder. number: of the player that it is now; -1: it was never seen active.

    here: it has not left. words: why it is not paired just now. paired_at: when it was last, or when it came.
    """

    __tablename__ = "member"

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    bot_name: str = Field(primary_key=True)
    account_name: str
    number: int = -1
    pinned: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    here: bool = Field(default=True, sa_column_kwargs={"server_default": true()})
    words: str = ""
    paired_at: int = _time()


class Epoch(Table, table=True):
    """A contest of a ladder. cursor: the booking of the last result that is kept here."""

    __tablename__ = "epoch"
    __table_args__ = (
        UniqueConstraint("ladder", "number", name="uq_epoch_number"),
        _one_of("state", EPOCH_STATES),
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
    began_at: int = _time()
    ended_at: int = _time()


class Pairing(Table, table=True):
    """Who was paired with whom, and why. first, second: numbers of players. numbers: JSON.

    others: at a table of more than two, the numbers of those who take the other seats, as `,3,5,`.
    """

    __tablename__ = "pairing"
    __table_args__ = (
        Index("ix_pairing_pair", "ladder", "first", "second"),
        Index("ix_pairing_unfinished", "ladder", sqlite_where=NOT_OVER, postgresql_where=NOT_OVER),
        _one_of("state", JOB_STATES),
        CheckConstraint("first <> second AND sets >= 1", name="pair"),
    )

    epoch_id: str = Field(primary_key=True, foreign_key="epoch.id")
    label: int = Field(primary_key=True)
    ladder: str = Field(foreign_key="ladder.name")
    first: int
    second: int
    others: str = Field(default="", sa_column_kwargs={"server_default": ""})
    kind: str
    numbers: str
    sets: int
    state: str = "new"
    words: str = ""
    made_at: int = _time()


class Result(Table, table=True):
    """A booked block of a pairing, kept once: its key is its booking. Sums are the first's.

    sums: at a table of more than two, the sums of all of them, as `store/pod.py` writes them. counted:
    included in its `Meeting`; what an older replica books is counted with the next result.
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
    sums: str = Field(default="", sa_column_kwargs={"server_default": ""})
    first_faults: int = 0
    second_faults: int = 0
    at: int = Field(default=0, sa_type=BigInteger, index=True)
    counted: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


RESULT_OF_PAIRING = and_(
    col(Result.epoch_id) == col(Pairing.epoch_id), col(Result.label) == col(Pairing.label)
)


class Meeting(Table, table=True):
    """What all counted results of the same players, in the same positions, add up to. Columns: as in Result.

    With these totals the cost of a look does not grow with the results.
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


class Point(Table, table=True):
    """The ratings of a ladder were written down at a time: all results before it. anchors: JSON, of players.

    number: of the point (`maumau.contest.history`).
    """

    __tablename__ = "point"

    ladder: str = Field(primary_key=True, foreign_key="ladder.name")
    number: int = Field(primary_key=True, sa_type=BigInteger)
    anchors: str


class PointRating(Table, table=True):
    """What a player was rated at a point, in hundredths of an Elo; sets: that it had played."""

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


class Practice(Table, table=True):
    """A match that somebody asked for. Sums are those of the asker's own bot, which is named first.

    more: at a table of more than two, JSON: the names of the other bots after `against`, and their versions.
    """

    __tablename__ = "practice"
    __table_args__ = (_one_of("state", JOB_STATES), CheckConstraint("sets >= 1 AND cursor >= 0", name="sets"))

    id: str = Field(primary_key=True)
    account_name: str = Field(index=True)
    bot: str
    against: str
    version_id: str
    other_id: str
    more: str = Field(default="[]", sa_column_kwargs={"server_default": "[]"})
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
    created_at: int = _time()
    ended_at: int = _time()


class LiveGame(Table, table=True):
    """A live table that was played to its end; its key is the table's id, so that it is kept once.

    pool: what is rated together, rules_hash and seats.
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
    made_at: int = _time()
    kept_at: int = _time()


class LivePlayer(Table, table=True):
    """Who played at a seat of a live table, and what came of it. bot_name: "" for a person."""

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


class Action(ActionRow, Table, table=True):
    """What admins asked of this service."""

    __tablename__ = "action"


class Change(ChangeRow, Table, table=True):
    """What was changed within the last day, by request, and what was answered."""

    __tablename__ = "change"


class Leader(LeaderRow, Table, table=True):
    """Which replica does what only one does."""

    __tablename__ = "leader"
