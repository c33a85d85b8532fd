"""tournaments that start by themselves, and that are decided before they are finished"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

BEFORE = "'created', 'open', 'running', 'paused', 'finished', 'cancelled'"
AFTER = "'created', 'open', 'running', 'paused', 'decided', 'finished', 'cancelled'"


def upgrade() -> None:
    with op.batch_alter_table("tournament") as batch:
        batch.add_column(sa.Column("due_at", sa.BigInteger(), nullable=False, server_default="0"))
    _states(AFTER)


def downgrade() -> None:
    op.execute("UPDATE tournament SET state = 'running' WHERE state = 'decided'")
    _states(BEFORE)
    with op.batch_alter_table("tournament") as batch:
        batch.drop_column("due_at")


def _states(words: str) -> None:
    with op.batch_alter_table("tournament") as batch:
        batch.drop_constraint("ck_tournament_state", type_="check")
        batch.create_check_constraint("ck_tournament_state", f"state IN ({words})")
