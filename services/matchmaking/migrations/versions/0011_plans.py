"""an index for what was read from end to end"""

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_index("ix_epoch_state", "epoch", ["state"])


def downgrade() -> None:
    op.drop_index("ix_epoch_state", "epoch")
