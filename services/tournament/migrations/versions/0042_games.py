"""the rules of the stages of a tournament with whole games"""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.add_column("contest", sa.Column("games", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("contest", "games")
