"""entries may be disqualified"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("entry", sa.Column("disqualified", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("entry", "disqualified")
