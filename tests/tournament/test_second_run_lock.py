"""A report of a first run locks no more than it must."""

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import text

from bench.support.patience import patient
from services.shared.store.connect import Database
from tests.support.arenas.tournament import SECRET
from tests.support.waiting import until
from tests.tournament.test_second_run import overrun

DATABASES = ["postgresql"]  # SQLite has one lock for all
SPEC = {"block": 5, "cap": 20, "top": SECRET}


WAITING = """
SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
"""


def test_a_first_run_that_waits_for_its_tournament_keeps_nobody_from_the_block(arena):
    cup = arena.begin("first", "random", **SPEC)
    order = arena.worker.claim(arena.queued(cup)[0].id)
    database = Database(arena.settings.database_url, "tournament")
    with ThreadPoolExecutor(1) as pool:
        with database.write() as session:
            mine = "(SELECT id FROM tournament WHERE name = :cup)"
            locked = text(f"SELECT id FROM contest WHERE id = {mine} FOR UPDATE").bindparams(cup=cup)
            session.execute(locked)
            report = pool.submit(arena.worker.report, order, overrun(order))
            until(lambda: session.execute(text(WAITING)).scalar(), 60)
            wanted = text("SELECT id FROM block WHERE id = :block FOR UPDATE NOWAIT")
            session.execute(wanted.bindparams(block=order.block_id))
        assert report.result(patient(60)).stored
    database.close()
    arena.admin.cancel(cup)
