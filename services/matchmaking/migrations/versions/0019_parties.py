"""parties: owners of bots that count as one"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    for table in ("player", "member"):
        op.add_column(table, sa.Column("party", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("member", "player"):
        op.drop_column(table, "party")
