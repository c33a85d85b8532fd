"""Watchers are told of a change at once; very many, who take time from play, are told less often."""

import asyncio
import json
from contextlib import ExitStack, asynccontextmanager

import pytest

from bench.support.patience import Deadline, patient
from services.web.delivery.feed import Feed, _run_source
from services.web.delivery.stream import FeedReader
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


def test_a_source_may_ask_for_rests_whoever_watches():
    async def change_often():
        feed = Feed()
        feed.least_rest = 0.05
        feed.publish_change()
        feed.publish_change()
        assert feed.version == 1
        await feed.await_change(1, patient(20))
        assert feed.version == 2

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


@pytest.mark.parametrize(
    ("since", "watchers", "pause"),
    [
        (0.0, 1000, 1.3),  # readers are told again in 1.4 s
        (1.0, 1000, 0.3),
        (1.35, 1000, 1.35),  # 0.05 s are left: it was just read for that, and the next time is 1.45 s away
        (2.0, 1000, 0.0),
        (0.0, 10, 0.0),
        (0.0, 5000, 1.3),
    ],
)
def test_a_source_reads_the_state_shortly_before_readers_are_told(monkeypatch, since, watchers, pause):
    now = [100.0]
    monkeypatch.setattr("services.web.delivery.feed.time.monotonic", lambda: now[0])
    feed = Feed()
    feed.watchers = watchers
    feed.publish_change()
    now[0] += since
    assert feed.find_pause() == pytest.approx(pause)


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


class SlowReader:
    """A stream to a reader who takes `most` messages and then stops until `resume` is called."""

    def __init__(self, most=1000):
        self.taken, self._most, self._more, self._gone = [], most, asyncio.Event(), asyncio.Event()

    def leave(self):
        self._gone.set()

    def resume(self):
        self._most = 1000
        self._more.set()

    async def open(self, subscribe):
        await asyncio.wait_for(EventStream(subscribe)({}, self._receive, self._send), patient(20))

    async def _send(self, message):
        if message["type"] == "http.response.body":
            if len(self.taken) >= self._most:
                await self._more.wait()
            self.taken.append(message["body"])

    async def _receive(self):
        await self._gone.wait()
        return {"type": "http.disconnect"}


def subscribe_to(feed, parts=lambda feed, _: {"one": feed.view}):
    """Return a subscription to a feed of one part, the text of which is its view."""

    @asynccontextmanager
    async def subscribe(stream):
        reader = FeedReader(feed, stream, "en", "", parts, lambda *_: None, lambda text: text)
        with feed.read_by(reader):
            yield

    return subscribe


def told(reader):
    """Return the texts that a reader was told, without the beats."""
    chunks = b"".join(reader.taken).decode().split("\n")
    return [json.loads(line[6:])["one"] for line in chunks if line.startswith('data: {"one"')]


async def turns():
    """Let other tasks have some turns."""
    for _ in range(10):
        await asyncio.sleep(0)


async def tell(feed, text):
    feed.publish_view(text)
    await turns()


def test_who_stops_reading_is_cut_off(monkeypatch):
    monkeypatch.setattr("services.web.http.response.STUCK", 0.05)

    async def stop_reading():
        feed, reader = Feed(), SlowReader(most=1)
        feed.view = "first"
        await reader.open(subscribe_to(feed))
        return told(reader)

    assert asyncio.run(stop_reading()) == []


def test_who_reads_is_told_every_change_until_he_leaves():
    async def read_all():
        feed, reader = Feed(), SlowReader()
        reading = asyncio.create_task(reader.open(subscribe_to(feed)))
        await turns()
        for text in ("first", "second", "second", "third"):
            await tell(feed, text)
        reader.leave()
        await reading
        await tell(feed, "fourth")
        return told(reader)

    assert asyncio.run(read_all()) == ["first", "second", "third"]


def test_a_slow_reader_is_told_the_newest_state_and_delays_nobody():
    async def read_slowly():
        feed, slow, quick = Feed(), SlowReader(most=2), SlowReader()
        reading = [asyncio.create_task(one.open(subscribe_to(feed))) for one in (slow, quick)]
        await turns()
        for text in ("first", "second", "third", "fourth"):
            await tell(feed, text)
        slow.resume()
        await turns()
        slow.leave()
        quick.leave()
        await asyncio.gather(*reading)
        return told(slow), told(quick)

    slow, quick = asyncio.run(read_slowly())
    assert slow == ["first", "second", "fourth"]
    assert quick == ["first", "second", "third", "fourth"]


def test_what_cannot_be_rendered_ends_the_stream_with_its_error():
    def fail(feed, language):
        raise LookupError("no such word")

    async def read():
        feed, reader = Feed(), SlowReader()
        feed.view = "first"
        await reader.open(subscribe_to(feed, fail))

    with pytest.raises(LookupError, match="no such word"):
        asyncio.run(read())


@pytest.mark.parametrize("is_slow", [False, True])
def test_a_connection_that_fails_ends_its_own_stream_alone(is_slow):
    class Broken(SlowReader):
        async def _send(self, message):
            if b"second" in message.get("body", b""):
                if is_slow:
                    await asyncio.sleep(0)
                raise ConnectionError("no such state")
            await super()._send(message)

    async def read():
        feed, broken, other = Feed(), Broken(), SlowReader()
        reading = [asyncio.create_task(one.open(subscribe_to(feed))) for one in (broken, other)]
        await turns()
        for text in ("first", "second", "third"):
            await tell(feed, text)
        await reading[0]
        other.leave()
        await reading[1]
        return told(broken), told(other)

    assert asyncio.run(read()) == (["first"], ["first", "second", "third"])


def test_between_a_hundred_readers_and_the_next_others_have_their_turn():
    async def tell_many():
        feed, heard, seen = Feed(), [], []

        class Counter:
            def hear_change(self):
                heard.append(self)

        with ExitStack() as stack:
            for _ in range(250):
                stack.enter_context(feed.read_by(Counter()))
            feed.publish_change()
            feed.publish_change()
            for _ in range(5):
                seen.append(len(heard))
                await asyncio.sleep(0)
        return seen

    assert asyncio.run(tell_many()) == [0, 100, 200, 250, 250]


def test_readers_get_a_beat_when_nothing_changes_and_none_without_readers(monkeypatch):
    monkeypatch.setattr("services.web.delivery.feed.BEAT", 0.02)

    async def wait_for_beats():
        feed, reader = Feed(), SlowReader()
        reading = asyncio.create_task(reader.open(subscribe_to(feed)))
        last = Deadline(20)
        while len(reader.taken) < 4:
            assert not last.has_passed()
            await asyncio.sleep(0.01)
        reader.leave()
        await reading
        assert feed._beating is None
        return reader.taken

    first, *beats = asyncio.run(wait_for_beats())
    assert first.startswith(b"retry: 1000\n\nevent: beat\n")
    assert all(beat.startswith(b'event: beat\ndata: {"now":') for beat in beats)


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
