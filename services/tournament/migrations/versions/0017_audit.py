"""booked blocks that are played again by other workers, and who must not play a block"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("block", sa.Column("barred", sa.String(), nullable=False, server_default=""))
    op.create_table(
        "audit",
        sa.Column("block_id", sa.String(), sa.ForeignKey("block.id"), nullable=False),
        sa.Column("second", sa.String(), nullable=False),
        sa.Column("third", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("workers", sa.String(), nullable=False),
        sa.Column("programs", sa.String(), nullable=False),
        sa.Column("ordered_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('open', 'same', 'odd', 'differs', 'incomparable', 'dropped')",
            name="ck_audit_outcome",
        ),
        sa.PrimaryKeyConstraint("block_id", name="pk_audit"),
    )
    op.create_index("ix_audit_outcome", "audit", ["outcome"])


def downgrade() -> None:
    op.drop_table("audit")
    op.drop_column("block", "barred")
