"""protests against results, and their answers"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    op.create_table(
        "protest",
        sa.Column("tournament_id", sa.String(), sa.ForeignKey("tournament.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("bot_name", sa.String(), nullable=False),
        sa.Column("account_name", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("answered_by", sa.String(), nullable=False),
        sa.Column("answered_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "number", name="pk_protest"),
        sa.CheckConstraint("state IN ('open', 'accepted', 'rejected')", name="ck_protest_state"),
    )
    op.create_index(
        "uq_protest_open",
        "protest",
        ["tournament_id", "entrant"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )


def downgrade() -> None:
    op.drop_table("protest")
