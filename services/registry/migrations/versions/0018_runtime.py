"""the runtime of a version, as its manifest names it

The number 0017 was never used; data folders have recorded 0018, so that it stays.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("version", sa.Column("runtime", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("version", "runtime")
