"""first runs of blocks that are played a second time"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "first_run",
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("overran", sa.String(), nullable=False),
        sa.Column("measured", sa.LargeBinary(), nullable=False),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name="fk_first_run_block_id_block"),
        sa.PrimaryKeyConstraint("block_id", name="pk_first_run"),
    )
    op.add_column("block", sa.Column("rests_until", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("block", "rests_until")
    op.drop_table("first_run")
