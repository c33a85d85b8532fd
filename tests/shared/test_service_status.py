"""Asking how a service is costs it one look a second and tells nothing that belongs in its log alone."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from maumau.errors import DatabaseUnavailable
from services.shared.process import service_status
from services.shared.process.service_status import (
    MAX_COUNTED,
    Figures,
    Rate,
    StateCount,
    StatusServicer,
    WaitCount,
    age_of,
)

RULES = Path(__file__).parents[2] / "deploy/monitoring/rules.yml"
QUEUED = StateCount("block", "queued", 3, 1500)


def servicer(*, needs: dict[str, str] | None = None, **sources: Any) -> StatusServicer:
    """needs: what was last heard of each."""
    return StatusServicer(sources, SimpleNamespace(words=needs or {}))  # type: ignore[arg-type]


async def quick() -> Figures:
    return Figures([QUEUED], [WaitCount("block", None, 3)], [Rate("block", 0.5)])


async def broken() -> Figures:
    raise DatabaseUnavailable("postgresql://maumau:secret@10.0.0.7/arena does not answer")


def test_a_message_has_what_the_service_counted() -> None:
    said = asyncio.run(servicer(tournament=quick).GetStatus(None, None))
    assert list(said.services) == ["tournament"]
    (state,) = said.states
    assert (state.service, state.thing, state.state, state.count, state.oldest_ms) == (
        "tournament", "block", "queued", 3, 1500,
    )  # fmt: skip
    assert not state.has_more
    assert not state.HasField("bound_ms")
    assert (said.waits[0].HasField("up_to_ms"), said.waits[0].count) == (False, 3)
    assert said.rates[0].per_second == 0.5


def test_figures_that_do_not_come_keep_nobody_waiting(monkeypatch) -> None:
    """A store that hangs: what else is known is told, as that it does not answer."""
    monkeypatch.setattr(service_status, "PATIENCE", 0.05)

    async def hanging() -> Figures:
        await asyncio.Event().wait()
        raise AssertionError

    said = asyncio.run(
        servicer(needs={"redis": "it hangs"}, engine=hanging, tournament=quick).GetStatus(None, None)
    )
    assert list(said.services) == ["tournament"]
    assert [(one.need, one.up) for one in said.needs] == [("redis", False)]


def test_what_is_not_counted_to_its_end_is_said_to_be_more() -> None:
    async def many() -> Figures:
        return Figures(
            [StateCount("block", "queued", MAX_COUNTED + 1)], [WaitCount("block", 10, MAX_COUNTED)]
        )

    said = asyncio.run(servicer(tournament=many).GetStatus(None, None))
    assert (said.states[0].count, said.states[0].has_more) == (MAX_COUNTED, True)
    assert (said.waits[0].count, said.waits[0].has_more) == (MAX_COUNTED, False)


def test_a_service_that_cannot_read_its_tables_does_not_silence_the_others() -> None:
    needs = {"database": "postgresql://maumau:secret@10.0.0.7/arena does not answer", "redis": ""}
    said = asyncio.run(servicer(needs=needs, registry=broken, tournament=quick).GetStatus(None, None))
    assert list(said.services) == ["tournament"]
    assert [(one.need, one.up) for one in said.needs] == [("database", False), ("redis", True)]
    assert "secret" not in str(said)
    assert "10.0.0.7" not in str(said)


def test_all_who_ask_at_once_share_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    async def counted() -> Figures:
        looks.append(1)
        await asyncio.sleep(0)
        return await quick()

    async def ask() -> None:
        one = servicer(tournament=counted)
        await asyncio.gather(*(one.GetStatus(None, None) for _ in range(50)))
        assert len(looks) == 1
        monkeypatch.setattr(service_status, "KEPT", -1.0)
        await one.GetStatus(None, None)
        assert len(looks) == 2

    asyncio.run(ask())


def test_a_caller_that_gives_up_does_not_cancel_the_answer_of_the_others() -> None:
    async def ask() -> Any:
        free = asyncio.Event()

        async def slow() -> Figures:
            await free.wait()
            return await quick()

        one = servicer(tournament=slow)
        first, second = (asyncio.create_task(one.GetStatus(None, None)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        free.set()
        return await second

    assert asyncio.run(ask()).states


def test_an_age_is_never_negative_and_none_where_nothing_is() -> None:
    assert [age_of(since, 1000) for since in (400, 1000, 1700, 0)] == [600, 0, 0, None]


@pytest.mark.parametrize(
    ("alert", "ms"),
    [
        ("ValidationWaits", service_status.VERSION_WAIT),
        ("EventsUntold", service_status.EVENT_WAIT),
        ("NothingPlays", service_status.BLOCK_STANDSTILL),
        ("NoWorkers", service_status.NO_WORKER),
        ("WorkerSuspended", service_status.WORKER_SUSPENDED),
        ("BlocksVoid", service_status.VOID_BLOCK),
    ],
)
def test_something_is_late_after_the_time_that_its_alert_has(alert: str, ms: int) -> None:
    """In its expression, or, where that only says that there is one, in how long it has to be so."""
    groups = yaml.safe_load(RULES.read_text())["groups"]
    (rule,) = [rule for group in groups for rule in group["rules"] if rule.get("alert") == alert]
    found = re.search(r"_seconds > (\d+)", rule["expr"])
    waits = {"s": 1000, "m": 60_000}
    told = rule.get("for", "0s")
    assert ms == (1000 * int(found[1]) if found else int(told[:-1]) * waits[told[-1]])
