"""when a worker said that it ends"""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    op.add_column("worker", sa.Column("ended_at", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("worker", "ended_at")
