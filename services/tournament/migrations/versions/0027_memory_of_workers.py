"""the memory that a worker has"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.add_column("worker", sa.Column("memory", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("worker", "memory")
