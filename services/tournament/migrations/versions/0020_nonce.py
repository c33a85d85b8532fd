"""nonces of entrants, and when entries were closed"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

TEXTS = ("commitment", "nonce")


def upgrade() -> None:
    for column in TEXTS:
        op.add_column("entry", sa.Column(column, sa.String(), nullable=False, server_default=""))
    op.add_column("tournament", sa.Column("closed_at", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("tournament", "closed_at")
    for column in TEXTS:
        op.drop_column("entry", column)
