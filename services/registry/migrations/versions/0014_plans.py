"""old actions and the last validations are found without reading all"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

VALIDATED = sa.text("validated_ms > 0")


def upgrade() -> None:
    op.create_index("ix_action_at", "action", ["at"])
    op.create_index(
        "ix_version_validated", "version", ["since"], sqlite_where=VALIDATED, postgresql_where=VALIDATED
    )


def downgrade() -> None:
    op.drop_index("ix_version_validated", "version")
    op.drop_index("ix_action_at", "action")
