"""Workers on two hosts play one seating of a block each, which are joined when it is booked."""

import threading

import pytest
from sqlalchemy import select, update

from maumau.contest.export.verify import verify
from maumau.contest.seed import deal_seed
from maumau.errors import BadReport, BlockDropped
from maumau.referee.block import SetOutcome
from maumau.v1 import job_pb2 as pb
from maumau.v1 import job_pb2_grpc
from services.tournament.domain.machine import RECENT, Machines, choose_seating
from services.tournament.domain.measured import Measured, Used
from services.tournament.models import Block, Contest, Job, PlayedSeating
from services.tournament.models import Worker as SeenWorker
from services.tournament.play.seating_reports import BlockReport, SeatingReports, join_measured
from services.tournament.store.blocks.audit import Audits
from services.tournament.store.blocks.booking import BookedResult, Bookings, CheckedReport
from services.tournament.store.blocks.claim import LEFT_TO_OTHERS
from services.tournament.store.blocks.drop import end_jobs
from services.tournament.store.blocks.worker import PRESENT
from tests.support.arenas.calls import Calls, refused
from tests.support.arenas.play import play_order, play_set, report_parts
from tests.support.arenas.tournament import WORKER, SeatingWorker
from tests.support.kinds import one_of
from tests.support.stores.tournament import LEASE
from tests.support.waiting import until
from tests.tournament.test_audit import CUP, played_deals
from tests.tournament.test_job import TERMS, job
from tests.tournament.test_job_export import read


@pytest.fixture(scope="module")
def two(arena):
    """Workers on machines of their own, and a second one beside the first."""
    return [SeatingWorker(arena.address, name) for name in ("left-1", "right-1", "left-2")]


def players(arena, block):
    with arena.database.read() as session:
        rows = select(PlayedSeating.seating, PlayedSeating.worker).where(PlayedSeating.block_id == block.id)
        return {row.seating: row.worker for row in session.execute(rows)}


def seen(workers):
    """Let each worker have asked for work lately, with or without success."""
    for worker in workers:
        if order := worker.claim():
            worker.RenewLease(block_id=order.block_id, fence=order.fence, give_back=True)


@pytest.mark.long
def test_the_seatings_of_a_block_are_played_on_two_hosts_and_booked_as_one(arena, two):
    left, right, beside = two
    whole, apart = (arena.begin("first", "random", **CUP | {"block": 3}) for _ in range(2))
    arena.finish(whole)
    (block,) = arena.queued(apart)
    seen(two)
    order = left.claim(block.id)
    assert list(order.seatings) == [0]
    assert left.report(order).stored
    assert not left.report(order).stored  # the answer was lost
    assert beside.claim(block.id) is None
    assert left.claim(block.id) is None
    order = right.claim(block.id)
    assert list(order.seatings) == [1]
    assert right.report(order).stored
    assert not right.report(order).stored
    (booked,) = arena.blocks(apart)
    assert (booked.state, booked.attempts) == ("done", 1)
    assert players(arena, block) == {0: "left-1", 1: "right-1"}
    arena.finish(apart)
    assert played_deals(arena, apart) == played_deals(arena, whole) != []


def test_a_whole_report_where_a_seating_was_ordered_counts_and_no_seating_of_before(arena, two):
    left, right, _ = two
    seen(two)
    name = arena.begin("first", "random", block=2, cap=2)
    (block,) = arena.queued(name)
    left.report(left.claim(block.id))
    order = right.claim(block.id)
    assert right.stream("SubmitBlock", report_parts(order, play_order(order))).stored
    assert (arena.blocks(name)[0].state, players(arena, block)) == ("done", {})


