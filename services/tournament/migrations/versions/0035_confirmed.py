"""when the author of an entry was seen, so that a start waits for its nonce no longer"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.add_column("entry", sa.Column("confirmed_at", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("entry", "confirmed_at")
