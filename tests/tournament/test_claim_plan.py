"""What a claim reads does not grow with what waits (PostgreSQL)."""

import pytest
from sqlalchemy import event

from tests.tournament.store import LEASE, Store

pytestmark = pytest.mark.long


@pytest.fixture
def store(new_postgresql):
    store = Store(new_postgresql())
    yield store
    store.database.close()


def pages_read(store, contest_id):
    """By the statement that takes a contest's first block, in pages; nothing is taken."""
    told = {
        "key": contest_id, "now": store.now, "until": store.now + LEASE, "asker": "w",
        "host_prefix": "w\n", "machine_prefix": "w-", "memory": 0,
    }  # fmt: skip
    sent = []
    with store.database.engine.connect() as connection:
        event.listen(connection, "before_cursor_execute", lambda *call: sent.append(call[2:4]))
        connection.execute(store.claims._next, told)
        connection.rollback()
        statement, parameters = sent[0]
        explained = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}"
        plan = connection.exec_driver_sql(explained, parameters).scalar_one()[0]["Plan"]
        connection.rollback()
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


@pytest.mark.parametrize("analyzed", [False, True])
def test_a_claim_reads_no_more_where_more_waits(store, analyzed):
    """Whether or not PostgreSQL has looked at the tables since they were filled."""
    for name, blocks in (("few", 100), ("many", 4000)):
        store.add_contest(name, blocks)
    if analyzed:
        with store.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("ANALYZE")
    few, many = (pages_read(store, name) for name in ("few", "many"))
    assert many <= few + 10
