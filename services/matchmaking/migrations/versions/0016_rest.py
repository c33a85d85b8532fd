"""why a ladder rests, and for which players"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0014"


def upgrade() -> None:
    for name in ("rests", "rests_for"):
        op.add_column("ladder", sa.Column(name, sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    for name in ("rests_for", "rests"):
        op.drop_column("ladder", name)
