"""why a version is benched"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("version", sa.Column("benched", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("version", "benched")
