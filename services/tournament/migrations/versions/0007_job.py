"""contests, jobs and their seats: what blocks and events hang on"""

import tomllib

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

CONTEST = (
    "id",
    "purpose",
    "author",
    "state",
    "rules",
    "options",
    "rules_hash",
    "variant_toml",
    "score",
    "secret",
    "root",
    "chain",
)
STATES = {"created": "waiting", "open": "waiting", "finished": "over", "cancelled": "over"}
LOST = {"seats": 2, "score": "win"}  # of a spec that cannot be read: it is not played either

CONTESTS = """
INSERT INTO contest (id, purpose, author, state, rules, options, rules_hash, variant_toml, seats, score,
    deal_ms, memory, secret, root, chain, booked, changes)
VALUES (:id, 'tournament', 'admin', :state, :rules, :options, :rules_hash, :variant_toml, :seats, :score,
    :deal_ms, :memory, :secret, :root, :chain, :booked, :booked)
"""
JOBS = """
INSERT INTO job (id, contest_id, label, take, state)
SELECT id, tournament_id, label, take,
    CASE state WHEN 'playing' THEN 'open' WHEN 'paused' THEN 'paused' ELSE 'over' END
FROM match
"""
SEATS = """
INSERT INTO job_seat (job_id, position, number, version_id, sha256, bot_name, account_name)
SELECT match.id, {position}, entry.number, version_id, sha256, bot_name, account_name
FROM match JOIN entry ON entry.tournament_id = match.tournament_id AND entry.number = match.{column}
"""


def upgrade() -> None:
    _create()
    _fill()
    with op.batch_alter_table("block") as batch:
        batch.add_column(sa.Column("contest_id", sa.String(), nullable=False, server_default=""))
        batch.drop_constraint("uq_block_number", type_="unique")
        batch.drop_constraint("fk_block_match_id_match", type_="foreignkey")
        batch.alter_column("match_id", new_column_name="job_id")
    op.execute("UPDATE block SET contest_id = (SELECT contest_id FROM job WHERE job.id = block.job_id)")
    with op.batch_alter_table("block") as batch:
        batch.alter_column(
            "contest_id", existing_type=sa.String(), existing_nullable=False, server_default=None
        )
        batch.create_unique_constraint("uq_block_number", ["job_id", "number"])
        batch.create_foreign_key("fk_block_job_id_job", "job", ["job_id"], ["id"])
        batch.create_foreign_key("fk_block_contest_id_contest", "contest", ["contest_id"], ["id"])
        batch.create_index("ix_block_turn", ["contest_id", "state", "number", "id"])
    _outbox("tournament", "contest")
    op.execute("UPDATE match SET state = 'playing' WHERE state = 'paused'")
    _match_states("'playing', 'decided', 'withdrawn'")
    with op.batch_alter_table("tournament") as batch:
        batch.drop_column("chain")
        batch.drop_column("booked")


def _create() -> None:
    def whole(name: str) -> sa.Column[int]:
        return sa.Column(name, sa.Integer(), nullable=False)

    def text(name: str) -> sa.Column[str]:
        return sa.Column(name, sa.String(), nullable=False)

    op.create_table(
        "contest",
        *(text(name) for name in CONTEST),
        *(whole(name) for name in ("seats", "deal_ms", "memory", "booked", "changes")),
        sa.CheckConstraint(
            "purpose IN ('tournament', 'practice', 'ladder', 'audit')", name="ck_contest_purpose"
        ),
        sa.CheckConstraint("state IN ('waiting', 'running', 'paused', 'over')", name="ck_contest_state"),
        sa.CheckConstraint("seats BETWEEN 2 AND 10", name="ck_contest_seats"),
        sa.CheckConstraint("booked >= 0 AND changes >= booked", name="ck_contest_counts"),
        sa.PrimaryKeyConstraint("id", name="pk_contest"),
    )
    op.create_index("ix_contest_state", "contest", ["state"])
    op.create_table(
        "job",
        *(text(name) for name in ("id", "contest_id", "label", "state")),
        whole("take"),
        sa.CheckConstraint("state IN ('open', 'paused', 'over')", name="ck_job_state"),
        sa.ForeignKeyConstraint(["contest_id"], ["contest.id"], name="fk_job_contest_id_contest"),
        sa.PrimaryKeyConstraint("id", name="pk_job"),
        sa.UniqueConstraint("contest_id", "label", "take", name="uq_job_label"),
    )
    op.create_table(
        "job_seat",
        *(text(name) for name in ("job_id", "version_id", "sha256", "bot_name", "account_name")),
        whole("position"),
        whole("number"),
        sa.CheckConstraint("position BETWEEN 0 AND 9 AND number >= 1", name="ck_job_seat_position"),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_job_seat_job_id_job"),
        sa.PrimaryKeyConstraint("job_id", "position", name="pk_job_seat"),
        sa.UniqueConstraint("job_id", "number", name="uq_job_seat_number"),
    )


def _fill() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.text("SELECT * FROM tournament")).mappings().all():
        terms = dict(row) | {"state": STATES.get(row["state"], row["state"])} | _terms(row["spec"])
        connection.execute(sa.text(CONTESTS), terms)
    op.execute(JOBS)
    for position, column in enumerate(("first", "second")):
        op.execute(SEATS.format(position=position, column=column))


def _terms(spec: str) -> dict[str, object]:
    """Return the terms of play of a spec as it was written with all its defaults."""
    try:
        given = tomllib.loads(spec)
    except tomllib.TOMLDecodeError:
        given = {}
    bot = given.get("bot", {})
    return {
        **{key: given.get(key, lost) for key, lost in LOST.items()},
        "variant_toml": given.get("variant_toml", ""),
        "deal_ms": bot.get("deal_ms", 100),
        "memory": bot.get("memory", 512),
    }


def _outbox(before: str, after: str) -> None:
    with op.batch_alter_table("outbox", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_constraint(f"fk_outbox_{before}_id_{before}", type_="foreignkey")
        batch.alter_column(f"{before}_id", new_column_name=f"{after}_id")
    with op.batch_alter_table("outbox", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.create_foreign_key(f"fk_outbox_{after}_id_{after}", after, [f"{after}_id"], ["id"])


def _match_states(words: str) -> None:
    with op.batch_alter_table("match") as batch:
        batch.drop_constraint("ck_match_state", type_="check")
        batch.create_check_constraint("ck_match_state", f"state IN ({words})")


def downgrade() -> None:
    with op.batch_alter_table("tournament") as batch:
        batch.add_column(sa.Column("chain", sa.String(), nullable=False, server_default=""))
        batch.add_column(sa.Column("booked", sa.Integer(), nullable=False, server_default="0"))
    _match_states("'playing', 'decided', 'paused', 'withdrawn'")
    _outbox("contest", "tournament")
    with op.batch_alter_table("block") as batch:
        batch.drop_index("ix_block_turn")
        batch.drop_constraint("uq_block_number", type_="unique")
        batch.drop_constraint("fk_block_job_id_job", type_="foreignkey")
        batch.drop_constraint("fk_block_contest_id_contest", type_="foreignkey")
        batch.drop_column("contest_id")
        batch.alter_column("job_id", new_column_name="match_id")
    with op.batch_alter_table("block") as batch:
        batch.create_unique_constraint("uq_block_number", ["match_id", "number"])
        batch.create_foreign_key("fk_block_match_id_match", "match", ["match_id"], ["id"])
    for table in ("job_seat", "job", "contest"):
        op.drop_table(table)
