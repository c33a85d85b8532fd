"""the account that made a tournament"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("tournament", sa.Column("organiser", sa.String(), nullable=False, server_default="admin"))


def downgrade() -> None:
    op.drop_column("tournament", "organiser")
