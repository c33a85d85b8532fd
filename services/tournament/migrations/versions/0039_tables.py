"""matches at tables of more than two"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    op.add_column("match", sa.Column("others", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("match", "others")
