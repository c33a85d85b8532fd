"""failures by worker, workers, when the service was at work"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

COLUMNS = {
    "block": (
        ("excused", sa.Boolean(), sa.false()),
        ("forgiven", sa.BigInteger(), "0"),
        ("voided", sa.Integer(), "0"),
    ),
    "failure": (("in_row", sa.Integer(), "1"), ("unfit", sa.Boolean(), sa.false())),
}


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        for name, kind, default in columns:
            op.add_column(table, sa.Column(name, kind, nullable=False, server_default=default))
    op.create_table(
        "worker",
        sa.Column("name", sa.String(), nullable=False),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("seen_at", "failing_since", "suspended_at")
        ),
        sa.Column("in_row", sa.Integer(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_worker"),
    )
    op.create_index("ix_worker_seen_at", "worker", ["seen_at"])
    op.create_table(
        "beat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_beat"),
    )


def downgrade() -> None:
    op.drop_table("beat")
    op.drop_table("worker")
    for table, columns in COLUMNS.items():
        for name, _, _ in columns:
            op.drop_column(table, name)
