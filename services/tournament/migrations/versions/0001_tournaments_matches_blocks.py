"""tournaments, entries, matches, blocks, results, faults, outbox"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

STATES = {
    "tournament": "'created', 'open', 'running', 'paused', 'finished', 'cancelled'",
    "match": "'playing', 'decided', 'paused', 'withdrawn'",
    "block": "'queued', 'claimed', 'done', 'dropped', 'void'",
}


def text(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.String(), nullable=False)


def whole(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=False)


def time(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def flag(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Boolean(), nullable=False)


def raw(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.LargeBinary(), nullable=False)


def key(table: str, name: str = "id") -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(name, name=f"pk_{table}")


def parent(table: str, name: str) -> sa.ForeignKeyConstraint:
    to = name.removesuffix("_id")
    return sa.ForeignKeyConstraint([name], [f"{to}.id"], name=f"fk_{table}_{name}_{to}")


def check(table: str, name: str, rule: str = "") -> sa.CheckConstraint:
    return sa.CheckConstraint(rule or f"{name} IN ({STATES[table]})", name=f"ck_{table}_{name}")


def upgrade() -> None:
    _tournaments()
    _entries()
    _matches()
    _blocks()
    _results()


def downgrade() -> None:
    for table in ("outbox", "fault", "block_result", "block", "match", "entry", "tournament"):
        op.drop_table(table)


def _tournaments() -> None:
    op.create_table(
        "tournament",
        text("id"),
        text("name"),
        text("state"),
        text("spec"),
        text("rules"),
        text("options"),
        text("rules_hash"),
        text("secret"),
        flag("secret_given"),
        text("commitment"),
        text("root"),
        whole("version"),
        time("created_at"),
        time("started_at"),
        time("ended_at"),
        check("tournament", "state"),
        check("tournament", "version", "version >= 0"),
        key("tournament"),
        sa.UniqueConstraint("name", name="uq_tournament_name"),
    )


def _entries() -> None:
    op.create_table(
        "entry",
        text("id"),
        text("tournament_id"),
        whole("number"),
        text("bot_name"),
        text("account_name"),
        text("version_id"),
        text("sha256"),
        flag("withdrawn"),
        check("entry", "number", "number >= 1"),
        parent("entry", "tournament_id"),
        key("entry"),
        sa.UniqueConstraint("tournament_id", "bot_name", name="uq_entry_bot_name"),
        sa.UniqueConstraint("tournament_id", "number", name="uq_entry_number"),
    )
    op.create_table(
        "outbox",
        whole("id"),
        text("tournament_id"),
        raw("event"),
        time("created_at"),
        parent("outbox", "tournament_id"),
        key("outbox"),
        sqlite_autoincrement=True,
    )


def _matches() -> None:
    op.create_table(
        "match",
        text("id"),
        text("tournament_id"),
        text("label"),
        whole("take"),
        whole("stage"),
        whole("round"),
        whole("number"),
        whole("first"),
        whole("second"),
        flag("bracket"),
        whole("better_seed"),
        text("state"),
        text("verdict"),
        check("match", "verdict", "state <> 'decided' OR verdict <> ''"),
        check("match", "state"),
        check("match", "pair", "first >= 1 AND second >= 1 AND first <> second"),
        check("match", "take", "take >= 1"),
        parent("match", "tournament_id"),
        key("match"),
        sa.UniqueConstraint("tournament_id", "label", "take", name="uq_match_label"),
    )
    live = sa.text("state <> 'withdrawn'")
    op.create_index(
        "uq_match_live",
        "match",
        ["tournament_id", "label"],
        unique=True,
        sqlite_where=live,
        postgresql_where=live,
    )


def _blocks() -> None:
    op.create_table(
        "block",
        text("id"),
        text("match_id"),
        whole("number"),
        whole("first_set"),
        whole("sets"),
        text("state"),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        whole("attempts"),
        text("worker"),
        text("words"),
        whole("deals_done"),
        time("queued_at"),
        time("woken_at"),
        time("claimed_at"),
        time("progress_at"),
        time("lease_until"),
        check("block", "lease", "state <> 'claimed' OR (fence >= 1 AND lease_until > 0)"),
        check("block", "state"),
        check("block", "counts", "fence >= 0 AND attempts >= 0 AND deals_done >= 0"),
        check("block", "sets", "number >= 0 AND first_set >= 0 AND sets >= 1"),
        parent("block", "match_id"),
        key("block"),
        sa.UniqueConstraint("match_id", "number", name="uq_block_number"),
    )
    op.create_index("ix_block_state", "block", ["state"])


def _results() -> None:
    op.create_table(
        "block_result",
        text("block_id"),
        raw("scores"),
        raw("records"),
        raw("measured"),
        time("stored_at"),
        parent("block_result", "block_id"),
        key("block_result", "block_id"),
    )
    op.create_table(
        "fault",
        text("id"),
        text("block_id"),
        whole("entrant"),
        whole("set_number"),
        whole("seating"),
        text("kind"),
        text("words"),
        raw("bundle"),
        check("fault", "deal", "set_number >= 0 AND seating >= 0"),
        parent("fault", "block_id"),
        key("fault"),
    )
    op.create_index("ix_fault_block_id", "fault", ["block_id"])
