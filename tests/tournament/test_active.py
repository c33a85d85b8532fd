"""A ladder's job begins only with the versions that its bots play with."""

import asyncio
import threading
import uuid

import grpc
import pytest

from bench.support.patience import patient
from maumau.errors import ArenaUnreachable
from maumau.v1 import job_pb2 as pb
from maumau.v1 import job_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from services.shared.rpc.registry import Versions
from services.tournament.play import active
from tests.support.arenas.calls import Calls
from tests.support.arenas.tournament import WORKER, Worker, make_program
from tests.support.waiting import until
from tests.tournament.test_job import TERMS, Follower, claim, job


@pytest.fixture
def jobs(arena):
    return Calls(arena.address, WORKER, pb, job_pb2_grpc.JobServiceStub)


@pytest.fixture
def open_contest(jobs):
    """Return a function that opens a contest with such terms, which ends after the test."""
    opened = []

    def open_contest(**terms):
        opened.append(jobs.OpenContest(request_id=uuid.uuid4().hex, terms=TERMS | terms).contest)
        return opened[-1]

    yield open_contest
    for one in opened:
        jobs.CancelJobs(contest_id=one.id, labels=["1", "2", "3"])
        jobs.CloseContest(contest_id=one.id)


@pytest.fixture
def bot(arena):
    return arena.bot("first")


def pair_of(arena, bot):
    """Return the active versions of this bot and of another one."""
    return [arena.version(bot).id, arena.version(arena.field("random")[0]).id]


def replace(arena, bot):
    """Have another version of a bot active; the answer has come."""
    version = arena.admin.submit(bot, make_program("random")).version
    arena.pass_validation(version.id, ["mau_mau"])
    arena.admin.activate(version.id)


def test_a_job_of_a_replaced_version_ends_when_a_worker_would_get_it(arena, jobs, open_contest, bot):
    contest, others = open_contest(), pair_of(arena, arena.field("first")[0])
    wanted = [job("1", pair_of(arena, bot)), job("2", others, sets=1), job("3", pair_of(arena, bot))]
    jobs.CreateJobs(contest_id=contest.id, jobs=wanted)
    follower = Follower(jobs, contest.id)
    replace(arena, bot)
    order = claim(arena, contest)
    assert order.label == "2"
    arena.worker.report(order)
    assert claim(arena, contest) is None
    jobs.CloseContest(contest_id=contest.id)
    assert follower.end().booked == 1
    said = {part.job.label: part.job.words for part in follower.parts if part.HasField("job")}
    gone = f"Taken back before it began: this version of {bot} is not active any more."
    assert said == {"1": gone, "2": "", "3": gone}


def test_whoever_follows_only_later_hears_of_it_too(arena, jobs, open_contest, bot):
    """As a service that was away; it would count the job as one that waits for ever."""
    contest, others = open_contest(), pair_of(arena, arena.field("first")[0])
    wanted = [job("1", pair_of(arena, bot)), job("2", others, sets=1)]
    jobs.CreateJobs(contest_id=contest.id, jobs=wanted)
    replace(arena, bot)
    order = claim(arena, contest)
    assert order.label == "2"
    follower = Follower(jobs, contest.id)
    arena.worker.report(order)
    jobs.CloseContest(contest_id=contest.id)
    assert follower.end().booked == 1
    assert ("1", pb.JOB_STATE_OVER) in follower.changed()


def test_a_begun_job_of_a_replaced_version_is_played_to_its_end(arena, jobs, open_contest, bot):
    """Also if the worker of its first block has given that back."""
    contest = open_contest()
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair_of(arena, bot))])
    order = claim(arena, contest)
    replace(arena, bot)
    arena.worker.RenewLease(block_id=order.block_id, fence=order.fence, give_back=True)
    for _ in range(2):
        arena.worker.report(claim(arena, contest))
    until(lambda: jobs.GetContest(contest_id=contest.id).contest.booked == 2)


def test_two_workers_that_claim_at_once_get_one_job_each_of_active_versions(arena, jobs, open_contest, bot):
    contest, others = open_contest(), pair_of(arena, arena.field("first")[0])
    wanted = [job("1", pair_of(arena, bot)), job("2", others, sets=1), job("3", others, sets=1)]
    jobs.CreateJobs(contest_id=contest.id, jobs=wanted)
    replace(arena, bot)
    assert {one.claim().label for one in (arena.worker, Worker(arena.address, "another"))} == {"2", "3"}


def test_practice_is_played_by_the_versions_that_it_names(arena, jobs, open_contest, bot):
    contest = open_contest(purpose="PURPOSE_PRACTICE")
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair_of(arena, bot))])
    replace(arena, bot)
    assert claim(arena, contest).label == "1"


def test_a_job_of_a_replaced_version_ends_though_the_worker_that_claimed_it_has_gone(
    arena, jobs, open_contest, bot, monkeypatch
):
    """While the registry was asked."""
    asked, list_inactive = threading.Event(), Versions.list_inactive

    async def answer_late(self, version_ids):
        asked.set()
        await asyncio.sleep(0.2)
        return await list_inactive(self, version_ids)

    contest = open_contest()
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair_of(arena, bot))])
    follower = Follower(jobs, contest.id)
    replace(arena, bot)
    monkeypatch.setattr(Versions, "list_inactive", answer_late)
    with grpc.insecure_channel(arena.address) as channel:
        token = ("authorization", f"Bearer {WORKER}")
        claim_next = tournament_pb2_grpc.TournamentServiceStub(channel).ClaimNext
        call = claim_next.future(tournament_pb2.ClaimNextRequest(worker="gone"), metadata=[token])
        assert asked.wait(patient(10))
        call.cancel()
    jobs.CloseContest(contest_id=contest.id)
    assert follower.end().booked == 0
    said = {part.job.label: part.job.words for part in follower.parts if part.HasField("job")}
    assert said == {"1": active.describe_inactive(bot)}


def silence(self, version_ids):
    raise ArenaUnreachable


async def hang(self, version_ids):
    await asyncio.Event().wait()


@pytest.mark.parametrize("ask", [silence, hang])
def test_a_registry_that_does_not_answer_holds_no_job_up(arena, jobs, open_contest, bot, monkeypatch, ask):
    monkeypatch.setattr(active, "REGISTRY_PATIENCE", 0.05)
    monkeypatch.setattr(Versions, "list_inactive", ask)
    contest = open_contest()
    jobs.CreateJobs(contest_id=contest.id, jobs=[job("1", pair_of(arena, bot))])
    replace(arena, bot)
    assert claim(arena, contest).label == "1"
