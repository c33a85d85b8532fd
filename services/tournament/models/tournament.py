"""Tournaments, who has entered, and their matches."""

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from services.tournament.models.base import Table, added_number, one_of, time_of

TOURNAMENT_STATES = ("created", "open", "running", "paused", "decided", "finished", "cancelled")
MATCH_STATES = ("playing", "decided", "withdrawn")
_LIVE = text("state <> 'withdrawn'")
_UNTOLD = text("words <> ''")
_NOT_OVER = text("state NOT IN ('finished', 'cancelled')")
NOT_OVER = text("tournament.state NOT IN ('finished', 'cancelled')")  # the same in a query, for that index


class Tournament(Table, table=True):
    """A tournament. `version` counts its changes: a plan made for an older one is void.

    advances: how many of them changed the schedule alone, not entries or spec. organiser: the account that
    made it and may change it. compared: once it is finished. due_at: when it goes on by itself: it starts
    while it is open, and it is finished while it is decided; 0: it waits for an organiser.
    """

    __tablename__ = "tournament"
    __table_args__ = (
        one_of("state", TOURNAMENT_STATES),
        CheckConstraint("version >= 0", name="version"),
        Index("ix_tournament_open", "organiser", sqlite_where=_NOT_OVER, postgresql_where=_NOT_OVER),
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
    created_at: int = time_of()
    started_at: int = time_of()
    ended_at: int = time_of()
    due_at: int = added_number()
    organiser: str = Field(default="admin", sa_column_kwargs={"server_default": "admin"})
    closed_at: int = added_number()


class Entry(Table, table=True):
    """A version of a bot in a tournament; numbers run 1, 2, 3 … without a gap.

    commitment: SHA-256 of the author's nonce, "" if there is none; nonce: "" until it is opened.
    disqualified: why, "" if it is not.
    """

    __tablename__ = "entry"
    __table_args__ = (
        UniqueConstraint("tournament_id", "number", name="uq_entry_number"),
        UniqueConstraint("tournament_id", "bot_name", name="uq_entry_bot_name"),
        CheckConstraint("number >= 1", name="number"),
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


class Match(Table, table=True):
    """Two entrants, until it is decided. A match taken back stays as history; the next take has its label.

    seed_take: the last take that an organiser gave fresh seeds, at most this one; 0: none. reason: why this
    take was begun after the one before it.
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


class Form(Table, table=True):
    """How a version plays: its matches in a row with a fault; why it is to be suspended, till told."""

    __tablename__ = "form"
    __table_args__ = (
        CheckConstraint("faulty >= 0", name="faulty"),
        Index("ix_form_untold", "words", sqlite_where=_UNTOLD, postgresql_where=_UNTOLD),
    )

    version_id: str = Field(primary_key=True)
    faulty: int = 0
    words: str = ""
