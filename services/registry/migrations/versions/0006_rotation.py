"""a token is replaced when the one that follows it is first used"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("token", sa.Column("replaces", sa.String(), nullable=False, server_default=""))
    op.create_index("ix_token_replaces", "token", ["replaces"])


def downgrade() -> None:
    op.drop_index("ix_token_replaces", "token")
    op.drop_column("token", "replaces")
