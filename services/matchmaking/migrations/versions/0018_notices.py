"""notices for webhooks that the registry has yet to hear of"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "notice",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("accounts", sa.String(), nullable=False),
        sa.Column("contest", sa.String(), nullable=False),
        sa.Column("data", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_notice"),
        sa.UniqueConstraint("id", name="uq_notice_id"),
    )


def downgrade() -> None:
    op.drop_table("notice")
