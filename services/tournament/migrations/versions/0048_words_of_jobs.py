"""why a job ended before it began"""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    op.add_column("job", sa.Column("words", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("job", "words")
