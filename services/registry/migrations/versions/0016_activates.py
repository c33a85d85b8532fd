"""whether a version becomes active when it passes its validation"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    # false for those that wait already: their authors were told to activate them
    op.add_column("version", sa.Column("activates", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("version", "activates")
