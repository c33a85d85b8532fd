"""Wrong codes: few of one address, slowly if there are many of all, and right ones as before."""

import asyncio
from contextlib import suppress

import pytest

from maumau.errors import TooManyCalls, UnknownPageCode
from services.web.http import tries
from services.web.http.tries import ALL, TRIES, Tries
from tests.support.library import replace_functions


async def guess(one, host, *, right=False):
    with suppress(UnknownPageCode):
        async with one.count_try(host):
            if not right:
                raise UnknownPageCode


@pytest.fixture
def still(monkeypatch):
    """Tries whose rates do not recover."""
    made = Tries()
    made._own.second = made._all.second = 0.0
    return made


def test_after_some_wrong_codes_an_address_waits_and_another_does_not(still) -> None:
    async def run():
        for _ in range(TRIES):
            await guess(still, "10.0.0.1")
        with pytest.raises(TooManyCalls, match="your address"):
            await guess(still, "10.0.0.1", right=True)
        await guess(still, "10.0.0.2")

    asyncio.run(run())


def test_right_codes_are_not_counted(still) -> None:
    async def run():
        for _ in range(3 * TRIES):
            await guess(still, "10.0.0.1", right=True)

    asyncio.run(run())


def test_many_tries_at_once_are_counted_before_anybody_is_asked(still) -> None:
    async def run():
        asked = []

        async def once():
            async with still.count_try("10.0.0.1"):
                asked.append(1)
                await asyncio.sleep(0.01)
                raise UnknownPageCode

        found = await asyncio.gather(*(once() for _ in range(3 * TRIES)), return_exceptions=True)
        return len(asked), sum(isinstance(one, TooManyCalls) for one in found)

    assert asyncio.run(run()) == (TRIES, 2 * TRIES)


def test_after_many_wrong_codes_of_all_a_try_waits_and_is_not_refused(still, monkeypatch) -> None:
    waited = []

    async def note(seconds):
        waited.append(seconds)

    async def run():
        for number in range(ALL):
            await guess(still, f"10.0.{number // 250}.{number % 250}")
        assert not waited
        replace_functions(monkeypatch, tries, "asyncio", sleep=note)
        await guess(still, "10.9.0.1", right=True)

    asyncio.run(run())
    assert waited == [tries.WAIT]
