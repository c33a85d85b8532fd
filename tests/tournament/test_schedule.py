"""The schedule follows from results alone: not from who was faster, nor from how many replicas look at it."""

import hmac
import threading

import pytest
from sqlalchemy import text

from maumau.contest.export.verify import verify
from maumau.errors import UnknownMatch
from services.shared.process import tasks
from services.shared.store.connect import Database
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, CUP, FINAL, SECRET, SEMI, Worker, play_until
from tests.support.terminal import Terminal
from tests.support.waiting import until
from tests.tournament.test_watch import Watch


@pytest.mark.long
def test_no_more_blocks_are_queued_than_the_look_ahead_and_the_cap_allow(start):
    with start() as arena:
        name = arena.begin("first", "random", block=5, cap=30)
        blocks = until(lambda: arena.blocks(name, "queued"))
        assert [block.number for block in blocks] == [0, 1, 2, 3]
        arena.worker.play(blocks[2].id)
        arena.worker.Advance(tournament_id=arena.admin.tournament(name).id)
        assert len(arena.blocks(name)) == 4  # the prefix has not grown
        arena.worker.play(blocks[0].id)
        until(lambda: len(arena.blocks(name)) == 5)
        arena.finish(name)
        assert len(arena.blocks(name)) <= 6


@pytest.mark.long
def test_for_more_workers_more_blocks_of_the_last_match_are_queued(start):
    with start() as arena:
        name = arena.begin("first", "random", block=1, cap=40)
        assert len(until(lambda: arena.blocks(name, "queued"))) == 4
        for number in range(8):
            Worker(arena.address, f"w{number}").claim()
        until(lambda: len(arena.blocks(name)) == 16)
        arena.admin.cancel(name)


@pytest.mark.long
def test_advance_may_be_called_by_many_at_once(start, loop):
    with start() as arena:
        replica = arena.replica()
        name = arena.begin("first", "random", "crash", block=5, cap=10)
        tournament_id = arena.admin.tournament(name).id
        while not arena.admin.tournament(name).over:
            at_once([one.worker for one in (arena, replica) for _ in range(2)], tournament_id)
            for block in arena.blocks(name, "queued"):
                replica.worker.play(block.id)
        replica.stop()
        labels = [match.label for match in arena.admin.matches(name)]
        assert len(labels) == len(set(labels)) == 3
        for label in labels:
            numbers = [block.number for block in arena.admin.match(name, label).blocks]
            assert numbers == list(range(len(numbers)))


LEAKED = ("--reason", "the deals leaked")


