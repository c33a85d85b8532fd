"""versions of roots, links of chains that are not of blocks, what a contest of jobs came to"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"


def upgrade() -> None:
    op.add_column("contest", sa.Column("version", sa.Integer(), nullable=False, server_default="3"))
    op.add_column("contest", sa.Column("linked", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("contest", sa.Column("compared", sa.String(), nullable=False, server_default=""))
    op.create_table(
        "chain_link",
        sa.Column("contest_id", sa.String(), sa.ForeignKey("contest.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("contest_id", "number", name="pk_chain_link"),
    )
    op.create_index("ix_chain_link_kind", "chain_link", ["contest_id", "kind"])


def downgrade() -> None:
    op.drop_table("chain_link")
    for name in ("compared", "linked", "version"):
        op.drop_column("contest", name)
