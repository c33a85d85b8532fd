"""runs of blocks that failed"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "failure",
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name="fk_failure_block_id_block"),
        sa.PrimaryKeyConstraint("block_id", "fence", name="pk_failure"),
    )


def downgrade() -> None:
    op.drop_table("failure")
