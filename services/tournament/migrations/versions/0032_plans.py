"""what is asked of actions, failures, seatings, secrets and hosts is found without reading all"""

from alembic import op

revision = "0032"
down_revision = "0031"

INDEXES = (
    ("ix_action_at", "action", ["at"]),
    ("ix_failure_worker", "failure", ["worker", "stored_at"]),
    ("ix_played_seating_worker", "played_seating", ["worker"]),
    ("ix_contest_secret", "contest", ["secret"]),
)


def upgrade() -> None:
    for name, table, columns in INDEXES:
        op.create_index(name, table, columns)
    op.create_index("ix_worker_name", "worker", ["name"], postgresql_ops={"name": "varchar_pattern_ops"})


def downgrade() -> None:
    op.drop_index("ix_worker_name", "worker")
    for name, table, _ in INDEXES:
        op.drop_index(name, table)
