"""Booked blocks are played again by other workers, and compared; broken workers change no result."""

import errno
from pathlib import Path

import pytest
from sqlalchemy import text

from maumau import wire
from maumau.referee.pace import Pace
from maumau.sandbox.launch import choose_sandbox
from services.shared.store.connect import Database
from services.tournament.store.blocks import worker as worker_store
from services.worker.artifact import Artifacts
from services.worker.bench import Bench
from services.worker.client import Registry, TournamentClient
from services.worker.fitness import keep_fit
from services.worker.metrics import CounterTally
from services.worker.play import play_block
from tests.support.arenas.fallen import Fallen
from tests.support.arenas.play import play_set
from tests.support.arenas.tournament import WORKER, Worker
from tests.support.waiting import until

DATABASES = ["sqlite"]  # the compared data do not depend on it
CUP = {"block": 1, "cap": 3, "top": 'secret = "one-secret-for-both-runs"'}
FIELD = ("first", "second", "random", "third")  # different programs: all except random play the first card
NAMES = ("test", "host-1", "host-2")


@pytest.fixture(scope="module")
def auditing(start):
    """Yield an arena that replays all bookings."""
    with start(audit=1) as arena:
        yield arena


@pytest.fixture(scope="module", autouse=True)
def _patient():
    """However slow the host is, a worker that was heard of once counts as there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_store, "PRESENT", 3_600_000)
        yield


@pytest.fixture(scope="module")
def workers(auditing):
    """Three that claim, on a host each; the first is the arena's own."""
    made = [auditing.worker, *(Worker(auditing.address, name) for name in NAMES[1:])]
    for worker in made:
        worker.ReportTest(worker=worker.name, unfit="")
    return made


def rows(arena, words):
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.read() as session:
        found = [tuple(row) for row in session.execute(text(words))]
    database.close()
    return found


def outcomes(arena):
    return [outcome for (outcome,) in rows(arena, "SELECT outcome FROM audit")]


def settle(arena, workers, given=lambda order: None):
    """Replay until all is compared, by any worker that may; given: the sets that are reported."""

    def play():
        for (block_id,) in rows(arena, "SELECT id FROM block WHERE state = 'queued' AND barred <> ''"):
            for worker in workers:
                if order := worker.claim(block_id):
                    worker.report(order, given(order))
                    break
        return "open" not in outcomes(arena)

    until(play, 300)


def with_other_moves(order):
    """Legal deals from these seeds, but with moves that no program of the order makes."""
    names = tuple("first" if one.name.startswith("random") else "random" for one in order.entrants)
    sets = (
        play_set(order.rules.name, names, order.first_set + i, seed, order.rules.options_json)
        for i, seed in enumerate(order.seeds)
    )
    return list(map(wire.set_message, sets))


def played_deals(arena, name):
    """Return an export's deals and results, without the tournament's name."""
    lines = arena.export(name).splitlines()
    return [
        line
        for line in lines
        if line.startswith((b'{"kind":"record"', b'{"kind":"result"', b'{"kind":"table"'))
    ]


@pytest.fixture(scope="module")
def undisturbed(auditing, workers):
    """Return a cup whose blocks were all played as ordered, and audited."""
    auditing.finish(name := auditing.begin(*FIELD, **CUP))
    settle(auditing, workers)
    return name


@pytest.mark.long
def test_what_is_played_alike_is_audited_once_and_never_by_the_same_worker(auditing, undisturbed):
    assert set(outcomes(auditing)) == {"same"}
    assert len(outcomes(auditing)) == len(auditing.blocks(undisturbed, "done"))
    pairs = (
        "SELECT a.worker, b.worker FROM audit JOIN block a ON a.id = block_id JOIN block b ON b.id = second"
    )
    assert all(booked != again for booked, again in rows(auditing, pairs))
    until(lambda: rows(auditing, "SELECT state FROM contest WHERE purpose = 'audit'") == [("over",)])
    assert auditing.metric("audits_total", outcome="same") == len(outcomes(auditing))


