"""accounts, tokens, bots, versions, outbox"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

STATES = "'uploaded', 'validating', 'valid', 'refused', 'active', 'retired', 'stalled'"


def text(name: str, *more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.String(), *more, nullable=False)


def whole(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=False)


def time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def upgrade() -> None:
    _accounts()
    _bots()
    _versions()
    op.create_table(
        "outbox", whole("id"), text("task"), text("subject"), sa.PrimaryKeyConstraint("id", name="pk_outbox")
    )


def downgrade() -> None:
    for table in ("outbox", "version", "bot", "token", "account"):
        op.drop_table(table)


def _accounts() -> None:
    op.create_table(
        "account",
        text("id"),
        text("name"),
        text("scopes"),
        time("created_at"),
        sa.CheckConstraint("length(name) BETWEEN 3 AND 32", name="ck_account_name_length"),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("name", name="uq_account_name"),
    )
    op.create_table(
        "token",
        text("hash"),
        text("account_id"),
        text("scopes"),
        time("created_at"),
        time("expires_at", nullable=True),
        sa.CheckConstraint("length(hash) = 64", name="ck_token_hash_length"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_token_account_id_account"),
        sa.PrimaryKeyConstraint("hash", name="pk_token"),
    )
    op.create_index("ix_token_account_id", "token", ["account_id"])


def _bots() -> None:
    op.create_table(
        "bot",
        text("id"),
        text("name"),
        text("account_id"),
        time("created_at"),
        time("retired_at", nullable=True),
        sa.CheckConstraint("length(name) BETWEEN 2 AND 40", name="ck_bot_name_length"),
        sa.CheckConstraint("name = lower(name)", name="ck_bot_name_lower"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_bot_account_id_account"),
        sa.PrimaryKeyConstraint("id", name="pk_bot"),
        sa.UniqueConstraint("name", name="uq_bot_name"),
    )
    op.create_index("ix_bot_account_id", "bot", ["account_id"])


def _versions() -> None:
    op.create_table(
        "version",
        text("id"),
        text("bot_id"),
        whole("number"),
        text("sha256"),
        whole("size"),
        text("state"),
        text("reason"),
        text("rules"),
        text("seats"),
        sa.Column("log", sa.Text(), nullable=False),
        whole("revision"),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        whole("attempts"),
        text("worker"),
        time("created_at"),
        time("since"),
        time("lease_until", nullable=True),
        sa.CheckConstraint(f"state IN ({STATES})", name="ck_version_state"),
        sa.CheckConstraint("(state = 'validating') = (lease_until IS NOT NULL)", name="ck_version_lease"),
        sa.CheckConstraint("state NOT IN ('refused', 'stalled') OR reason <> ''", name="ck_version_reason"),
        sa.CheckConstraint("fence >= 0 AND attempts >= 0 AND revision >= 0", name="ck_version_counts"),
        sa.CheckConstraint("length(sha256) = 64", name="ck_version_sha256_length"),
        sa.CheckConstraint("number >= 1", name="ck_version_number"),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name="fk_version_bot_id_bot"),
        sa.PrimaryKeyConstraint("id", name="pk_version"),
        sa.UniqueConstraint("bot_id", "number", name="uq_version_bot_id"),
        sa.UniqueConstraint("bot_id", "sha256", name="uq_version_bot_id_sha256"),
    )
    active = sa.text("state = 'active'")
    op.create_index(
        "uq_version_active", "version", ["bot_id"], unique=True, sqlite_where=active, postgresql_where=active
    )
    op.create_index("ix_version_bot_id", "version", ["bot_id"])
    op.create_index("ix_version_sha256", "version", ["sha256"])
    op.create_index("ix_version_state_since", "version", ["state", "since"])
