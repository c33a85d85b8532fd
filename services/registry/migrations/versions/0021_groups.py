"""groups of accounts, and invitations into them"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
ROLE = "role IN ('member', 'organiser')"


def upgrade() -> None:
    op.create_table(
        "account_group",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_account_group"),
        sa.UniqueConstraint("name", name="uq_account_group_name"),
        sa.CheckConstraint("length(name) BETWEEN 3 AND 32", name="name_length"),
    )
    op.create_table(
        "membership",
        sa.Column("group_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("group_id", "account_id", name="pk_membership"),
        sa.ForeignKeyConstraint(
            ["group_id"], ["account_group.id"], name="fk_membership_group_id_account_group"
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_membership_account_id_account"),
        sa.CheckConstraint(ROLE, name="role"),
    )
    op.create_index("ix_membership_account_id", "membership", ["account_id"])
    op.create_table(
        "invitation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("group_id", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.Column("used_by", sa.String(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.ForeignKeyConstraint(
            ["group_id"], ["account_group.id"], name="fk_invitation_group_id_account_group"
        ),
        sa.UniqueConstraint("hash", name="uq_invitation_hash"),
        sa.CheckConstraint("length(hash) = 64", name="hash_length"),
        sa.CheckConstraint(ROLE, name="role"),
        sa.CheckConstraint("(used_at IS NULL) = (used_by = '')", name="used"),
    )
    op.create_index("ix_invitation_group", "invitation", ["group_id", "id"])


def downgrade() -> None:
    for table in ("invitation", "membership", "account_group"):
        op.drop_table(table)
