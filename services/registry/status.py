"""What the registry tells of itself: versions that wait for their validation, or are validated."""

from asyncio import to_thread
from functools import partial

from services.registry.state import State
from services.registry.store import Validations
from services.shared.service_status import VERSION_WAIT, Figures, Source, StateCount


def tell_status(validations: Validations) -> Source:
    """What `GetStatus` asks; the gauges read the same."""
    return partial(to_thread, _read, validations)


def _read(validations: Validations) -> Figures:
    bounds = {State.UPLOADED: VERSION_WAIT}
    return Figures([
        StateCount("version", state.value, one.count, one.oldest, bounds.get(state))
        for state, one in validations.count_waiting().items()
    ])  # fmt: skip
