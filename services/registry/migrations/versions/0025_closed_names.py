"""names of deleted accounts"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.create_table(
        "closed_name",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_closed_name"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_closed_name_account_id_account"),
        sa.CheckConstraint("length(hash) = 64", name="hash_length"),
    )
    op.create_index("ix_closed_name_account_id", "closed_name", ["account_id"])


def downgrade() -> None:
    op.drop_table("closed_name")
