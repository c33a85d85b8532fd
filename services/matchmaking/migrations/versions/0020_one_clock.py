"""the time that replicas agree on, and until when a change is being made"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "beat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("era", sa.Integer(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_beat"),
    )
    op.execute("INSERT INTO beat (id, at) VALUES (1, 0)")
    op.add_column("change", sa.Column("held_until", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("change", "held_until")
    op.drop_table("beat")
