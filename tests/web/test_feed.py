"""Watchers are told of a change at once; very many, who take time from play, are told less often."""

import asyncio

from bench.support.patience import patient
from services.web.delivery.feed import Feed, _run_source
from services.web.http.response import EventStream


def test_each_change_is_told_at_once():
    feed = Feed()
    feed.publish_change()
    feed.publish_change()
    assert feed.version == 2


def test_what_changes_soon_after_is_told_to_a_thousand_together():
    async def change_often():
        feed = Feed()
        feed.watchers = 1000
        for _ in range(3):
            feed.publish_change()
        assert feed.version == 1
        await feed.await_change(1, patient(20))
        feed.publish_change()
        assert feed.version == 2
        await feed.await_change(2, patient(20))
        assert feed.version == 3

    asyncio.run(change_often())


def test_a_change_after_a_rest_is_told_to_a_thousand_at_once(monkeypatch):
    monkeypatch.setattr("services.web.delivery.feed.LONGEST_REST", 0.0)

    async def change_seldom():
        feed = Feed()
        feed.watchers = 1000
        feed.publish_change()
        feed.publish_change()
        assert feed.version == 2

    asyncio.run(change_seldom())


def test_a_source_that_works_for_a_moment_is_tried_again_at_once_for_a_thousand_too(monkeypatch):
    monkeypatch.setattr("services.web.delivery.feed.PAUSES", (0.0, 3600.0))

    async def follow_a_flapping_source():
        feed, tries = Feed(), []
        feed.watchers = 1000

        async def source(feed):
            tries.append(0)
            feed.publish_change()
            feed.publish_change()
            if len(tries) == 5:
                feed.over = True

        await asyncio.wait_for(_run_source(feed, source), patient(20))

    asyncio.run(follow_a_flapping_source())


async def read_stream(reads):
    """Return the data sent on a stream of three messages to a reader that takes as many."""
    sent, forever = [], asyncio.Event()

    async def tell():
        for number in range(3):
            yield b"%d" % number

    async def send(message):
        if message["type"] == "http.response.body":
            if len(sent) == reads:
                await forever.wait()
            sent.append(message["body"])

    async def receive():
        await forever.wait()

    await asyncio.wait_for(EventStream(tell())({}, receive, send), patient(20))
    return sent


def test_who_stops_reading_is_cut_off_and_who_reads_is_told_all(monkeypatch):
    monkeypatch.setattr("services.web.http.response.STUCK", 0.2)
    assert asyncio.run(read_stream(reads=1)) == [b"0"]
    assert asyncio.run(read_stream(reads=9)) == [b"0", b"1", b"2", b""]


def test_a_wait_without_a_change_ends_in_time_and_leaves_nothing_behind():
    async def wait_in_vain():
        feed = Feed()
        await feed.await_change(0, 0.01)
        assert feed.version == 0
        waiting = asyncio.create_task(feed.await_change(0, 3600))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        feed.publish_change()
        await feed.await_change(0, 3600)

    asyncio.run(wait_in_vain())
