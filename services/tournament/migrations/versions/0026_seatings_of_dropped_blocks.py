"""no seatings are kept of blocks that were dropped"""

from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.execute(
        "UPDATE block SET state = 'dropped' WHERE state = 'void'"
        " AND (job_id IN (SELECT id FROM job WHERE state = 'over')"
        " OR contest_id IN (SELECT id FROM contest WHERE state = 'over'))"
    )
    op.execute("DELETE FROM played_seating WHERE block_id IN (SELECT id FROM block WHERE state = 'dropped')")


def downgrade() -> None:
    """Do nothing: nobody needs the dropped rows."""
