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
            assert await Changing().answer(other, change, say, pass_over) == b"said"
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
