"""a version is suspended, as everywhere else"""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute("ALTER TABLE version RENAME COLUMN benched TO suspended")


def downgrade() -> None:
    op.execute("ALTER TABLE version RENAME COLUMN suspended TO benched")
