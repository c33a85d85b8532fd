"""codes to log in to the page with"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "page_code",
        sa.Column("token_id", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("token_id", name="pk_page_code"),
        sa.UniqueConstraint("hash", name="uq_page_code_hash"),
        sa.CheckConstraint("length(hash) = 64", name="hash_length"),
    )


def downgrade() -> None:
    op.drop_table("page_code")
