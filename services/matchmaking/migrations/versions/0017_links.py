"""the newest link of an epoch's chain, what it came to, and how many links are not of results"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    for name in ("chain", "compared"):
        op.add_column("epoch", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.add_column("epoch", sa.Column("other_links", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    for name in ("other_links", "compared", "chain"):
        op.drop_column("epoch", name)
