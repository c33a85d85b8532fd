"""totals of the results by players"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

PARTIAL = (
    ("ix_result_uncounted", "result", "epoch_id", sa.text("NOT counted")),
    ("ix_pairing_unfinished", "pairing", "ladder", sa.text("state <> 'over'")),
)
PLAYERS = ("ladder", "first", "second", "others")
ADD_UP = """
INSERT INTO meeting (ladder, first, second, others, sets, total, squares, first_faults, second_faults, sums)
SELECT ladder, first, second, others, SUM(result.sets), SUM(total), SUM(squares), SUM(first_faults),
  SUM(second_faults), ''
FROM result JOIN pairing ON pairing.epoch_id = result.epoch_id AND pairing.label = result.label
GROUP BY ladder, first, second, others
"""
TABLE_SUMS = """
SELECT ladder, first, second, others, sums
FROM result JOIN pairing ON pairing.epoch_id = result.epoch_id AND pairing.label = result.label
WHERE sums <> ''
"""
UPDATE_SUMS = """
UPDATE meeting SET sums = :sums
WHERE ladder = :ladder AND first = :first AND second = :second AND others = :others
"""


def upgrade() -> None:
    counted = sa.Column("counted", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("result", counted)
    op.create_table(
        "meeting",
        sa.Column("ladder", sa.String(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("first", "second")),
        sa.Column("others", sa.String(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("sets", "total", "squares")),
        sa.Column("sums", sa.String(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("first_faults", "second_faults")),
        sa.ForeignKeyConstraint(["ladder"], ["ladder.name"], name="fk_meeting_ladder_ladder"),
        sa.PrimaryKeyConstraint(*PLAYERS, name="pk_meeting"),
    )
    op.execute(ADD_UP)
    _add_up_tables()
    op.execute("UPDATE result SET counted = true")
    op.drop_index("ix_result_label", "result")  # labels repeat in every epoch
    op.create_index("ix_result_pairing", "result", ["epoch_id", "label"])
    op.drop_index("ix_pairing_state", "pairing")
    for (
        name,
        table,
        column,
        where,
    ) in PARTIAL:  # last: of equally good indexes SQLite uses the newest
        op.create_index(name, table, [column], sqlite_where=where, postgresql_where=where)


def _add_up_tables() -> None:
    """Of more than two: `sums` has three lists of whole numbers, which are added up place by place."""
    link = op.get_bind()
    found: dict[tuple[object, ...], list[list[int]]] = {}
    for *players, sums in link.execute(sa.text(TABLE_SUMS)):
        lists = json.loads(sums)
        known = found.setdefault(tuple(players), [[0] * len(one) for one in lists])
        found[tuple(players)] = [
            [a + b for a, b in zip(one, more, strict=True)] for one, more in zip(known, lists, strict=True)
        ]
    for key, lists in found.items():
        sums = json.dumps(lists, separators=(",", ":"))
        link.execute(sa.text(UPDATE_SUMS), {**dict(zip(PLAYERS, key, strict=True)), "sums": sums})


def downgrade() -> None:
    op.drop_index("ix_result_pairing", "result")
    op.create_index("ix_result_label", "result", ["label"])
    for name, table, *_ in PARTIAL:
        op.drop_index(name, table)
    op.create_index("ix_pairing_state", "pairing", ["state"])
    op.drop_table("meeting")
    op.drop_column("result", "counted")
