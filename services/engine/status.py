"""Status of the engine service: live tables, and results that are not reported yet."""

from functools import partial

from services.engine.metrics import STATES
from services.engine.store import TableStore
from services.shared.process.service_status import Figures, Source, StateCount


def tell_status(store: TableStore) -> Source:
    """Return the source for `GetStatus`. The age of a table is the time since it was opened."""
    return partial(_read_figures, store)


async def _read_figures(store: TableStore) -> Figures:
    tables = await store.list_open()
    counts = [await _count_tables(store, state, tables.get(state, [])) for state in STATES]
    return Figures([*counts, StateCount("table", "unreported", *await store.count_unreported())])


async def _count_tables(store: TableStore, state: str, ids: list[str]) -> StateCount:
    return StateCount("table", state, len(ids), await store.find_age(ids[0]) if ids else None)
