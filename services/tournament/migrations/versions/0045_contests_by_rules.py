"""contests by their rules, the latest first"""

from alembic import op

revision = "0045"
down_revision = "0044"


def upgrade() -> None:
    op.create_index("ix_contest_rules", "contest", ["rules_hash", "id"])


def downgrade() -> None:
    op.drop_index("ix_contest_rules", "contest")
