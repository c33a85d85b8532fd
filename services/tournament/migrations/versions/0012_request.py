"""contests that others ask for: by which request, and whether they take more jobs"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_ASKED = sa.text("request <> ''")


def upgrade() -> None:
    op.add_column("contest", sa.Column("request", sa.String(), nullable=False, server_default=""))
    op.add_column("contest", sa.Column("closed", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index(
        "uq_contest_request",
        "contest",
        ["request"],
        unique=True,
        sqlite_where=_ASKED,
        postgresql_where=_ASKED,
    )


def downgrade() -> None:
    op.drop_index("uq_contest_request", "contest")
    op.drop_column("contest", "closed")
    op.drop_column("contest", "request")
