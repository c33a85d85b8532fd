"""takes of matches with fresh seeds"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    for table in ("match", "job"):
        op.add_column(table, sa.Column("seed_take", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    for table in ("match", "job"):
        op.drop_column(table, "seed_take")
