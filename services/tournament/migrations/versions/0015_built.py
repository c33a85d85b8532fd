"""what was built of an entrant, and where"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

NAMES = ("built_sha256", "built_platform")


def upgrade() -> None:
    for table in ("entry", "job_seat"):
        for name in NAMES:
            op.add_column(table, sa.Column(name, sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("job_seat", "entry"):
        for name in NAMES:
            op.drop_column(table, name)
