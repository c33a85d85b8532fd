"""matches in a row with a fault, by version"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "form",
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("faulty", sa.Integer(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.CheckConstraint("faulty >= 0", name="ck_form_faulty"),
        sa.PrimaryKeyConstraint("version_id", name="pk_form"),
    )


def downgrade() -> None:
    op.drop_table("form")
