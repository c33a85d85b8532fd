"""since when blocks wait, and what was booked lately"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
QUEUED = sa.text("state = 'queued'")


def upgrade() -> None:
    op.add_column("block_result", sa.Column("decisions", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_index("ix_block_result_stored", "block_result", ["stored_at", "decisions"])
    op.create_index(
        "ix_block_wait", "block", ["contest_id", "queued_at"], sqlite_where=QUEUED, postgresql_where=QUEUED
    )


def downgrade() -> None:
    op.drop_index("ix_block_wait", "block")
    op.drop_index("ix_block_result_stored", "block_result")
    op.drop_column("block_result", "decisions")
