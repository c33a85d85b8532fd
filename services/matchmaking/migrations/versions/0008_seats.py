"""ladders and practice at more than two seats"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

TEXTS = (("pairing", "others", ""), ("result", "sums", ""), ("practice", "more", "[]"))


def upgrade() -> None:
    op.add_column("ladder", sa.Column("seats", sa.Integer(), nullable=False, server_default="2"))
    for table, name, default in TEXTS:
        op.add_column(table, sa.Column(name, sa.String(), nullable=False, server_default=default))


def downgrade() -> None:
    for table, name, _ in TEXTS:
        op.drop_column(table, name)
    op.drop_column("ladder", "seats")
