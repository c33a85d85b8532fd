"""Actions of a host of workers are charged to its token, under any names of its workers."""

import uuid

import pytest
from sqlmodel import select

from maumau.errors import NotAllowed, StaleFence
from services.shared.base.worker_name import machine_prefix
from services.tournament.domain.attribution import FailedRun, are_enough, attribute_failures
from services.tournament.domain.machine import Machines
from services.tournament.models import Audit, Block, Worker
from services.tournament.store.blocks.audit import Audits
from services.tournament.store.blocks.worker import prefix_of_machine
from tests.support.arenas.calls import refused
from tests.support.arenas.play import play_order, report_parts
from tests.support.arenas.tournament import Worker as Caller
from tests.support.stores.tournament import LIMIT

INVENTED = ("evil/1", "evil/2", "evil/3", "evil/4", "evil/5")


@pytest.fixture(scope="module")
def hosts(arena):
    """Return two workers, each with the token of a separate host."""
    return [Caller(arena.address, "w", host_token(arena, name)) for name in ("honest", "evil")]


def host_token(arena, host):
    return arena.admin.create_token("worker", ("worker",), label=f"{host}-{uuid.uuid4().hex[:8]}").token


def test_a_host_pauses_no_match_by_failing_under_invented_names(store):
    store.claim("13", "honest")
    for name in INVENTED:
        force_failure(store, "12", name)
    assert (LIMIT, store.reaper.void_blocks(store.now)) == (5, [])
    force_failure(store, "12", "honest")
    assert len(store.reaper.void_blocks(store.now)) == 1


def force_failure(store, block_id, worker):
    """Fail the block on this worker as if every other host had been away."""
    with store.database.write() as session:
        block = session.get_one(Block, block_id)
        block.state, block.worker, block.fence = "claimed", worker, block.fence + 1
        block.lease_until = store.now + 1000
        fence = block.fence
    store.queue.give_back(block_id, fence, "it does not start", store.now, store.now)


def test_what_a_host_failed_at_it_gets_under_no_other_name_while_there_are_others(store):
    store.claim("13", "honest")
    assert store.fail("12", "evil/1")
    assert not store.fail("12", "evil/2")
    assert store.claim("12", "honest") is not None


@pytest.mark.stores
def test_on_a_single_host_another_of_its_workers_is_the_next(store):
    store.claim("13", "one/2")
    assert store.fail("12", "one/1")
    assert not store.fail("12", "one/1")
    assert store.fail("12", "one/2")
    assert store.fail("12", "one/1")


@pytest.mark.stores
def test_a_host_that_lied_is_given_nothing_under_any_name(store):
    for name in ("evil/1", "evil/2", "evil2/1", "honest"):
        store.claim_next(name)
    store.workers.distrust_worker("evil/1", "it lied", store.now)
    for name in ("evil/1", "evil/2", "evil/new"):
        assert store.claim_next(name) is None
    assert store.claim("34", "evil/newer") is None
    store.workers.record_self_test("evil/newest", "", store.now)
    assert store.claim_next("evil/newest") is None
    assert store.claim_next("evil2/1") is not None
    said = {one.name: (one.distrusted_at > 0, one.words) for one in store.workers.list_heard(store.now)}
    assert said["evil/new"] == (True, "it lied")
    assert said["evil2/1"] == said["honest"] == (False, "")


@pytest.mark.sample(2)
@pytest.mark.stores
@pytest.mark.parametrize(("liar", "honest"), [("rack-7/w", "rack-7"), ("rack-7", "rack-7/w")])
def test_a_host_labelled_as_a_worker_of_the_arena_is_named_is_not_that_worker(store, liar, honest):
    for name in (liar, honest):
        store.workers.record_self_test(name, "", store.now)
    assert store.fail("13", liar)
    assert not store.fail("13", liar)
    assert store.claim("13", honest) is not None
    store.workers.distrust_worker(liar, "it lied", store.now)
    assert store.claim("12", liar) is None
    assert store.claim("12", honest) is not None


