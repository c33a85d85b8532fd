"""The chain of a contest of jobs across releases: what an earlier one left out, and what it began."""

import json

import pytest

from maumau.contest.export.verify import verify
from maumau.contest.terms import build_terms
from maumau.v1 import job_pb2 as pb
from maumau.v1 import job_pb2_grpc
from services.tournament.models import Contest
from services.tournament.store.contests import job as store
from tests.support.arenas.calls import Calls
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import until
from tests.tournament.test_job import TERMS, job
from tests.tournament.test_job_export import read

DATABASES = ["sqlite"]  # nothing here depends on the kind


@pytest.fixture
def jobs(arena):
    return Calls(arena.address, WORKER, pb, job_pb2_grpc.JobServiceStub)


def play(arena, jobs, contest, *labels):
    """Ask for these jobs of one block each, and play them with all else that waits here."""
    ids = [arena.version(bot).id for bot in arena.field("first", "random")]
    wanted = [job(label, ids, sets=1) for label in labels]
    jobs.CreateJobs(contest_id=contest.id, jobs=wanted)
    left = len(labels)
    while left:
        order = until(arena.worker.claim)
        left -= order.contest_id == contest.id
        arena.worker.report(order)


def end(jobs, contest, path):
    """Close the contest, wait for its end and write its export: the contest and the bytes."""
    jobs.CloseContest(contest_id=contest.id)
    until(lambda: jobs.GetContest(contest_id=contest.id).contest.secret)
    path.write_bytes(whole := read(jobs, contest_id=contest.id)[1])
    return jobs.GetContest(contest_id=contest.id).contest, whole


def test_what_an_earlier_release_left_out_is_linked_before_the_end(arena, jobs, tmp_path, monkeypatch):
    contest = jobs.OpenContest(request_id="mixed", terms=TERMS).contest
    monkeypatch.setattr(store, "link_jobs", lambda *_: None)
    play(arena, jobs, contest, "1")
    monkeypatch.undo()
    play(arena, jobs, contest, "2")
    over, _ = end(jobs, contest, tmp_path / "mixed.jsonl")
    report = verify(tmp_path / "mixed.jsonl", seen=[over.chain, over.compared])
    assert report.differences == ()
    assert report.ok
    assert report.links == 2 + 2 + 2 + 1


def test_a_contest_that_an_earlier_release_ended_is_sealed_with_its_export(
    arena, jobs, tmp_path, monkeypatch
):
    contest = jobs.OpenContest(request_id="ended", terms=TERMS).contest
    play(arena, jobs, contest, "1")
    monkeypatch.setattr(store, "link_end", lambda *_: None)
    jobs.CloseContest(contest_id=contest.id)
    until(lambda: jobs.GetContest(contest_id=contest.id).contest.secret)
    assert jobs.GetContest(contest_id=contest.id).contest.compared == ""
    monkeypatch.undo()
    over, _ = end(jobs, contest, tmp_path / "ended.jsonl")
    assert over.compared
    assert verify(tmp_path / "ended.jsonl", seen=[over.chain, over.compared]).ok


def test_a_contest_that_began_with_version_3_ends_with_it(arena, jobs, tmp_path):
    """Its request still finds it, although the root of the same terms is another one now."""
    contest = jobs.OpenContest(request_id="old", terms=TERMS).contest
    with arena.database.write() as session:
        row = session.get_one(Contest, contest.id)
        row.version = 3
        terms = {
            "purpose": row.purpose, "author": row.author, "rules": row.rules,
            "options": json.loads(row.options), "score": row.score,
            "bot": {"deal_ms": row.deal_ms, "memory": row.memory},
        }  # fmt: skip
        row.root = build_terms(terms).hash_root(3)
    assert jobs.OpenContest(request_id="old", terms=TERMS).contest.id == contest.id
    play(arena, jobs, contest, "1", "2")
    over, whole = end(jobs, contest, tmp_path / "old.jsonl")
    assert (over.booked, over.links, over.compared) == (2, 2, "")
    assert whole.startswith(b'{"kind":"terms","version":3,')
    assert verify(tmp_path / "old.jsonl", seen=[over.chain]).ok
