"""where accounts come from, and whose validation comes next"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

WAITS = sa.text("state = 'uploaded'")
IN_SITE = sa.text("registered_site <> ''")


def upgrade() -> None:
    for name in ("registered_from", "registered_site"):
        op.add_column("account", sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.create_index("ix_account_registered", "account", ["registered_from", "created_at"])
    op.create_index(
        "ix_account_site",
        "account",
        ["registered_site", "created_at"],
        sqlite_where=IN_SITE,
        postgresql_where=IN_SITE,
    )
    op.add_column("version", sa.Column("turn", sa.String(), nullable=False, server_default=""))
    op.add_column("version", sa.Column("turn_cost", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_index(
        "ix_version_turn", "version", ["turn", "since", "id"], sqlite_where=WAITS, postgresql_where=WAITS
    )
    _create_turns()


def _create_turns() -> None:
    # as bytes, so that both kinds of database order keys alike
    key = sa.String(collation="C") if op.get_bind().dialect.name == "postgresql" else sa.String()
    op.create_table(
        "turn",
        sa.Column("key", key, nullable=False),
        sa.Column("parent", key, nullable=False),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("used", "clock", "cost", "since", "due")
        ),
        sa.PrimaryKeyConstraint("key", name="pk_turn"),
    )
    op.create_index("ix_turn_due", "turn", ["parent", "due", "since", "key"])
    op.create_index("ix_turn_waiting", "turn", ["due"])
    op.execute(
        "INSERT INTO turn (key, parent, used, clock, cost, since, due) VALUES ('', '-', 0, 0, 0, 0, 0)"
    )
    op.create_table(
        "platform",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_platform"),
    )


def downgrade() -> None:
    op.drop_table("platform")
    op.drop_table("turn")
    op.drop_index("ix_version_turn", "version")
    op.drop_column("version", "turn_cost")
    op.drop_column("version", "turn")
    op.drop_index("ix_account_site", "account")
    op.drop_index("ix_account_registered", "account")
    op.drop_column("account", "registered_site")
    op.drop_column("account", "registered_from")
