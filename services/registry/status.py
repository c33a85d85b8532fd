"""Status of the registry: versions that wait for their validation, or are validated."""

from asyncio import to_thread
from functools import partial

from services.registry.domain.state import State
from services.registry.store import Validations
from services.shared.process.service_status import VERSION_WAIT, Figures, Source, StateCount


def tell_status(validations: Validations) -> Source:
    """Return the source for `GetStatus`; the gauges read the same counts."""
    return partial(to_thread, _read_figures, validations)


def _read_figures(validations: Validations) -> Figures:
    bounds = {State.UPLOADED: VERSION_WAIT}
    return Figures(
        [
            StateCount("version", state.value, one.count, one.oldest, bounds.get(state))
            for state, one in validations.count_waiting().items()
        ]
    )