def at_once(workers, tournament_id):
    threads = [
        threading.Thread(target=lambda one=one: one.Advance(tournament_id=tournament_id)) for one in workers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.long
def test_a_semi_final_is_taken_back_after_the_final_was_scheduled(arena):
    name = arena.begin("first", "random", "crash", "first", **CUP)
    play_until(arena, name, FINAL)
    before = arena.admin.match(name, SEMI)
    final = arena.admin.match(name, FINAL)
    held = arena.worker.claim(final.blocks[0].id)
    answer = arena.admin.retake(name, SEMI, "a test")
    assert answer.match.state == "playing"
    assert answer.match.id != before.match.id
    assert set(answer.withdrawn) == {FINAL, "1.2.2"}
    assert arena.worker.RenewLease(block_id=held.block_id, fence=held.fence).dropped
    assert arena.admin.match(name, FINAL).match.state == "withdrawn"
    arena.finish(name)
    again = arena.admin.match(name, SEMI).match
    assert (again.winner, again.rule, again.sets) == (
        before.match.winner, before.match.rule, before.match.sets,
    )  # fmt: skip
    assert arena.admin.match(name, FINAL).match.id != final.match.id
    assert arena.admin.tournament(name).state == "finished"


@pytest.mark.long
def test_a_retake_with_fresh_seeds_is_said_wherever_its_deals_are(arena, tmp_path):
    """The order for the worker, the match, what watchers are told, a fault's deal, the export."""
    name = arena.begin("first", "random", "crash", "first", **CUP)
    watch = Watch(arena, name)
    play_until(arena, name, FINAL)
    port = arena.address.rpartition(":")[2]
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port}")
    answer = terminal.run("match", "retake", name, SEMI, *LEAKED, "--fresh-seeds", "--json").json()
    assert set(answer["withdrawn"]) == {FINAL, "1.2.2"}
    assert (answer["match"]["take"], answer["match"]["seed_take"]) == (2, 2)
    first = arena.admin.match(name, SEMI).blocks[0]
    order = arena.worker.claim(first.id)
    message = f"{arena.admin.tournament(name).entries_root}\n{SEMI}\n0\n2"
    seed = hmac.digest(SECRET.split('"')[1].encode(), message.encode(), "sha256").hex()
    assert order.seeds[0] == seed
    arena.worker.report(order)
    arena.finish(name)
    assert watch.saw_the_end()
    assert any(
        event.words.endswith("take 2 with fresh seeds (the deals leaked)") and event.match.seed_take == 2
        for event in watch.events if event.match and event.match.label == SEMI
    )  # fmt: skip
    faults = [one.id for one in arena.admin.match(name, SEMI).faults if one.set == 0]
    assert f"[seed {seed}]" in arena.admin.fault(faults[0]).record
    assert (
        "take 2 (the deals leaked), with fresh seeds since take 2"
        in terminal.run("match", "show", name, SEMI).out
    )
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    report = verify(tmp_path / "cup.jsonl", seen=[arena.admin.tournament(name).compared])
    assert report.ok
    assert report.fresh_seeds == {SEMI: 2}
    assert SEMI in report.retaken
    assert report.reasons[SEMI] == ("the deals leaked",)


@pytest.mark.long
def test_fresh_seeds_stay_when_the_match_is_retaken_without_others(arena):
    name = arena.begin("first", "random", "crash", "first", **CUP)
    play_until(arena, name, FINAL)
    arena.admin.retake(name, SEMI, "a test", fresh_seeds=True)
    order = arena.worker.claim(arena.admin.match(name, SEMI).blocks[0].id)
    arena.worker.report(order)
    play_until(arena, name, FINAL)
    again = arena.admin.retake(name, SEMI, "a test").match
    assert (again.take, again.seed_take) == (3, 2)
    assert arena.worker.claim(arena.admin.match(name, SEMI).blocks[0].id).seeds == order.seeds


def test_a_match_that_was_never_scheduled_cannot_be_retaken(arena):
    name = arena.begin("first", "random")
    with refused(UnknownMatch, "2.1.1"):
        arena.admin.retake(name, "2.1.1", "a test")


@pytest.mark.long
def test_a_tournament_that_cannot_go_on_keeps_no_other_from_it(start):
    """Its results are damaged here; other replicas are asked, in case it is this one's fault."""
    with start(sweep=600) as arena:  # a sweep at the same time would be left to ask nobody
        broken, sound = (arena.begin("first", "crash", "random", block=5, cap=10) for _ in range(2))
        until(lambda: arena.blocks(broken, "queued"))
        database = Database(arena.settings.database("tournament"), "tournament")
        damage = "UPDATE match SET state = 'decided', verdict = '{' WHERE tournament_id = :id"
        noted = "UPDATE job SET changed = 1000000 WHERE contest_id = :id"
        with database.write() as session:
            for words in (damage, noted):
                session.execute(text(words), {"id": arena.admin.tournament(broken).id})
        database.close()
        arena.admin.withdraw(broken, arena.field("random")[0])
        app = tasks.celery_app(arena.settings.broker_url)
        until(lambda: tasks.waiting(app, "worker.advance"))
        arena.worker.Sweep()
        arena.finish(sound)
