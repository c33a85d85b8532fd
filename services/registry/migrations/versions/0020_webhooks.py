"""webhooks, the notices that they are told of, and deliveries"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

DUE, UNTOLD, WAITING = (sa.text(one) for one in ("next_at > 0", "told_at = 0", "delivered_at = 0"))


def upgrade() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), sa.ForeignKey("account.id"), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("kinds", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("failing_since", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at", sa.BigInteger(), nullable=False),
        sa.Column("problem", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhook"),
        sa.UniqueConstraint("account_id", "url", name="uq_webhook_account_id_url"),
    )
    op.create_index("ix_webhook_due", "webhook", ["next_at"], sqlite_where=DUE, postgresql_where=DUE)
    op.create_table(
        "followed_contest",
        sa.Column("contest", sa.String(), nullable=False),
        sa.Column("webhook_id", sa.String(), sa.ForeignKey("webhook.id"), nullable=False),
        sa.PrimaryKeyConstraint("contest", "webhook_id", name="pk_followed_contest"),
    )
    op.create_index("ix_followed_contest_webhook_id", "followed_contest", ["webhook_id"])
    _create_event()
    _create_delivery()


def _create_event() -> None:
    op.create_table(
        "event",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("accounts", sa.String(), nullable=False),
        sa.Column("contest", sa.String(), nullable=False),
        sa.Column("data", sa.String(), nullable=False),
        sa.Column("told_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_event"),
        sa.UniqueConstraint("id", name="uq_event_id"),
    )
    op.create_index("ix_event_untold", "event", ["number"], sqlite_where=UNTOLD, postgresql_where=UNTOLD)
    op.create_index("ix_event_told_at", "event", ["told_at"])


def _create_delivery() -> None:
    op.create_table(
        "delivery",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.String(), sa.ForeignKey("webhook.id"), nullable=False),
        sa.Column("notice_id", sa.String(), sa.ForeignKey("event.id"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("delivered_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_delivery"),
        sa.UniqueConstraint("webhook_id", "notice_id", name="uq_delivery_webhook_id_notice_id"),
    )
    op.create_index("ix_delivery_notice_id", "delivery", ["notice_id"])
    op.create_index("ix_delivery_created_at", "delivery", ["created_at"])
    op.create_index("ix_delivery_newest", "delivery", ["webhook_id", "number"])
    op.create_index(
        "ix_delivery_waiting",
        "delivery",
        ["webhook_id", "number"],
        sqlite_where=WAITING,
        postgresql_where=WAITING,
    )


def downgrade() -> None:
    for name in ("delivery", "event", "followed_contest", "webhook"):
        op.drop_table(name)
