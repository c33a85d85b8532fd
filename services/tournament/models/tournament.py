"""Tournaments, their entries and matches."""

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from services.shared.store.column import added_number, added_word, one_of, time_column
from services.tournament.models.base import TournamentTable

TOURNAMENT_STATES = ("created", "open", "running", "paused", "decided", "finished", "cancelled")
MATCH_STATES = ("playing", "decided", "withdrawn")
PROTEST_STATES = ("open", "accepted", "rejected")
_UNANSWERED = text("state = 'open'")
_LIVE = text("state <> 'withdrawn'")
_UNTOLD = text("words <> ''")
_NOT_OVER = text("state NOT IN ('finished', 'cancelled')")
NOT_OVER = text("tournament.state NOT IN ('finished', 'cancelled')")  # _NOT_OVER in queries, for its index

_SEALED = text("reveal_at > 0 AND revealed_at = 0")
SEALED = text("tournament.reveal_at > 0 AND tournament.revealed_at = 0")  # _SEALED in queries, for its index


class Tournament(TournamentTable, table=True):
    """A tournament. `version` counts its changes: a plan made for an older version is void.

    advances: number of versions that changed only the schedule, not entries or spec. organiser: the account
    that may change it. compared: set once finished. due_at: time of the next step by itself: the start
    while it is open, the end while it is decided; 0: it waits for an organiser. visibility, group_name: as in
    its spec. sealed: mystery rules (domain/sealed.py), "" without; reveal_at: when they are revealed, 0 at
    the start; revealed_at: when they were.
    """

    __tablename__ = "tournament"
    __table_args__ = (
        one_of("state", TOURNAMENT_STATES),
        CheckConstraint("version >= 0", name="version"),
        Index("ix_tournament_open", "organiser", sqlite_where=_NOT_OVER, postgresql_where=_NOT_OVER),
        Index("ix_tournament_sealed", "reveal_at", sqlite_where=_SEALED, postgresql_where=_SEALED),
    )

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    state: str = "created"
    spec: str  # canonical TOML without the secret
    rules: str
    options: str  # JSON, as in RuleSet
    rules_hash: str
    secret: str
    secret_given: bool
    commitment: str
    root: str = ""  # of spec and entries, from the start on
    compared: str = Field(default="", sa_column_kwargs={"server_default": ""})
    version: int = 0
    advances: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    created_at: int = time_column(default=0)
    started_at: int = time_column(default=0)
    ended_at: int = time_column(default=0)
    due_at: int = added_number()
    organiser: str = Field(default="admin", sa_column_kwargs={"server_default": "admin"})
    closed_at: int = added_number()
    visibility: str = Field(default="public", sa_column_kwargs={"server_default": "public"})
    group_name: str = added_word()
    sealed: str = added_word()
    reveal_at: int = added_number()
    revealed_at: int = added_number()


class Entry(TournamentTable, table=True):
    """A bot's version in a tournament; numbers run 1, 2, 3 … without a gap.

    commitment: SHA-256 of the author's nonce, "" if there is none; nonce: "" until it is opened.
    disqualified: why, "" if it is not. confirmed_at: when its author was seen after entries had closed, but
    without the nonce; 0: not yet.
    """

    __tablename__ = "entry"
    __table_args__ = (
        UniqueConstraint("tournament_id", "number", name="uq_entry_number"),
        UniqueConstraint("tournament_id", "bot_name", name="uq_entry_bot_name"),
        CheckConstraint("number >= 1", name="number"),
        Index("ix_entry_account", "account_name", "tournament_id"),
    )

    id: str = Field(primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    number: int
    bot_name: str
    account_name: str
    version_id: str
    sha256: str
    withdrawn: bool = False
    built_sha256: str = ""
    built_platform: str = ""
    entered_at: int = added_number()
    commitment: str = Field(default="", sa_column_kwargs={"server_default": ""})
    nonce: str = Field(default="", sa_column_kwargs={"server_default": ""})
    disqualified: str = Field(default="", sa_column_kwargs={"server_default": ""})
    confirmed_at: int = added_number()


class SpecChange(TournamentTable, table=True):
    """A change of a tournament's spec, numbered from 1.

    account_name: of whoever changed it. changes: JSON of `[key, before, after]` each; long values are cut.
    """

    __tablename__ = "spec_change"

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    number: int = Field(primary_key=True)
    at: int = Field(sa_type=BigInteger)
    account_name: str
    changes: str


class Protest(TournamentTable, table=True):
    """A protest against a tournament's result; numbers run 1, 2, 3 … An entrant has one that is open at most.

    text, answer: for everybody. account_name: of the entrant; answered_by: of whoever answered.
    """

    __tablename__ = "protest"
    __table_args__ = (
        one_of("state", PROTEST_STATES),
        Index(
            "uq_protest_open",
            "tournament_id",
            "entrant",
            unique=True,
            sqlite_where=_UNANSWERED,
            postgresql_where=_UNANSWERED,
        ),
    )

    tournament_id: str = Field(primary_key=True, foreign_key="tournament.id")
    number: int = Field(primary_key=True)
    entrant: int
    bot_name: str
    account_name: str
    text: str
    state: str = "open"
    at: int = Field(sa_type=BigInteger)
    answer: str = ""
    answered_by: str = ""
    answered_at: int = time_column(default=0)


class Match(TournamentTable, table=True):
    """A pairing of two entrants. A match taken back stays as history; the next take has its label.

    others: at a table of more than two the numbers of those after the first two, such as `3,4`. through: how
    many of them go on, 0 where nobody is knocked out.
    seed_take: the last take, up to this one, for which an organiser drew fresh seeds; 0: none. reason: why
    this take was begun after the one before it.
    """

    __tablename__ = "match"
    __table_args__ = (
        UniqueConstraint("tournament_id", "label", "take", name="uq_match_label"),
        Index(
            "uq_match_live",
            "tournament_id",
            "label",
            unique=True,
            sqlite_where=_LIVE,
            postgresql_where=_LIVE,
        ),
        one_of("state", MATCH_STATES),
        CheckConstraint("first >= 1 AND second >= 1 AND first <> second", name="pair"),
        CheckConstraint("state <> 'decided' OR verdict <> ''", name="verdict"),
        CheckConstraint("take >= 1", name="take"),
    )

    id: str = Field(primary_key=True)
    tournament_id: str = Field(foreign_key="tournament.id")
    label: str
    take: int = 1
    stage: int
    round: int
    number: int
    first: int
    second: int
    bracket: bool
    better_seed: int
    state: str = "playing"
    verdict: str = ""  # JSON of contest's Verdict, once decided
    seed_take: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    reason: str = Field(default="", sa_column_kwargs={"server_default": ""})
    queued_at: int = added_number()
    decided_at: int = added_number()
    withdrawn_at: int = added_number()
    others: str = added_word()
    through: int = added_number()


class Form(TournamentTable, table=True):
    """A version's form: consecutive matches with a fault; words: reason to suspend it, until reported."""

    __tablename__ = "form"
    __table_args__ = (
        CheckConstraint("faulty >= 0", name="faulty"),
        Index("ix_form_untold", "words", sqlite_where=_UNTOLD, postgresql_where=_UNTOLD),
    )

    version_id: str = Field(primary_key=True)
    faulty: int = 0
    words: str = ""
