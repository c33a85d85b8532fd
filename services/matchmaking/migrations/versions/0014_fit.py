"""the fit of ratings, which is a matter of the epoch, and the decisions that sets took"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

COUNTS = ("result", "decisions"), ("meeting", "decisions"), ("meeting", "measured_sets")


def upgrade() -> None:
    op.add_column("epoch", sa.Column("fit", sa.Integer(), nullable=False, server_default="1"))
    for table, name in COUNTS:
        op.add_column(table, sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    for table, name in COUNTS:
        op.drop_column(table, name)
    op.drop_column("epoch", "fit")
