"""A live table whose answer was lost is there once, and its seats can be sat at."""

from concurrent.futures import ThreadPoolExecutor

from bench.support.patience import patient
from maumau.client.live import Tables
from tests.support.arenas.engine import ADMIN
from tests.support.host.cut import Proxy
from tests.support.waiting import until


def test_a_table_whose_answer_was_lost_is_made_once_with_its_seats(arena):
    proxy = Proxy(arena.address)
    with (
        Tables(proxy.address, ADMIN, patience=patient(20)) as tables,
        Tables(arena.address, ADMIN) as direct,
        ThreadPoolExecutor(1) as pool,
    ):
        before = {each.id for each in tables.tables()}
        proxy.hold()
        asked = pool.submit(tables.create, "prsi")
        made = until(lambda: {each.id for each in direct.tables()} - before)
        proxy.cut()
        table, tokens = asked.result(patient(30))
        assert {table.id} == made == {each.id for each in direct.tables()} - before
        assert len(set(tokens)) == 2
        proxy.hold()
        closed = pool.submit(tables.close_table, table.id, "enough")
        until(lambda: direct.table(table.id).state == "void")
        proxy.cut()
        assert closed.result(patient(30)).words == "enough"
    proxy.close()
