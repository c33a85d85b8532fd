"""Contests that are not tournaments: requested, played, booked, and followed to their end."""

import threading
import uuid
from contextlib import suppress

import pytest

from maumau.client.call import rpc_errors
from maumau.contest.export.chain import Booking, End, add_link
from maumau.contest.seed import compute_commitment, deal_seed
from maumau.errors import (
    ArenaUnreachable,
    BadRequest,
    BadSpec,
    NotAllowed,
    NotValidated,
    NotYours,
    UnknownContest,
    UnknownMatch,
    UnknownSet,
    UnknownVersion,
    WrongState,
)
from maumau.process import trace
from maumau.v1 import job_pb2 as pb
from maumau.v1 import job_pb2_grpc
from services.tournament.play import lease
from services.tournament.rpc import job_servicer as servicer
from tests.support.arenas.calls import Calls, refused
from tests.support.arenas.tournament import WORKER, Worker
from tests.support.waiting import until
from tests.tournament.test_second_run import again_of, overrun

TERMS = {
    "purpose": "PURPOSE_LADDER", "author": "ada", "rules": {"name": "mau_mau"}, "seats": 2,
    "score": "SCORE_WIN", "bot": {"deal_ms": 100, "memory_mib": 512},
}  # fmt: skip


class Follower:
    """Follows a contest in a separate thread and keeps the messages in order."""

    def __init__(self, jobs, contest_id, after=0):
        self.parts = []
        self.thread = threading.Thread(target=self._run, args=(jobs, contest_id, after), daemon=True)
        self.thread.start()

    def _run(self, jobs, contest_id, after):
        with suppress(ArenaUnreachable), rpc_errors():  # the arena of the tests stops first
            for part in jobs.FollowContest(contest_id=contest_id, after=after):
                self.parts.append(part)

    @property
    def booked(self):
        return [part.booked for part in self.parts if part.HasField("booked")]

    def changed(self):
        return [(part.job.label, part.job.state) for part in self.parts if part.HasField("job")]

    def end(self):
        """Return the last state of the contest."""
        until(lambda: not self.thread.is_alive())
        assert self.parts[-1].contest.state == pb.CONTEST_STATE_OVER
        return self.parts[-1].contest


@pytest.fixture
def jobs(arena):
    return Calls(arena.address, WORKER, pb, job_pb2_grpc.JobServiceStub)


@pytest.fixture
def contest(jobs):
    """Yield a new contest, which is closed at the end."""
    found = jobs.OpenContest(request_id=uuid.uuid4().hex, terms=TERMS).contest
    yield found
    labels = [f"{number}" for number in range(1, 10)]
    jobs.CancelJobs(contest_id=found.id, labels=labels)
    jobs.CloseContest(contest_id=found.id)


@pytest.fixture
def pair(arena):
    """Return the versions of two bots."""
    return [arena.version(bot).id for bot in arena.field("first", "random")]


def job(label, pair, sets=4, block=2):
    return {"label": label, "version_ids": pair, "sets": sets, "block": block}


def claim(arena, contest):
    """Return the next block of this contest, after playing left-overs of others."""
    while order := arena.worker.claim():
        if order.label in {"1", "2", "3"}:
            return order
        arena.worker.report(order)
    return None


def play(arena, contest):
    while order := claim(arena, contest):
        arena.worker.report(order)


@pytest.mark.long
def test_what_is_asked_for_is_played_booked_and_told_to_who_follows(arena, jobs, contest, pair):
    follower = Follower(jobs, contest.id)
    assert contest.state == pb.CONTEST_STATE_RUNNING
    assert contest.secret == ""
    assert (
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair), job("2", pair[::-1])]).blocks_queued == 4
    )
    seeds = {}
    while order := claim(arena, contest):
        seeds[order.label, order.first_set] = list(order.seeds)
        arena.worker.report(order)
    jobs.CloseContest(contest_id=contest.id)
    over = follower.end()
    assert [one.booking for one in follower.booked] == [5, 6, 7, 8]  # after two entrants and two jobs
    assert {(one.label, one.block) for one in follower.booked} == {("1", 0), ("1", 1), ("2", 0), ("2", 1)}
    for one in follower.booked:
        assert [each.number for each in one.sets] == [2 * one.block, 2 * one.block + 1]
        assert all(sum(each.units) == 4 for each in one.sets)
        assert seeds[one.label, 2 * one.block] == [
            deal_seed(over.secret, over.root, one.label, each.number) for each in one.sets
        ]
    assert (compute_commitment(over.secret), over.root, over.booked) == (contest.commitment, contest.root, 4)
    assert over.links == 9
    assert over.chain == add_link(follower.booked[-1].chain, End(over.compared))
    assert set(follower.changed()) >= {("1", pb.JOB_STATE_OVER), ("2", pb.JOB_STATE_OVER)}
    late = Follower(jobs, contest.id)
    assert late.end() == over
    assert late.booked == follower.booked
    assert [part.HasField("contest") for part in late.parts].count(True) == 1  # after all results


