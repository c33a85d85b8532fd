"""Statuses of services for tests."""

from __future__ import annotations

from typing import Any

from maumau.client import answer
from maumau.client.arena_status import SERVICES, STATES

BOUNDS = {
    ("version", "uploaded"): 900_000, ("block", "void"): 0, ("result", "awaited"): 120_000,
    ("event", "untold"): 30_000, ("worker", "suspended"): 300_000, ("worker", "missing"): 120_000,
}  # fmt: skip
"""Ages in ms after which a state is late."""


def a_status(*changed: answer.StateCount, **changes: Any) -> answer.GetStatusResponse:
    """Return the status of idle services, with these states changed."""
    states = {
        (service, *name): answer.StateCount(service, *name, 0, False, None, BOUNDS.get(name))
        for service, names in STATES.items() for name in names
    }  # fmt: skip
    states |= {(one.service, one.thing, one.state): one for one in changed}
    waits = tuple(answer.WaitCount("block", bound, 0, False) for bound in (10_000, 60_000, 600_000, None))
    rates = answer.Rate("block", 0.0), answer.Rate("decision", 0.0)
    needs = tuple(answer.NeedState(need, True) for need in ("broker", "database", "redis"))
    told = {"states": tuple(states.values()), "waits": waits, "rates": rates, "needs": needs} | changes
    return answer.GetStatusResponse(services=SERVICES, **told)
