"""rules that are sealed until the start"""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    op.add_column("tournament", sa.Column("sealed", sa.String(), nullable=False, server_default=""))
    for name in ("reveal_at", "revealed_at"):
        op.add_column("tournament", sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
    sealed = sa.text("reveal_at > 0 AND revealed_at = 0")
    op.create_index(
        "ix_tournament_sealed", "tournament", ["reveal_at"], sqlite_where=sealed, postgresql_where=sealed
    )


def downgrade() -> None:
    op.drop_index("ix_tournament_sealed", "tournament")
    for name in ("revealed_at", "reveal_at", "sealed"):
        op.drop_column("tournament", name)
