"""digests of blocks, the chain of a tournament, what it came to"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

TEXTS = {"tournament": ("chain", "compared"), "block_result": ("digest", "chain")}
COUNTS = {"tournament": "booked", "block_result": "booking"}


def upgrade() -> None:
    for table, names in TEXTS.items():
        with op.batch_alter_table(table) as batch:
            for name in names:
                batch.add_column(sa.Column(name, sa.String(), nullable=False, server_default=""))
            batch.add_column(sa.Column(COUNTS[table], sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    for table, names in TEXTS.items():
        with op.batch_alter_table(table) as batch:
            for name in (*names, COUNTS[table]):
                batch.drop_column(name)
