"""where records lie that were moved to files"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

UNMOVED = sa.text("state = 'over' AND moved_at = 0 AND booked > 0")
ANY_MOVED = sa.text(
    "SELECT 1 FROM block_result WHERE file_size > 0 UNION ALL SELECT 1 FROM fault WHERE file_size > 0 LIMIT 1"
)


def upgrade() -> None:
    for table in ("block_result", "fault"):
        op.add_column(table, sa.Column("file_name", sa.String(), nullable=False, server_default=""))
        for name in ("file_offset", "file_size"):
            op.add_column(table, sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("fault", sa.Column("last_line", sa.String(), nullable=False, server_default=""))
    op.add_column("contest", sa.Column("moved_at", sa.BigInteger(), nullable=False, server_default="0"))
    partial = {"sqlite_where": UNMOVED, "postgresql_where": UNMOVED}
    op.create_index("ix_contest_unmoved", "contest", ["moved_at", "id"], **partial)


def downgrade() -> None:
    if op.get_bind().execute(ANY_MOVED).first():
        raise RuntimeError(
            "Records were moved to files, and the tables of revision 0027 cannot say where they are. Restore"
            " a backup from before the first of them was moved."
        )
    op.drop_index("ix_contest_unmoved", "contest")
    op.drop_column("contest", "moved_at")
    op.drop_column("fault", "last_line")
    for table in ("fault", "block_result"):
        for name in ("file_size", "file_offset", "file_name"):
            op.drop_column(table, name)