def test_a_host_labelled_as_a_worker_of_the_arena_is_another_host_and_another_machine():
    assert are_enough(["rack-7", "rack-7/w", "other/1"], [])
    machines = Machines()
    machines.note_worker("rack/w", 0, frozenset(), 1)
    assert machines.has_other("rack-7", [], 0, 1)
    assert not machines.has_other("rack/v", [], 0, 1)


def test_a_program_is_not_suspended_for_what_one_host_says(store):
    pairs = [(1, 2), (1, 3), (4, 1)] * 2
    done = {(2, 3): 10, (2, 4): 10, (3, 4): 10}
    failed = [FailedRun(f"b{n}", pair, INVENTED[n % 5]) for n, pair in enumerate(pairs)]
    assert attribute_failures(failed, done, {*INVENTED, "honest", "other/1"}) is None
    three = ("evil/1", "honest", "other/1")
    failed = [FailedRun(f"b{n}", pair, three[n % 3]) for n, pair in enumerate(pairs)]
    assert attribute_failures(failed, done, {*INVENTED, "honest", "other/1"}) == 1


@pytest.mark.stores
def test_a_host_compares_no_block_with_itself_under_a_new_name(store):
    for name, block_id in (("evil/1", "12"), ("honest", "13")):
        store.claim(block_id, name)
    store.end("12")
    assert Audits(store.database).order_audit("12", store.now)
    with store.database.read() as session:
        copy = session.scalars(select(Audit.second)).one()
    assert store.claim(copy, "evil/1") is None
    assert store.claim(copy, "evil/new") is None
    assert store.claim(copy, "honest") is not None


def test_a_worker_speaks_of_no_block_of_another_host(arena, hosts):
    honest, evil = hosts
    name = arena.begin("first", "second", block=5, cap=5)
    (block,) = arena.queued(name)
    order = honest.claim(block.id)
    held = {"block_id": order.block_id, "fence": order.fence}
    for call in (
        lambda: evil.RenewLease(**held, deals_done=1),
        lambda: evil.RenewLease(**held, give_back=True, words="it does not start"),
        lambda: evil.ReportDeals(**held),
        lambda: evil.stream("SubmitBlock", report_parts(order, play_order(order))),
    ):
        with refused(StaleFence, "A worker of another token has claimed it."):
            call()
    assert honest.report(order).stored
    (shown,) = arena.blocks(name)
    (one,) = [one for one in arena.admin.workers() if one.name == shown.worker]
    assert (shown.state, one.failures) == ("done", 0)
    assert shown.worker.startswith("honest-")
    assert shown.worker.endswith("/w")


def test_a_worker_bears_no_name_of_another_host(arena, hosts):
    honest, evil = hosts
    honest.ReportTest(worker="w", unfit="")
    (name,) = [one.name for one in arena.admin.workers() if one.name.startswith("honest-")]
    for call in (
        lambda: evil.ClaimNext(worker=name),
        lambda: evil.ReportTest(worker=name, unfit="the disk is full"),
        lambda: arena.worker.ReportTest(worker=name, unfit="the disk is full"),
    ):
        with refused(NotAllowed, "is not a worker of this token"):
            call()
    evil.ReportTest(worker="w", unfit="the disk is full")
    states = {one.name.partition("-")[0]: one.state for one in arena.admin.workers() if "/" in one.name}
    assert states == {"honest": "present", "evil": "suspended"}


@pytest.mark.stores
def test_the_database_knows_the_machine_of_a_worker_as_we_do(store):
    names = ["left-1", "left-1-2", "left", "-5", "--5", "-", "host-1/a-7", "host/a/b", "host/", "größe-1"]
    for name in names:
        store.workers.record_self_test(name, "", store.now)
    with store.database.read() as session:
        found = session.execute(select(Worker.name, prefix_of_machine(Worker.name))).all()
    assert dict(map(tuple, found)) == {name: machine_prefix(name) for name in names}
    assert [machine_prefix(name) for name in ("left-1-2", "left", "host/a/b")] == [
        "left-1-",
        "left-",
        "host/",
    ]