def test_a_result_is_told_when_it_is_booked_and_not_at_the_next_look(arena, jobs, contest, pair, monkeypatch):
    monkeypatch.setattr(servicer, "EVERY", 3600.0)
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair, sets=3, block=1)])
    follower = Follower(jobs, contest.id)
    until(lambda: follower.parts)
    for count in (1, 2, 3):
        arena.worker.report(claim(arena, contest))
        until(lambda count=count: len(follower.booked) == count)


def test_who_follows_from_a_booking_is_told_what_came_after_it(arena, jobs, contest, pair):
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair, sets=5, block=1)])
    play(arena, contest)
    jobs.CloseContest(contest_id=contest.id)
    follower = Follower(jobs, contest.id, after=6)
    follower.end()
    assert [one.booking for one in follower.booked] == [7, 8]


def test_each_link_of_the_chain_is_made_of_the_one_before_it(arena, jobs, contest, pair):
    """The digest of a block is not told here; the links differ, and the first one is not the root."""
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair)])
    play(arena, contest)
    jobs.CloseContest(contest_id=contest.id)
    follower = Follower(jobs, contest.id)
    over = follower.end()
    chain = [one.chain for one in follower.booked]
    assert len({contest.root, *chain}) == 3
    assert over.chain == add_link(chain[-1], End(over.compared))
    assert add_link(contest.root, Booking("1", 1, 0, "0" * 64)) != chain[0]


def test_a_block_of_a_ladder_in_which_a_program_was_killed_is_played_again(
    arena, jobs, contest, pair, monkeypatch
):
    monkeypatch.setattr(lease, "PAUSE", 0.0)
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair, sets=1)])
    order = claim(arena, contest)
    assert arena.worker.report(order, overrun(order, policy="killed")).stored
    again = again_of(arena, order.block_id)
    assert again.seeds == order.seeds
    assert arena.worker.report(again).stored
    jobs.CloseContest(contest_id=contest.id)
    follower = Follower(jobs, contest.id)
    follower.end()
    assert [list(one.faults) for one in follower.booked] == [[]]
    assert [[(put.position, put.words) for put in one.put_off] for one in follower.booked] == [
        [(0, "was killed")]
    ]


def test_faults_are_told_with_the_program_that_made_them(arena, jobs, contest):
    crash, first = (arena.version(arena.bot(policy)).id for policy in ("crash", "first"))
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", [first, crash], sets=1)])
    play(arena, contest)
    jobs.CloseContest(contest_id=contest.id)
    follower = Follower(jobs, contest.id)
    follower.end()
    (booked,) = follower.booked
    assert [(fault.position, fault.kind) for fault in booked.faults] == [(1, "crash")] * 2
    assert [list(one.units) for one in booked.sets] == [[4, 0]]


def test_a_fault_in_a_contest_of_jobs_is_shown_whole_to_its_bots_owner(arena, jobs, contest):
    owner, _ = arena.author()
    other, _ = arena.author()
    ids = [arena.version(arena.bot(policy, owner)).id for policy in ("first", "crash")]
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", ids, sets=1)])
    play(arena, contest)
    jobs.CloseContest(contest_id=contest.id)
    follower = Follower(jobs, contest.id)
    follower.end()
    fault_id = follower.booked[0].faults[0].id
    found = owner.fault(fault_id)
    assert (found.fault.kind, found.memory_mib, found.rules.name) == ("crash", 512, "mau_mau")
    # Either of its two deals may be the told one: in seating 0 it sits second, in seating 1 first.
    names = ["first", "crash"] if found.fault.seating == 0 else ["crash", "first"]
    assert [name.partition("-")[0] for name in found.names] == names
    with refused(NotYours, "which belongs to"):
        other.fault(fault_id)


@pytest.mark.long
def test_three_at_a_table_have_a_result_each(start):
    """Records are played again before they count, so that they are of three seats, too."""
    with start(replay=1) as own:
        jobs = Calls(own.address, WORKER, pb, job_pb2_grpc.JobServiceStub)
        ids = [own.version(bot).id for bot in own.field("first", "crash", "random")]
        contest = jobs.OpenContest(
            request_id="three", terms=TERMS | {"seats": 3, "score": "SCORE_PLACES"}
        ).contest
        with refused(BadRequest, "2 versions, not 3"):
            jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", ids[:2])])
        with refused(BadRequest, "blocks of 1 to 25"):
            jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", ids, block=26)])
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", ids, sets=3)])
        while order := own.worker.claim():
            assert [one.name.partition("-")[0] for one in order.entrants] == ["first", "crash", "random"]
            own.worker.report(order)
        jobs.CloseContest(contest_id=contest.id)
        follower = Follower(jobs, contest.id)
        assert follower.end().booked == 2
        sets = [one for booked in follower.booked for one in booked.sets]
        assert [one.number for one in sets] == [0, 1, 2]
        for one in sets:
            assert (len(one.units), len(one.points), sum(one.units)) == (3, 3, 18)
            assert one.units[1] < min(one.units[0], one.units[2])  # a bot that crashes loses every deal
        faults = [fault for booked in follower.booked for fault in booked.faults]
        assert {fault.position for fault in faults} == {1}


