"""seatings that are played again alone, and what came of it"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    op.add_column("block", sa.Column("isolated", sa.String(), nullable=False, server_default=""))
    op.create_table(
        "isolation",
        sa.Column("block_id", sa.String(), sa.ForeignKey("block.id"), nullable=False),
        sa.Column("contest_id", sa.String(), sa.ForeignKey("contest.id"), nullable=False),
        sa.Column("told", sa.String(), nullable=False),
        sa.Column("fresh_block_id", sa.String(), nullable=False),
        sa.Column("fresh", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("marks", sa.String(), nullable=False),
        sa.Column("ordered_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("outcome IN ('open', 'compared', 'dropped')", name="ck_isolation_outcome"),
        sa.PrimaryKeyConstraint("block_id", name="pk_isolation"),
    )
    op.create_index("ix_isolation_contest", "isolation", ["contest_id", "outcome", "closed_at"])
    op.create_index("ix_isolation_outcome", "isolation", ["outcome"])


def downgrade() -> None:
    op.drop_table("isolation")
    op.drop_column("block", "isolated")
