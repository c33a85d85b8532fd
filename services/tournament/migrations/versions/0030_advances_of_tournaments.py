"""how many changes of a tournament were of its schedule alone"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("tournament", sa.Column("advances", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("tournament", "advances")