def test_the_same_request_again_is_the_same_contest(jobs, contest):
    request = uuid.uuid4().hex
    first = jobs.OpenContest(request_id=request, terms=TERMS).contest
    assert jobs.OpenContest(request_id=request, terms=TERMS).contest == first
    assert first.id != contest.id
    with refused(WrongState, "other terms"):
        jobs.OpenContest(request_id=request, terms=TERMS | {"rules": {"name": "prsi"}})
    jobs.CloseContest(contest_id=first.id)


def test_the_same_jobs_again_are_queued_once(jobs, contest, pair):
    wanted = [job("1", pair), job("2", pair)]
    assert jobs.CreateJobs(contest_id=contest.id, jobs=wanted[:1]).blocks_queued == 2
    assert jobs.CreateJobs(contest_id=contest.id, jobs=wanted).blocks_queued == 2
    assert jobs.CreateJobs(contest_id=contest.id, jobs=wanted).blocks_queued == 0
    with refused(WrongState, "a job 1 already"):
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("3", pair), job("1", pair, sets=6)])
    assert jobs.CreateJobs(contest_id=contest.id, jobs=[job("3", pair)]).blocks_queued == 2  # all or none


def test_a_trace_of_a_match_begins_once_and_calls_it_as_its_blocks_do(
    arena, jobs, contest, pair, monkeypatch
):
    begun = []
    monkeypatch.setattr(trace, "begin_trace", lambda name, key, causes, **about: begun.append((key, about)))
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair, sets=1, block=1)])
    jobs.CreateJobs(contest_id=contest.id, jobs=[job(label, pair, sets=1, block=1) for label in ("1", "2")])
    assert [key for key, _ in begun] == [f"{contest.id}/1", f"{contest.id}/2"]
    match = claim(arena, contest).match_id
    assert {"contest": contest.id, "match": match} in [about for _, about in begun]


def test_a_secret_is_kept_while_something_is_being_played(arena, jobs, contest, pair):
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair)])
    order = claim(arena, contest)
    assert jobs.CancelJobs(contest_id=contest.id, labels=["1", "unknown"]).cancelled == 1
    closed = jobs.CloseContest(contest_id=contest.id).contest
    assert (closed.state, closed.secret) == (pb.CONTEST_STATE_CLOSED, "")
    with refused(WrongState, "no more jobs"):
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("2", pair)])
    assert arena.worker.RenewLease(block_id=order.block_id, fence=order.fence).dropped
    until(lambda: jobs.GetContest(contest_id=contest.id).contest.secret)


def test_jobs_that_a_worker_has_begun_go_on_when_only_others_are_ended(arena, jobs, contest, pair):
    jobs.CreateJobs(contest_id=contest.id, jobs=[job(label, pair, 2, 2) for label in ("1", "2", "3")])
    order = claim(arena, contest)
    waiting = sorted({"1", "2", "3"} - {order.label})
    asked = {"contest_id": contest.id, "labels": ["1", "2", "3", "unknown"], "only_unbegun": True}
    found = jobs.CancelJobs(**asked)
    assert (found.cancelled, sorted(found.labels)) == (2, waiting)
    assert claim(arena, contest) is None
    assert arena.worker.report(order).stored
    until(lambda: jobs.GetContest(contest_id=contest.id).contest.booked == 1)
    assert not jobs.CancelJobs(**asked).labels


