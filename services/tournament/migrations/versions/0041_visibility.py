"""who sees a tournament"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    visibility = sa.Column("visibility", sa.String(), nullable=False, server_default="public")
    op.add_column("tournament", visibility)
    op.add_column("tournament", sa.Column("group_name", sa.String(), nullable=False, server_default=""))
    op.create_index("ix_entry_account", "entry", ["account_name", "tournament_id"])


def downgrade() -> None:
    op.drop_index("ix_entry_account", "entry")
    op.drop_column("tournament", "group_name")
    op.drop_column("tournament", "visibility")
