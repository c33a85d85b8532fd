"""What the engine service tells of itself: live tables, and results that are not handed over yet."""

from functools import partial

from services.engine.metrics import STATES
from services.engine.store import Tables
from services.shared.service_status import Figures, Source, StateCount


def tell_status(store: Tables) -> Source:
    """What `GetStatus` asks. The age of a table is the time since it was opened."""
    return partial(_read, store)


async def _read(store: Tables) -> Figures:
    tables = await store.list_open()
    counts = [await _count(store, state, tables.get(state, [])) for state in STATES]
    return Figures([*counts, StateCount("table", "unreported", *await store.count_unreported())])


async def _count(store: Tables, state: str, ids: list[str]) -> StateCount:
    return StateCount("table", state, len(ids), await store.find_age(ids[0]) if ids else None)
