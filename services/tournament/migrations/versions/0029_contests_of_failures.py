"""the contest of a failed run stands with it"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.add_column("failure", sa.Column("contest_id", sa.String(), nullable=False, server_default=""))
    op.execute(
        "UPDATE failure SET contest_id = (SELECT contest_id FROM block WHERE block.id = failure.block_id)"
    )
    op.create_index("ix_failure_contest_id", "failure", ["contest_id"])


def downgrade() -> None:
    op.drop_index("ix_failure_contest_id", "failure")
    op.drop_column("failure", "contest_id")
