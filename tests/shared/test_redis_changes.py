"""Changes of a service without a database: one mark for all replicas, which belongs to whoever set it."""

import asyncio

import pytest

from bench.support.patience import patient
from maumau.errors import NameTaken, RequestUnderWay
from services.shared.store import redis
from services.shared.store.change import Change, Changing
from services.shared.store.redis import RedisChanges, connect_aio
from tests.support.stores.lost_answer import lose_first_answer

pytestmark = pytest.mark.stores


async def pass_over(error):
    """Take no note."""


async def say():
    return b"said", False


def test_while_one_replica_makes_a_change_the_other_says_so_and_then_repeats_its_answer(redis_url):
    async def run():
        one, other = (RedisChanges(connect_aio(redis_url), "engine") for _ in range(2))
        change = Change("a" * 64)
        assert await one.begin(change) is None
        with pytest.raises(RequestUnderWay):
            await other.begin(change)
        await one.renew(change)
        await one.end(change, b"", secret=False)
        assert await other.begin(change) == b""

    asyncio.run(run())


def test_a_replica_that_hung_for_too_long_takes_back_nobodys_answer(redis_url, monkeypatch):
    """Its mark has expired, and another replica has made the change; then it wakes up, and refuses."""

    async def run():
        hung, other = (RedisChanges(client := connect_aio(redis_url), "engine") for _ in range(2))
        change = Change("b" * 64)

        async def wake_up():
            while await client.keys("*"):  # for a millisecond
                pass
            monkeypatch.setattr(redis, "HELD", 20_000)
            assert await Changing().answer(other, Change(change.id), say, pass_over) == b"said"
            raise NameTaken

        monkeypatch.setattr(redis, "HELD", 1)
        with pytest.raises(NameTaken):
            await Changing().answer(hung, change, wake_up, pass_over)
        assert await other.begin(change) == b"said"

    asyncio.run(run())


@pytest.mark.parametrize("script", ["_begin", "_end"])
def test_a_change_is_made_and_answered_though_an_answer_of_redis_is_lost(redis_url, script):
    async def run():
        here, other = (RedisChanges(connect_aio(redis_url), "engine") for _ in range(2))
        setattr(here, script, lose_first_answer(getattr(here, script)))
        change, changing = Change("c" * 64), Changing()
        assert await changing.answer(here, change, say, pass_over) == b"said"
        await changing.wait(patient(10))
        assert await other.begin(change) == b"said"

    asyncio.run(run())


def test_a_refusal_that_is_recorded_late_does_not_end_the_next_attempt(redis_url):
    """The answer that ends the first attempt is lost, so it is ended again while the second is under way."""

    async def run():
        here, other = (RedisChanges(connect_aio(redis_url), "engine") for _ in range(2))
        end, changing, begun = lose_first_answer(here._end), Changing(), asyncio.Event()

        async def end_late(**given):
            if changing._storing:
                await begun.wait()
            return await end(**given)

        async def refuse():
            raise NameTaken

        async def say_late():
            begun.set()
            await asyncio.wait(changing._storing, timeout=patient(10))
            with pytest.raises(RequestUnderWay):
                await other.begin(Change("d" * 64))
            return await say()

        here._end = end_late
        with pytest.raises(NameTaken):
            await changing.answer(here, Change("d" * 64), refuse, pass_over)
        assert await changing.answer(here, Change("d" * 64), say_late, pass_over) == b"said"
        assert await other.begin(Change("d" * 64)) == b"said"

    asyncio.run(run())
