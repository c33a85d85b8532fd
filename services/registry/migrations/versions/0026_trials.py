"""validations of a version in variants that were made for one contest"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "trial",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False, server_default=""),
        sa.Column("log", sa.Text(), nullable=False, server_default=""),
        sa.Column("worker", sa.String(), nullable=False, server_default=""),
        sa.Column("fence", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_trial"),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name="fk_trial_version_id_version"),
        sa.UniqueConstraint("version_id", "key", name="uq_trial_version_id_key"),
        sa.CheckConstraint(
            "state IN ('waiting', 'playing', 'passed', 'refused', 'stalled')", name=op.f("ck_trial_state")
        ),
    )
    op.create_index(
        "ix_trial_open",
        "trial",
        ["since"],
        sqlite_where=sa.text("state IN ('waiting', 'playing')"),
        postgresql_where=sa.text("state IN ('waiting', 'playing')"),
    )


def downgrade() -> None:
    op.drop_table("trial")
