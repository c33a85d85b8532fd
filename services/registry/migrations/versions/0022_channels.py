"""mail and chat beside webhooks, and logins of an OpenID Connect provider"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

CONFIRMS = sa.text("kind = 'confirm'")


def upgrade() -> None:
    op.add_column("webhook", sa.Column("shown", sa.String(), nullable=False, server_default=""))
    op.add_column("webhook", sa.Column("language", sa.String(), nullable=False, server_default=""))
    op.add_column("webhook", sa.Column("confirm_until", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_index(
        "ix_event_confirms", "event", ["accounts", "at"], sqlite_where=CONFIRMS, postgresql_where=CONFIRMS
    )
    op.create_table(
        "login",
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), sa.ForeignKey("account.id"), nullable=False),
        sa.Column("token_id", sa.String(), nullable=False),
        sa.Column("linked_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_login"),
    )
    op.create_index("ix_login_account_id", "login", ["account_id"])


def downgrade() -> None:
    op.drop_table("login")
    op.drop_index("ix_event_confirms", "event")
    for name in ("confirm_until", "language", "shown"):
        op.drop_column("webhook", name)
