"""teams of accounts, and invitations into them"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
ROLE = "role IN ('member', 'owner')"
STILL = sa.text("left_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "team",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("dissolved_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("account_id", name="pk_team"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_team_account_id_account"),
        sa.UniqueConstraint("name", name="uq_team_name"),
    )
    op.create_table(
        "team_member",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.Column("left_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_team_member"),
        sa.ForeignKeyConstraint(["team_id"], ["team.account_id"], name="fk_team_member_team_id_team"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_team_member_account_id_account"),
        sa.CheckConstraint(ROLE, name="role"),
    )
    op.create_index("ix_team_member_account_id", "team_member", ["account_id"])
    op.create_index("ix_team_member_team_id", "team_member", ["team_id"])
    op.create_index(
        "uq_team_member_present",
        "team_member",
        ["account_id"],
        unique=True,
        sqlite_where=STILL,
        postgresql_where=STILL,
    )
    op.create_table(
        "team_invitation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=True),
        sa.Column("team_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_team_invitation"),
        sa.ForeignKeyConstraint(["team_id"], ["team.account_id"], name="fk_team_invitation_team_id_team"),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_team_invitation_account_id_account"),
        sa.UniqueConstraint("hash", name="uq_team_invitation_hash"),
        sa.CheckConstraint("(hash IS NULL) <> (account_id IS NULL)", name="kind"),
    )
    op.create_index("ix_team_invitation_team_id", "team_invitation", ["team_id"])
    op.create_index("ix_team_invitation_account_id", "team_invitation", ["account_id"])
    op.add_column("bot", sa.Column("brought_by", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("bot", "brought_by")
    for table in ("team_invitation", "team_member", "team"):
        op.drop_table(table)
