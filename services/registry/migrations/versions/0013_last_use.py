"""when a token was last used"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("token", sa.Column("used_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("token", "used_at")