class FullDisk(Artifacts):
    """No program can be stored."""

    def hold(self, *_):
        raise OSError(errno.ENOSPC, "No space left on device")


def broken(arena, folder):
    """Yield a worker of each kind that cannot play, by its own explanation."""

    def bench(name, **parts):
        registry, tally = Registry(arena.address, WORKER), CounterTally()
        fields = {
            "sandbox": choose_sandbox("process"),
            "artifacts": Artifacts(folder / name, registry.fetch, 1 << 20),
            "stopping": lambda: bool(tally.get("tests", "failed")),  # it tests itself once here
        } | parts  # fmt: skip
        tournament = TournamentClient(arena.address, WORKER)
        return Bench(
            name=f"{name}-1", core=None, registry=registry, tournament=tournament, tally=tally, **fields
        )

    full = FullDisk(folder / "full", None, 1 << 20)
    full.folder = Path("/proc")  # takes no file
    return {
        "FileNotFoundError: ": bench("full", artifacts=full),
        "PlatformFault: the wall cannot be built": bench("fallen", sandbox=Fallen()),
        "PlatformFault: This host": bench("late", pace=Pace(probe=lambda: 100.0)),
        "python has no image in memory": bench("bare", sandbox=Bare(), image_required=True),
    }


class Bare(Fallen):
    """It has no image of any runtime."""

    def holds_in_memory(self, _runtime):
        return False


def fail(arena, bench, blocks):
    """Let it fail at some blocks, and then at its self-test."""
    for block in blocks:
        play_block(bench, block.id)
    keep_fit(bench)
    for block in blocks:
        arena.end_rest(block.id)


def name_five(arena, name, workers, folder):
    """Five of the workers are broken while a cup is played; each of them is named."""
    liar, benches = Worker(arena.address, "liar-1"), broken(arena, folder)
    queued = arena.queued(name)
    last = max(block.number for block in queued)  # this one keeps its match open
    for bench in benches.values():
        fail(arena, bench, [block for block in queued if block.number == last][:3])
    for block in queued:
        if block.number < last:
            order = liar.claim(block.id)
            liar.report(order, with_other_moves(order))
    settle(arena, workers)
    words = {bench.name: said for said, bench in benches.items()} | {"liar-1": "too often for chance"}

    def told():
        return {one.name: one for one in arena.admin.workers()}

    until(lambda: told()["liar-1"].state == "suspended")
    assert [one for one, said in words.items() if said not in told()[one].words] == []
    unfit = {one for one, said in told().items() if said.state == "suspended"}
    assert unfit == words.keys() - {"bare-1"}  # there are other programs that it can play
    assert liar.claim() is None


@pytest.mark.long
def test_five_broken_workers_change_no_result_and_each_is_named(auditing, undisturbed, workers, tmp_path):
    name_five(auditing, name := auditing.begin(*FIELD, **CUP), workers, tmp_path)
    auditing.finish(name)
    assert played_deals(auditing, name) == played_deals(auditing, undisturbed) != []


@pytest.mark.long
def test_five_broken_workers_of_fifty_change_no_result_of_several_contests(start, tmp_path):
    with start(audit=1) as arena:
        workers = [arena.worker, *(Worker(arena.address, f"host-{number}") for number in range(44))]
        for worker in workers:
            worker.ReportTest(worker=worker.name, unfit="")
        cups = [CUP | {"cap": 4}, CUP | {"format": "single_elimination", "cap": 4}]
        before = [arena.begin(*FIELD, **spec) for spec in cups]
        finish(arena, before, workers)
        names = [arena.begin(*FIELD, **spec) for spec in cups]
        name_five(arena, names[0], workers, tmp_path)
        finish(arena, names, workers)
        for name, undisturbed in zip(names, before, strict=True):
            assert played_deals(arena, name) == played_deals(arena, undisturbed) != []


def finish(arena, names, workers):
    """Let the workers play in turn."""
    for name in names:
        while isinstance(blocks := arena.queued(name), list):
            for number, block in enumerate(blocks):
                workers[number % len(workers)].play(block.id)
