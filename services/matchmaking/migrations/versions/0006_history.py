"""ratings over time"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "point",
        sa.Column("ladder", sa.String(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("anchors", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["ladder"], ["ladder.name"], name=op.f("fk_point_ladder_ladder")),
        sa.PrimaryKeyConstraint("ladder", "number", name=op.f("pk_point")),
    )
    op.create_table(
        "point_rating",
        sa.Column("ladder", sa.String(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("point", sa.BigInteger(), nullable=False),
        sa.Column("elo", sa.Integer(), nullable=False),
        sa.Column("low", sa.Integer(), nullable=False),
        sa.Column("high", sa.Integer(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ladder", "point"],
            ["point.ladder", "point.number"],
            name=op.f("fk_point_rating_ladder_point"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("ladder", "player", "point", name=op.f("pk_point_rating")),
    )
    op.create_index("ix_result_at", "result", ["at"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_result_at", table_name="result")
    for table in ("point_rating", "point"):
        op.drop_table(table)