def test_one_host_alone_plays_whole_blocks(arena):
    alone = [SeatingWorker(arena.address, name) for name in ("alone-1", "alone-2")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("services.tournament.domain.machine.RECENT", -1)  # no other worker has asked lately
        name = arena.begin("first", "random", block=5, cap=10)
        for worker, block in zip(alone, arena.queued(name), strict=False):
            order = worker.claim(block.id)
            assert list(order.seatings) == []
            assert worker.report(order).stored


def test_a_seating_whose_other_host_has_gone_is_finished_by_the_one_that_is_left(store):
    store.claim("13", "left-1")
    store.claim("14", "right-1")
    claim = store.claim("12", "left-1")
    assert claim.seating == 0
    keep(store, claim)
    store.now += PRESENT - 1
    assert store.claim("12", "left-1") is None
    store.now += 1
    claim = store.claim("12", "left-1")
    assert claim.seating == 1


@pytest.mark.long
@pytest.mark.stores
def test_a_seating_whose_other_host_is_busy_is_left_to_it_for_a_minute(store):
    store.claim("14", "right-1")
    keep(store, store.claim("12", "left-1"))
    store.now += LEFT_TO_OTHERS - 1
    store.claim("23", "right-1")
    assert store.claim("12", "left-1") is None
    store.now += 1
    assert store.claim("12", "left-1").seating == 1


@pytest.mark.parametrize(("memory", "waits"), [(0, True), (1024, True), (1023, False)])
def test_no_seating_waits_for_a_machine_without_the_memory_for_it(store, memory, waits):
    """Two programs of 512 MiB; who does not say has it."""
    store.claim("14", "right-1")
    keep(store, store.claim("12", "left-1"))
    store.claim("34", "right-1", memory)
    assert (store.claim("12", "left-1") is None) == waits


@pytest.mark.stores
def test_what_a_worker_failed_at_does_not_wait_for_one_without_the_memory_for_it(store):
    assert store.claim("13", "right-1", 1023) is None
    assert store.fail("12", "left-1")
    assert store.claim("12", "right-1", 1023) is None
    assert store.claim("12", "left-1", 1024) is not None


@pytest.mark.stores
def test_of_three_seatings_two_machines_wait_only_for_the_one_that_has_played_none(store):
    store.add_contest("trio", 1, seats=3)
    store.claim("14", "right-1")
    for worker, waiting in (("left-1", "left-2"), ("right-1", None), ("right-1", None)):
        claim = store.claim("trio-0", worker)
        keep(store, claim, seats=3)
        if waiting:
            assert store.claim("trio-0", waiting) is None
    assert list_kept(store, "trio-0") == ["left-1", "right-1", "right-1"]


@pytest.mark.parametrize("lacks", ["", f"{1:064}", "the rules"])
def test_of_three_seatings_none_is_left_to_a_machine_that_cannot_play_it(store, lacks):
    """It lacks nothing, a program, or the rules."""
    store.add_contest("trio", 1, seats=3, rules_hash="the rules")
    for block_id, worker in (("13", "left-1"), ("14", "right-1")):
        store.claim(block_id, worker)
    claim = store.claim("23", "third-1")
    store.queue.give_back("23", claim.block.fence, "it cannot", store.now, store.now, lacks)
    for worker in ("left-1", "right-1"):
        keep(store, store.claim("trio-0", worker), seats=3)
    assert (store.claim("trio-0", "left-1") is None) == (not lacks)


@pytest.mark.long
def test_a_block_whose_other_machine_has_gone_is_that_of_one_machine(arena, two, tmp_path):
    left = two[0]
    whole, apart = (arena.begin("first", "random", **CUP | {"block": 3, "cap": 6}) for _ in range(2))
    arena.finish(whole)
    seen(two)
    block = arena.queued(apart)[0]
    assert left.report(left.claim(block.id)).stored
    assert left.claim(block.id) is None
    with arena.database.write() as session:  # for longer than a minute
        session.execute(update(SeenWorker).where(SeenWorker.name.not_like("left-%")).values(seen_at=1))
    assert left.report(left.claim(block.id)).stored
    assert players(arena, block) == {0: "left-1", 1: "left-1"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("services.tournament.domain.machine.RECENT", -1)
        while isinstance(blocks := arena.queued(apart), list):
            assert list((order := left.claim(blocks[0].id)).seatings) == []
            assert left.report(order).stored
    assert played_deals(arena, apart) == played_deals(arena, whole) != []
    path = tmp_path / "apart.export.jsonl"
    path.write_bytes(arena.export(apart))
    assert verify(path).differing == 0


@pytest.mark.long
def test_three_seatings_played_on_two_machines_are_verified_like_any(start, tmp_path):
    with start(replay=1) as own:
        jobs = Calls(own.address, WORKER, pb, job_pb2_grpc.JobServiceStub)
        left, right = (SeatingWorker(own.address, name) for name in ("left-1", "right-1"))
        assert [worker.claim() for worker in (left, right)] == [None, None]
        ids = [own.version(bot).id for bot in own.field("first", "crash", "random")]
        terms = TERMS | {"seats": 3, "score": "SCORE_PLACES"}
        contest = jobs.OpenContest(request_id="trio", terms=terms).contest
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", ids, sets=2)])
        ordered = []
        for worker in (left, right, left):
            order = until(worker.claim)
            ordered += order.seatings
            assert worker.report(order).stored
        assert ordered == [0, 1, 2]
        jobs.CloseContest(contest_id=contest.id)
        until(lambda: jobs.GetContest(contest_id=contest.id).contest.secret)
        path = tmp_path / "trio.export.jsonl"
        path.write_bytes(read(jobs, contest_id=contest.id)[1])
        assert (verify(path).differing, jobs.GetContest(contest_id=contest.id).contest.booked) == (0, 1)


def keep(store, claim, seats=2):
    """Store the ordered seating; return whether it is new, and the block's seatings if all are there."""
    block = claim.block
    part = PlayedSeating(
        block_id=block.id, seating=claim.seating, fence=block.fence, worker=block.worker, sets=b"",
        measured=b"", stored_at=store.now,
    )  # fmt: skip
    is_new, parts = store.seatings.store_seating(part, seats, store.now)
    return is_new, [one.seating for one in parts]


def list_kept(store, block_id):
    """Return the workers of the stored seatings."""
    with store.database.read() as session:
        rows = select(PlayedSeating.worker).where(PlayedSeating.block_id == block_id)
        return session.scalars(rows.order_by(PlayedSeating.seating)).all()


@pytest.mark.stores
def test_a_seating_of_a_host_that_lied_is_played_again(store):
    store.claim("13", "left-1")
    store.claim("14", "right-1")
    keep(store, store.claim("12", "left-1"))
    store.workers.distrust_worker("left-1", "it lied", store.now)
    claim = store.claim("12", "right-1")
    assert (claim.seating, keep(store, claim)) == (0, (True, []))


@pytest.mark.stores
def test_a_seating_is_kept_once_and_no_older_one_after_it(store):
    store.claim("14", "right-1")
    claim = store.claim("12", "left-1")
    assert keep(store, claim) == (True, [])
    assert keep(store, claim) == (False, [])
    later = store.claim("12", "right-1")
    assert (later.seating, keep(store, later)) == (1, (True, [0, 1]))
    assert keep(store, later) == (False, [0, 1])  # asked again before it was booked


@pytest.mark.stores
def test_a_last_seating_reported_twice_at_once_is_booked_once(store, monkeypatch):
    """The second report is taken in and booked while the first one is."""
    reports, bookings = SeatingReports(store.seatings), Bookings(store.database)
    store.claim("14", "right-1")
    reports.take_report(*report_seating(store, "left-1"), store.now)
    claim, last = report_seating(store, "right-1")

    def submit():
        whole = reports.take_report(claim, last, store.now).whole
        result = BookedResult("12", b"", b"", b"", "0" * 64, store.now)
        given = CheckedReport(claim, whole.fence, result, "", [], [], store.now, joined=True)
        return len(whole.sets), bookings.book_report(given)

    def store_before_twin(*args, given=store.seatings.store_seating):
        monkeypatch.undo()
        taken = given(*args)
        assert submit() == (10, True)
        return taken

    monkeypatch.setattr(store.seatings, "store_seating", store_before_twin)
    assert submit() == (10, False)
    assert reports.take_report(claim, last, store.now).whole is None


def report_seating(store, worker):
    """Claim the block 12 for a worker; return its claim and the report of the seating."""
    claim = store.claim("12", worker)
    orders = zip(claim.list_numbers(), claim.list_seeds(), strict=True)
    whole = [play_set("mau_mau", ("first", "first"), number, seed) for number, seed in orders]
    sets = [SetOutcome(one.number, [one.deals[claim.seating]]) for one in whole]
    measured = Measured(worker, "none", 1, 1, 0, 0, 1, [0, 0], [0, 0])
    return claim, BlockReport("12", claim.block.fence, sets, measured)


def end_by_sweep(store, block_id):
    put(store, contest="over")
    store.reaper.drop_blocks(store.now)


def end_by_expiry(store, block_id):
    store.claim(block_id, "right-1")
    put(store, job="over")
    store.now += LEASE + 1
    store.reaper.drop_blocks(store.now)


def end_by_renewal(store, block_id):
    claim = store.claim(block_id, "right-1")
    put(store, job="over")
    assert not store.renew(block_id, claim.block.fence, 1)


def end_by_return(store, block_id):
    claim = store.claim(block_id, "right-1")
    put(store, job="over")
    store.queue.give_back(block_id, claim.block.fence, "", store.now, store.now)


def end_by_release(store, block_id):
    store.claim(block_id, "right-1")
    put(store, job="over")
    store.reaper.release_leases(["right-1"], store.now)


def end_by_seating(store, block_id):
    claim = store.claim(block_id, "right-1")
    put(store, job="over")
    with pytest.raises(BlockDropped):
        keep(store, claim, seats=3)


def end_by_job(store, block_id):
    with store.database.write() as session:
        end_jobs(session, ["apart"])


def end_as_void(store, block_id):
    put(store, block="void", job="paused")
    end_by_job(store, block_id)


def end_as_void_by_sweep(store, block_id):
    """Mark as void as after a cancelled tournament, which leaves its jobs unchanged."""
    put(store, block="void", job="paused", contest="over")
    store.reaper.drop_blocks(store.now)


def put(store, *, block="", job="", contest=""):
    """Set these states."""
    with store.database.write() as session:
        for kind, key, state in ((Block, "apart-0", block), (Job, "apart", job), (Contest, "apart", contest)):
            if state:
                session.get_one(kind, key).state = state


ENDS = (
    end_by_job, end_by_sweep, end_by_expiry, end_by_renewal, end_by_return, end_by_release, end_by_seating,
    end_as_void, end_as_void_by_sweep,
)  # fmt: skip


@pytest.mark.parametrize("end", one_of(3, ENDS))
def test_of_a_block_that_is_dropped_no_seating_is_left(store, end):
    store.add_contest("apart", 1, seats=3)
    store.claim("14", "right-1")
    keep(store, store.claim("apart-0", "left-1"), seats=3)
    assert list_kept(store, "apart-0") == ["left-1"]
    end(store, "apart-0")
    assert store.state("apart-0")[0] == "dropped"
    assert list_kept(store, "apart-0") == []


@pytest.mark.stores
def test_both_hosts_that_played_a_block_are_barred_from_its_audit(store):
    for block_id, worker in (("13", "left-1"), ("14", "right-1"), ("23", "third-1")):
        store.claim(block_id, worker)
    keep(store, store.claim("12", "left-1"))
    keep(store, store.claim("12", "right-1"))
    store.end("12")
    assert Audits(store.database).order_audit("12", store.now)
    with store.database.read() as session:
        (copy,) = session.scalars(select(Block.id).where(Block.barred != ""))
    assert [bool(store.claim(copy, name)) for name in ("left-1", "right-1")] == [False, False]
    claim = store.claim(copy, "third-1")
    assert claim.seating is None  # an audit is of one worker


def test_a_report_of_another_seating_than_the_block_has_is_refused(arena, two):
    left = two[0]
    seen(two)
    name = arena.begin("first", "random", block=2, cap=4)
    order = left.claim(arena.queued(name)[0].id)
    assert list(order.seatings) == [0]
    given = play_order(order)
    given[0].deals[0].record = (
        given[0]
        .deals[0]
        .record.replace(f"[seed {order.seeds[0]}]", f"[seed {deal_seed('another', '', '1.1.1', 0)}]")
    )
    with refused(BadReport, "set 0, seating 0: the record is not one of the deal that was ordered"):
        left.report(order, given)
    with refused(BadReport, "The block has 2 sets"):
        left.report(order, play_order(order)[:1])


def test_machines_that_cannot_play_a_block_are_no_others(store):
    machines = Machines()
    machines.note_worker("left-1", 0, frozenset(), store.now)
    assert not machines.has_other("left-2", ["rules"], 100, store.now)
    machines.note_worker("small-1", 50, frozenset(), store.now)
    machines.note_worker("old-1", 0, frozenset({"rules"}), store.now)
    assert not machines.has_other("left-1", ["rules"], 100, store.now)
    assert machines.has_other("left-1", ["others"], 100, store.now)
    assert machines.has_other("left-1", ["rules"], 50, store.now)
    assert not machines.has_other("left-1", ["others"], 50, store.now + RECENT)


def test_workers_may_ask_while_others_are_looked_at(store):
    machines, threads = Machines(), []

    class Memory(int):
        def __bool__(self):
            """Let another worker ask until it must wait for the lock."""
            noted = "other-2", 0, frozenset({"rules"}), store.now
            threads.append(threading.Thread(target=machines.note_worker, args=noted))
            threads[-1].start()
            threads[-1].join(0.05)
            return True

    machines.note_worker("other-1", 0, frozenset(), store.now)
    machines._known["other-"]["other-1"].memory = Memory(50)
    assert not machines.has_other("left-1", ["rules"], 100, store.now)
    for thread in threads:
        thread.join()
    assert threads
    assert machines.has_other("left-1", [], 0, store.now)


@pytest.mark.parametrize(
    ("there", "has_other", "ordered"),
    [((), False, None), ((), True, 0), ((0,), True, 1), ((0, 2), False, 1), ((0, 1, 2), True, 0)],
)
def test_what_is_missing_is_ordered(there, has_other, ordered):
    assert choose_seating(3, there, has_other=has_other) == ordered


def test_what_was_measured_of_the_seatings_is_added_up():
    one = Measured("left-1", "bwrap", 100, 80, 20, 5, 40, [10, 20], [30, 50], uses=[Used(1.0, 2.0, [0.5])])
    two = Measured("right-1", "bwrap", 50, 40, 10, 0, 30, [1, 2], [60, 40], uses=[Used(3.0, 4.0, [0.25])])
    joined = join_measured([one, two])
    assert (joined.worker, joined.sandbox) == ("left-1, right-1", "bwrap")
    assert (joined.wall_ms, joined.play_ms, joined.start_ms, joined.fetch_ms) == (150, 120, 30, 5)
    assert (joined.decisions, joined.cpu_ms, joined.memory_mib) == (70, [11, 22], [60, 50])
    assert joined.uses == [Used(4.0, 6.0, [0.5, 0.25])]
