"""Many changes of a tournament are followed at once, and an expensive one keeps no other waiting."""

import asyncio

from services.tournament.organising import sweep
from services.tournament.organising.sweep import Follower


def run(body, work):
    """Run a test with a follower whose looks are coroutines; return the contests followed, in order."""
    followed = []

    async def lane(_, tournament_id):
        followed.append(tournament_id)
        await work(tournament_id)

    async def inside():
        follower = Follower(None, lane)
        await asyncio.wait_for(body(follower), 60)
        await follower.close()

    asyncio.run(inside())
    return followed


async def nothing(_):
    pass


def test_the_first_change_is_followed_at_once_and_those_after_it_together(monkeypatch):
    monkeypatch.setattr(sweep, "GATHER", 30.0)
    monkeypatch.setattr(sweep, "LONGEST_REST", 30.0)

    async def body(follower):
        await follower.schedule_follow("cup")
        for _ in range(100):
            follower.schedule_follow("cup")
            await asyncio.sleep(0)

    assert run(body, nothing) == ["cup", "cup"]


def test_a_tournament_at_rest_keeps_no_other_waiting(monkeypatch):
    monkeypatch.setattr(sweep, "GATHER", 30.0)
    monkeypatch.setattr(sweep, "LONGEST_REST", 30.0)

    async def body(follower):
        await follower.schedule_follow("big")
        follower.schedule_follow("big")
        await asyncio.sleep(0)
        await follower.schedule_follow("small")

    assert run(body, nothing) == ["big", "small", "big"]


def test_a_change_while_it_is_followed_is_followed_again(monkeypatch):
    monkeypatch.setattr(sweep, "GATHER", 0.0)
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def wait(_):
        begun.set()
        await go_on.wait()

    async def body(follower):
        first = follower.schedule_follow("cup")
        await begun.wait()
        second = follower.schedule_follow("cup")
        go_on.set()
        await asyncio.gather(first, second)

    assert run(body, wait) == ["cup", "cup"]


def test_what_failed_is_over_too():
    async def fail(_):
        raise ZeroDivisionError

    async def body(follower):
        await follower.schedule_follow("cup")

    assert run(body, fail) == ["cup"]
