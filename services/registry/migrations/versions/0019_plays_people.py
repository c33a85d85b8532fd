"""whether a version plays people at live tables, as its manifest says"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column(
        "version", sa.Column("plays_people", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    op.drop_column("version", "plays_people")
