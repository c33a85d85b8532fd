"""changes of specs before play: who, when and what"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.create_table(
        "spec_change",
        sa.Column("tournament_id", sa.String(), sa.ForeignKey("tournament.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("account_name", sa.String(), nullable=False),
        sa.Column("changes", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "number", name="pk_spec_change"),
    )


def downgrade() -> None:
    op.drop_table("spec_change")
