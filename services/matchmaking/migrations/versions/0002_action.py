"""what admins asked of this service"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

COLUMNS = ("service", "method", "account_name", "asked", "outcome", "request_id")


def upgrade() -> None:
    op.create_table(
        "action",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in COLUMNS),
        sa.PrimaryKeyConstraint("id", name="pk_action"),
    )


def downgrade() -> None:
    op.drop_table("action")
