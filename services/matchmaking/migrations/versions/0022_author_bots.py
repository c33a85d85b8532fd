"""how many bots of one author a ladder takes, and how often a bot has joined it lately"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("ladder", sa.Column("author_bots", sa.Integer(), nullable=False, server_default="2"))
    op.add_column("member", sa.Column("joins", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("member", sa.Column("joins_from", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("member", "joins_from")
    op.drop_column("member", "joins")
    op.drop_column("ladder", "author_bots")
