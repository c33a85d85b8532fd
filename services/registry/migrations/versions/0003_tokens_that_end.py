"""tokens are listed, and end with the token that made them"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    with op.batch_alter_table("token") as table:
        table.add_column(sa.Column("id", sa.String(), nullable=False, server_default=""))
        table.add_column(sa.Column("label", sa.String(), nullable=False, server_default=""))
        table.add_column(sa.Column("parent", sa.String(), nullable=False, server_default=""))
        table.add_column(sa.Column("revoked_at", sa.BigInteger(), nullable=True))
    op.execute("UPDATE token SET id = 'token_' || substr(hash, 1, 26)")
    op.create_index("ix_token_id", "token", ["id"], unique=True)
    op.create_index("ix_token_parent", "token", ["parent"])


def downgrade() -> None:
    op.drop_index("ix_token_parent", "token")
    op.drop_index("ix_token_id", "token")
    with op.batch_alter_table("token") as table:
        for column in ("id", "label", "parent", "revoked_at"):
            table.drop_column(column)
