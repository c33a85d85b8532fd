"""the numbers of versions within their bots, and indexes of the rows that lack them"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

UNNUMBERED = (
    ("ix_player_unnumbered", "player", "ladder", sa.text("version = 0")),
    ("ix_practice_unnumbered", "practice", "id", sa.text("numbers = '[]'")),
)


def upgrade() -> None:
    op.add_column("player", sa.Column("version", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("practice", sa.Column("numbers", sa.String(), nullable=False, server_default="[]"))
    for name, table, column, where in UNNUMBERED:
        op.create_index(name, table, [column], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    for name, table, *_ in UNNUMBERED:
        op.drop_index(name, table)
    op.drop_column("practice", "numbers")
    op.drop_column("player", "version")
