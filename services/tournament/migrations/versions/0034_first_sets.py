"""what was played in a first run, for the deals of it that count, and who played it"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    op.add_column("first_run", sa.Column("sets", sa.LargeBinary(), nullable=True))
    op.add_column("first_run", sa.Column("players", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("first_run", "players")
    op.drop_column("first_run", "sets")
