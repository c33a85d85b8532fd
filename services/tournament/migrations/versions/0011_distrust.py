"""whose deals were not played as reported, and how many sets of a job are played again"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("worker", sa.Column("distrusted_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("job", sa.Column("replayed", sa.Float(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("job", "replayed")
    op.drop_column("worker", "distrusted_at")
