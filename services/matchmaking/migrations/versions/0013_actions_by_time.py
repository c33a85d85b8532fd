"""old actions are found without reading all"""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_index("ix_action_at", "action", ["at"])


def downgrade() -> None:
    op.drop_index("ix_action_at", "action")
