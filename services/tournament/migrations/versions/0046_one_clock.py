"""the time that replicas agree on, and until when a change is being made"""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"


def upgrade() -> None:
    op.add_column("beat", sa.Column("era", sa.Integer(), nullable=False, server_default="0"))
    op.execute("INSERT INTO beat (id, at) VALUES (1, 0) ON CONFLICT DO NOTHING")
    op.add_column("change", sa.Column("held_until", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("change", "held_until")
    op.drop_column("beat", "era")
