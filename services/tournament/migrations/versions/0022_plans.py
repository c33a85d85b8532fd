"""indexes for what was read from end to end"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

NOT_OVER = sa.text("state NOT IN ('finished', 'cancelled')")
UNTOLD = sa.text("words <> ''")


def upgrade() -> None:
    partial = {"sqlite_where": NOT_OVER, "postgresql_where": NOT_OVER}
    op.create_index("ix_tournament_open", "tournament", ["organiser"], **partial)
    op.create_index("ix_form_untold", "form", ["words"], sqlite_where=UNTOLD, postgresql_where=UNTOLD)
    op.create_index("ix_worker_distrusted_at", "worker", ["distrusted_at"])


def downgrade() -> None:
    op.drop_index("ix_worker_distrusted_at", "worker")
    op.drop_index("ix_form_untold", "form")
    op.drop_index("ix_tournament_open", "tournament")
