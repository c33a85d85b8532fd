"""matches at tables of more than two, of which the best go on"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    op.add_column("match", sa.Column("through", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("match", "through")
