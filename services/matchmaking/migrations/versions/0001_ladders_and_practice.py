"""ladders and practice"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "ladder",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("rules_hash", sa.String(), nullable=False),
        sa.Column("variant_toml", sa.String(), nullable=False),
        sa.Column("score", sa.String(), nullable=False),
        sa.Column("deal_ms", sa.Integer(), nullable=False),
        sa.Column("memory", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_ladder")),
    )
    op.create_table(
        "practice",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_name", sa.String(), nullable=False),
        sa.Column("bot", sa.String(), nullable=False),
        sa.Column("against", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("other_id", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("rules_hash", sa.String(), nullable=False),
        sa.Column("variant_toml", sa.String(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("contest_id", sa.String(), nullable=False),
        sa.Column("cursor", sa.Integer(), nullable=False),
        sa.Column("booked", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("squares", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("other_faults", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('new', 'open', 'paused', 'over')", name=op.f("ck_practice_state")),
        sa.CheckConstraint("sets >= 1 AND cursor >= 0", name=op.f("ck_practice_sets")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_practice")),
    )
    op.create_index("ix_practice_account_name", "practice", ["account_name"], unique=False)
    op.create_index("ix_practice_state", "practice", ["state"], unique=False)

    op.create_table(
        "epoch",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("ladder", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("contest_id", sa.String(), nullable=False),
        sa.Column("rules_hash", sa.String(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("root", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("cursor", sa.Integer(), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('new', 'running', 'closed', 'over')", name=op.f("ck_epoch_state")),
        sa.CheckConstraint("number >= 1 AND cursor >= 0", name=op.f("ck_epoch_number")),
        sa.ForeignKeyConstraint(["ladder"], ["ladder.name"], name=op.f("fk_epoch_ladder_ladder")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_epoch")),
        sa.UniqueConstraint("ladder", "number", name="uq_epoch_number"),
    )
    op.create_index("ix_epoch_ladder", "epoch", ["ladder"], unique=False)

    op.create_table(
        "member",
        sa.Column("ladder", sa.String(), nullable=False),
        sa.Column("bot_name", sa.String(), nullable=False),
        sa.Column("account_name", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("pinned", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("here", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("paired_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["ladder"], ["ladder.name"], name=op.f("fk_member_ladder_ladder")),
        sa.PrimaryKeyConstraint("ladder", "bot_name", name=op.f("pk_member")),
    )
    op.create_table(
        "player",
        sa.Column("ladder", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("bot_name", sa.String(), nullable=False),
        sa.Column("account_name", sa.String(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=False),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("number >= 0 AND parent < number", name=op.f("ck_player_number")),
        sa.ForeignKeyConstraint(["ladder"], ["ladder.name"], name=op.f("fk_player_ladder_ladder")),
        sa.PrimaryKeyConstraint("ladder", "number", name=op.f("pk_player")),
        sa.UniqueConstraint("ladder", "version_id", name="uq_player_version"),
    )
    op.create_table(
        "pairing",
        sa.Column("epoch_id", sa.String(), nullable=False),
        sa.Column("label", sa.Integer(), nullable=False),
        sa.Column("ladder", sa.String(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("numbers", sa.String(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('new', 'open', 'paused', 'over')", name=op.f("ck_pairing_state")),
        sa.CheckConstraint("first <> second AND sets >= 1", name=op.f("ck_pairing_pair")),
        sa.ForeignKeyConstraint(["epoch_id"], ["epoch.id"], name=op.f("fk_pairing_epoch_id_epoch")),
        sa.ForeignKeyConstraint(["ladder"], ["ladder.name"], name=op.f("fk_pairing_ladder_ladder")),
        sa.PrimaryKeyConstraint("epoch_id", "label", name=op.f("pk_pairing")),
    )
    op.create_index("ix_pairing_pair", "pairing", ["ladder", "first", "second"], unique=False)
    op.create_index("ix_pairing_state", "pairing", ["state"], unique=False)

    op.create_table(
        "result",
        sa.Column("epoch_id", sa.String(), nullable=False),
        sa.Column("booking", sa.Integer(), nullable=False),
        sa.Column("label", sa.Integer(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("squares", sa.Integer(), nullable=False),
        sa.Column("first_faults", sa.Integer(), nullable=False),
        sa.Column("second_faults", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["epoch_id"], ["epoch.id"], name=op.f("fk_result_epoch_id_epoch")),
        sa.PrimaryKeyConstraint("epoch_id", "booking", name=op.f("pk_result")),
    )
    op.create_index("ix_result_label", "result", ["label"], unique=False)


def downgrade() -> None:
    for table in ("result", "pairing", "player", "member", "epoch", "practice", "ladder"):
        op.drop_table(table)
