"""A claim's reads do not grow with the queue (PostgreSQL)."""

import pytest
from sqlalchemy import event

from services.tournament.store.blocks.claim import JOBS_BY_ID, SEATS_BY_JOB
from tests.support.stores.tournament import LEASE, Store, add_contest, add_job

pytestmark = pytest.mark.long


@pytest.fixture
def store(new_postgresql):
    store = Store(new_postgresql())
    yield store
    store.database.close()


def pages_read(store, contest_id):
    """Return the pages read by the statement that takes a contest's first block; nothing is taken."""
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
    """Statistics of PostgreSQL may be older than the rows."""
    for name, blocks in (("few", 100), ("many", 4000)):
        store.add_contest(name, blocks)
    if analyzed:
        with store.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("ANALYZE")
    few, many = (pages_read(store, name) for name in ("few", "many"))
    assert many <= few + 10


@pytest.mark.parametrize("statement", [JOBS_BY_ID, SEATS_BY_JOB])
def test_what_a_claim_tells_of_its_jobs_is_found_by_their_ids(store, statement):
    """Thirteen of 5,000 jobs. Joined, PostgreSQL read the seats of all."""
    names = [f"job-{number:04}" for number in range(5000)]
    with store.database.write() as session:
        add_contest(session, "many")
        for number, name in enumerate(names):
            add_job(session, name, "many", f"1.1.{number}", (1, 2))
    with store.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")
    plans = []

    def explain(connection, cursor, sent, parameters, context, many):
        if sent.startswith("SELECT job"):
            rows = connection.exec_driver_sql(f"EXPLAIN {sent}", parameters)
            plans.append("\n".join(row[0] for row in rows))

    with store.database.read() as session:
        event.listen(session.connection(), "before_cursor_execute", explain)
        found = session.scalars(statement, {"jobs": names[::400]}).all()
    assert {getattr(one, "job_id", None) or one.id for one in found} == set(names[::400])
    assert "Index" in plans[0]
    assert "Seq Scan" not in plans[0]