def test_only_the_arena_itself_asks_for_jobs(arena, jobs, contest):
    author, _ = arena.author()
    calls = Calls(arena.address, author.token, pb, job_pb2_grpc.JobServiceStub)
    with refused(NotAllowed, "the arena's own"):
        calls.GetContest(contest_id=contest.id)


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"seats": 11}, BadSpec, "seats: 11 is not 2 to 10"),
        ({"purpose": "PURPOSE_TOURNAMENT"}, BadSpec, "'tournament' is unknown"),
        ({"purpose": 17}, BadSpec, "known: audit, ladder, practice"),
        ({"score": "SCORE_UNSPECIFIED"}, BadSpec, "score"),
        ({"author": ""}, BadSpec, "author"),
        ({"bot": {"deal_ms": 0, "memory_mib": 512}}, BadSpec, "deal_ms"),
        ({"rules": {"name": "mau_mau", "options_json": "{"}}, BadRequest, "not JSON"),
        ({"rules": {"name": "mau_mau", "options_json": "[" * 100_000}}, BadRequest, "not JSON"),
        ({"rules": {"name": "mau_mau", "hash": "0" * 64}}, BadRequest, "have the hash"),
    ],
)
def test_terms_that_cannot_be_are_refused_in_words(jobs, change, kind, words):
    with refused(kind, words):
        jobs.OpenContest(request_id="x", terms=TERMS | change)


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": "a b"}, "letters, digits"),
        ({"sets": 0}, "cannot have 0 sets"),
        ({"sets": 2001}, "cannot have 2001 sets"),
        ({"block": 101}, "blocks of 101"),
        ({"version_ids": ["version_1"]}, "1 versions, not 2"),
        ({"version_ids": ["version_1", "version_1"]}, "not 2 different ones"),
    ],
)
def test_jobs_that_cannot_be_are_refused_in_words(jobs, contest, pair, change, words):
    with refused(BadRequest, words):
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair) | change])


def test_two_jobs_of_one_label_are_refused(jobs, contest, pair):
    with refused(BadRequest, "the same label"):
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair), job("1", pair)])


def test_versions_that_may_not_play_are_refused(arena, jobs, contest, pair):
    name = f"new-{uuid.uuid4().hex[:8]}"
    fresh = arena.admin.submit(name, arena.program(name)).version
    with refused(NotValidated, f"Version 1 of {name} is uploaded"):
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", [pair[0], fresh.id])])
    arena.pass_validation(fresh.id, ["prsi"])
    with refused(NotValidated, "not validated for mau_mau"):
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", [pair[0], fresh.id])])
    with refused(UnknownVersion):
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", [pair[0], "version_none"])])


def test_a_contest_that_is_not_there_and_one_of_a_tournament_are_refused(arena, jobs, pair):
    name = arena.begin("first", "random")
    for contest_id in ("contest_none", arena.admin.tournament(name).id):
        with refused(UnknownContest):
            jobs.CreateJobs(contest_id=contest_id, jobs=[job("1", pair)])
        with refused(UnknownContest), rpc_errors():
            next(jobs.FollowContest(contest_id=contest_id))
    arena.admin.cancel(name)


@pytest.mark.long
def test_a_job_that_no_worker_can_play_is_told_and_goes_on(start, pair, arena, monkeypatch):
    from services.tournament.play import lease

    monkeypatch.setattr(lease, "PAUSE", 0.05)
    with start(attempts=3) as own:
        jobs = Calls(own.address, WORKER, pb, job_pb2_grpc.JobServiceStub)
        pair = [own.version(bot).id for bot in own.field("first", "random")]
        contest = jobs.OpenContest(request_id="one", terms=TERMS).contest
        follower = Follower(jobs, contest.id)
        jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair, sets=1)])
        for _ in range(3):
            order = until(own.worker.claim)
            own.worker.RenewLease(
                block_id=order.block_id, fence=order.fence, give_back=True, words="nothing starts"
            )
        until(lambda: ("1", pb.JOB_STATE_PAUSED) in follower.changed())
        told = next(part.job for part in follower.parts if part.job.state == pb.JOB_STATE_PAUSED)
        assert "tried 3 times without a result (nothing starts)" in told.words
        late = Follower(jobs, contest.id)
        until(lambda: late.changed() == [("1", pb.JOB_STATE_PAUSED)])
        Worker(own.address, "other")
        jobs.CancelJobs(contest_id=contest.id, labels=["1"])
        jobs.CloseContest(contest_id=contest.id)
        assert follower.end().booked == 0


def test_the_sets_of_a_job_are_there_when_their_block_is_booked(arena, jobs, contest, pair):
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair)])
    asked = {"contest_id": contest.id, "label": "1"}
    assert not jobs.ListJobSets(**asked).sets
    arena.worker.report(claim(arena, contest))
    until(lambda: jobs.ListJobSets(**asked).sets)
    (shown,) = {tuple(one.set for one in jobs.ListJobSets(**asked).sets)}
    assert shown in {(0, 1), (2, 3)}
    found = jobs.GetJobSet(**asked, set=shown[1]).set
    assert (found.number, len(found.deals)) == (shown[1], 2)
    missing = ({0, 1, 2, 3} - set(shown)).pop()
    with refused(UnknownSet, f"Job 1 has no deal set {missing} now"):
        jobs.GetJobSet(**asked, set=missing)
    with refused(UnknownMatch, "has no job '9'"):
        jobs.ListJobSets(contest_id=contest.id, label="9")
    with refused(UnknownContest):
        jobs.GetJobSet(contest_id="contest_none", label="1", set=0)
