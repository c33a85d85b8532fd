"""seatings of blocks that different hosts play"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "played_seating",
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("seating", sa.Integer(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("sets", sa.LargeBinary(), nullable=False),
        sa.Column("measured", sa.LargeBinary(), nullable=False),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("seating BETWEEN 0 AND 9", name="ck_played_seating_seating"),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name="fk_played_seating_block_id_block"),
        sa.PrimaryKeyConstraint("block_id", "seating", name="pk_played_seating"),
    )


def downgrade() -> None:
    op.drop_table("played_seating")
