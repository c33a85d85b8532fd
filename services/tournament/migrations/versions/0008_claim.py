"""blocks are asked for, not sent; what workers lack"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "lack",
        *(sa.Column(name, sa.String(), nullable=False) for name in ("worker", "hash", "words")),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("worker", "hash", name="pk_lack"),
    )
    op.create_index("ix_lack_hash", "lack", ["hash"])
    op.drop_column("block", "woken_at")


def downgrade() -> None:
    op.add_column("block", sa.Column("woken_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.drop_table("lack")
