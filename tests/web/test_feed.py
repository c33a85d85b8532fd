"""Watchers are told of a change at once; very many, who take time from play, are told less often."""

import asyncio

from bench.patience import patient
from services.web.feed import Feed


def test_each_change_is_told_at_once():
    feed = Feed()
    feed.tell()
    feed.tell()
    assert feed.version == 2


def test_what_changes_soon_after_is_told_to_a_thousand_together():
    async def change_often():
        feed = Feed()
        feed.watchers = 1000
        for _ in range(3):
            feed.tell()
        assert feed.version == 1
        await feed.wait(1, patient(20))
        feed.tell()
        assert feed.version == 2
        await feed.wait(2, patient(20))
        assert feed.version == 3

    asyncio.run(change_often())


def test_a_change_after_a_rest_is_told_to_a_thousand_at_once(monkeypatch):
    monkeypatch.setattr("services.web.feed.LONGEST_REST", 0.0)

    async def change_seldom():
        feed = Feed()
        feed.watchers = 1000
        feed.tell()
        feed.tell()
        assert feed.version == 2

    asyncio.run(change_seldom())
