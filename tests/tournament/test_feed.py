"""A stream is read once for all who watch it here, and each sees every entry once and in order."""

import asyncio
import uuid
from contextlib import asynccontextmanager

import pytest

from maumau.errors import ArenaUnreachable, UnknownMatch
from services.shared.store import redis
from services.tournament.store.broadcast.stream import EventStream, Reader, Writer, is_ahead
from services.tournament.watching import feed as feeding
from services.tournament.watching.feed import Feeds, Look, Source


class Lab:
    """A private stream, with its readers. `said`: how often entries became messages."""

    def __init__(self, client):
        self.stream = EventStream("test", uuid.uuid4().hex, "events", 10_000, 60)
        self.reader, self.writer, self.stopping = Reader(client), Writer(client), asyncio.Event()
        self.feeds = Feeds(self.reader, self.stopping)
        self.said, self.over, self.picture = 0, False, b""

    async def tell(self, *texts):
        for text in texts:
            await self.writer.append_entry(self.stream, text.encode())

    def look(self):
        return Look(self.over, self.picture)

    def say(self, entries):
        self.said += 1
        return [b" ".join(text.encode() for _, text in entries)]

    async def note(self):
        pass

    @asynccontextmanager
    async def joined(self):
        async with self.feeds.join_feed(Source(self.stream, self.look, self.say, self.note)) as feed:
            yield feed

    async def watch(self, cursor="", pause=0.0, joined=None):
        """Return everything until it is over, word by word; `joined` is set at the first batch."""
        words = []
        async with self.joined() as feed:
            async for batch in feed.follow_stream(cursor):
                words += [word for message in batch.messages for word in message.decode().split()]
                await asyncio.sleep(pause)
                if joined:
                    joined.set()
        return words


@pytest.fixture
def lab(redis_url):
    """Runs a test with a lab."""

    def run(body):
        async def inside():
            client = redis.connect_reader(redis_url)
            try:
                await asyncio.wait_for(body(Lab(client)), 60)
            finally:
                await client.aclose()

        asyncio.run(inside())

    return run


def words(count):
    return [f"w{number}" for number in range(count)]


def test_many_watchers_cost_one_reader_and_are_told_the_same_bytes(lab):
    async def body(lab):
        joined = [asyncio.Event() for _ in range(50)]
        watching = [asyncio.create_task(lab.watch(joined=event)) for event in joined]
        for event in joined:
            await event.wait()
        assert len(lab.feeds.feeds) == 1
        await lab.tell("one")
        lab.over = True
        assert await asyncio.gather(*watching) == [["one"]] * 50
        assert lab.said == 1
        assert lab.feeds.feeds == {}

    lab(body)


def test_who_comes_late_or_again_is_told_what_he_has_not_seen(lab):
    async def body(lab):
        await lab.tell("one", "two")
        seen = await lab.reader.read_last(lab.stream)
        await lab.tell("three")
        joined = asyncio.Event()
        early = asyncio.create_task(lab.watch(joined=joined))
        await joined.wait()
        late = asyncio.create_task(lab.watch(seen))
        await lab.tell("four")
        lab.over = True
        assert await early == ["one", "two", "three", "four"]
        assert await late == ["three", "four"]

    lab(body)


def test_a_slow_watcher_misses_nothing(lab, monkeypatch):
    monkeypatch.setattr(feeding, "RECENT", 2)
    monkeypatch.setattr(feeding, "GATHER", 0.0)

    async def body(lab):
        joined, told = asyncio.Event(), words(40)
        slow = asyncio.create_task(lab.watch(pause=0.05, joined=joined))
        await joined.wait()
        for word in told:
            await lab.tell(word)
            await asyncio.sleep(0)
        lab.over = True
        assert await slow == told

    lab(body)


def test_a_picture_is_told_when_it_changes(lab):
    async def body(lab):
        lab.picture, pictures = b"first", []
        async with lab.joined() as feed:
            async for batch in feed.follow_stream(""):
                pictures += [batch.picture] if batch.picture else []
                lab.picture, lab.over = b"second", True
        assert pictures == [b"first", b"second"]

    lab(body)


def test_with_idle_it_ends_without_an_entry(lab):
    async def body(lab):
        async with lab.joined() as feed:
            assert all([not batch.messages async for batch in feed.follow_stream("", idle=0.2)])

    lab(body)


def test_a_loss_is_told_to_all(lab):
    async def body(lab):
        await lab.tell("one")
        losses, seen = 0, []
        async with lab.joined() as feed:
            async for batch in feed.follow_stream(""):
                losses += batch.lost
                if batch.messages and not losses:
                    await lab.reader.client.delete(
                        *[lab.stream.build_key(part) for part in ("events", "epoch")]
                    )
                    await lab.tell("two")
                seen += batch.messages
                lab.over = losses > 0
        assert losses
        assert seen == [b"one", b"two"]

    lab(body)


def test_every_watcher_hears_of_an_error_and_of_a_stop(lab):
    def fail():
        raise UnknownMatch

    async def body(lab):
        lab.look, look = fail, lab.look
        for ending in await asyncio.gather(lab.watch(), lab.watch(), return_exceptions=True):
            assert isinstance(ending, UnknownMatch)
        lab.look = look
        lab.stopping.set()
        with pytest.raises(ArenaUnreachable):
            await lab.watch()

    lab(body)


def test_cursors_are_compared_within_an_epoch():
    assert is_ahead("0123abcd/10-0", "0123abcd/9-5")
    for cursor, other in (("0123abcd/9-5", "0123abcd/9-5"), ("0123abcd/9-0", "89abcdef/1-0"), ("", "")):
        assert not is_ahead(cursor, other)
    assert not is_ahead("nonsense", "")
