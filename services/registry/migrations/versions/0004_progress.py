"""how far a validation is"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("version", sa.Column("progress", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("version", "progress")
