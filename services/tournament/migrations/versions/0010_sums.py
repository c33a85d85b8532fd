"""what a block came to in sums, and when a job last changed"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("block", sa.Column("sums", sa.String(), nullable=False, server_default=""))
    op.add_column("job", sa.Column("changed", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_index("ix_job_changed", "job", ["contest_id", "changed"])


def downgrade() -> None:
    op.drop_index("ix_job_changed", "job")
    op.drop_column("job", "changed")
    op.drop_column("block", "sums")
