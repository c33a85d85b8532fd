"""an index of the contests that are not over"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

OPEN = sa.text("request <> '' AND state <> 'over'")


def upgrade() -> None:
    op.create_index("ix_contest_open", "contest", ["id"], sqlite_where=OPEN, postgresql_where=OPEN)


def downgrade() -> None:
    op.drop_index("ix_contest_open", "contest")
