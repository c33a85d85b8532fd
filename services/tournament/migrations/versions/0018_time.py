"""when things happened, and why a match was played again"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

TIMES = (
    ("entry", "entered_at"),
    ("match", "queued_at"),
    ("match", "decided_at"),
    ("match", "withdrawn_at"),
    ("job", "started_at"),
)


def upgrade() -> None:
    op.add_column("match", sa.Column("reason", sa.String(), nullable=False, server_default=""))
    for table, column in TIMES:
        op.add_column(table, sa.Column(column, sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    for table, column in TIMES:
        op.drop_column(table, column)
    op.drop_column("match", "reason")
