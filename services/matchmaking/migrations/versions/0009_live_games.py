"""live games and who played them"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "live_game",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("rules_hash", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("pool", sa.String(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("record", sa.String(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("kept_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("seats >= 2", name=op.f("ck_live_game_seats")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_live_game")),
    )
    op.create_index("ix_live_game_pool", "live_game", ["pool", "rated"], unique=False)
    op.create_table(
        "live_player",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("account_name", sa.String(), nullable=False),
        sa.Column("bot_name", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.CheckConstraint("seat >= 0 AND place >= 1", name=op.f("ck_live_player_seat")),
        sa.ForeignKeyConstraint(["game_id"], ["live_game.id"], name=op.f("fk_live_player_game_id_live_game")),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("pk_live_player")),
    )
    op.create_index("ix_live_player_name", "live_player", ["account_name", "bot_name"], unique=False)


def downgrade() -> None:
    op.drop_table("live_player")
    op.drop_table("live_game")
