"""The export of a contest of jobs: whoever has it checks it like a tournament's."""

import json

import pytest

from maumau.client.call import rpc_errors
from maumau.contest.export import line
from maumau.contest.export.verify import verify
from maumau.contest.export.write import Digest
from maumau.errors import NotOver
from maumau.v1 import job_pb2 as pb
from maumau.v1 import job_pb2_grpc
from tests.support.arenas.calls import Calls, refused
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import until
from tests.tournament.test_job import TERMS, job

DATABASES = ["sqlite"]  # nothing here depends on the kind


def read(jobs, **request):
    """Return the first message, and the bytes."""
    with rpc_errors():
        first, *parts = jobs.ExportContest(**request)
    return first, b"".join(part.chunk for part in parts)


@pytest.fixture(scope="module")
def told(start, tmp_path_factory):
    """Return a contest at three seats, at its end, and its file; its second job was cancelled half-way."""
    with start() as own:
        jobs = Calls(own.address, WORKER, pb, job_pb2_grpc.JobServiceStub)
        bots = own.built("first")[0], *own.field("crash", "random", "random")
        ids = [own.version(bot).id for bot in bots]
        terms = TERMS | {"seats": 3, "score": "SCORE_PLACES"}
        contest = jobs.OpenContest(request_id="three", terms=terms).contest
        for wanted, blocks in ((job("1", ids[:3], sets=3), 2), (job("2", ids[:0:-1]), 1)):
            jobs.CreateJobs(contest_id=contest.id, jobs=[wanted])
            for _ in range(blocks):
                own.worker.report(until(own.worker.claim))
        jobs.CancelJobs(contest_id=contest.id, labels=["2"])
        jobs.CloseContest(contest_id=contest.id)
        with refused(NotOver, "is not over"):
            until(lambda: jobs.GetContest(contest_id=contest.id).contest.booked == 3)
            unfinished = jobs.OpenContest(request_id="unfinished", terms=TERMS).contest
            read(jobs, contest_id=unfinished.id)
        until(lambda: jobs.GetContest(contest_id=contest.id).contest.secret)
        over = jobs.GetContest(contest_id=contest.id).contest
        first, whole = read(jobs, contest_id=contest.id)
        assert first.size == len(whole)
        assert read(jobs, contest_id=contest.id, offset=900, sha256=first.sha256)[1] == whole[900:]
        path = tmp_path_factory.mktemp("export") / "epoch.export.jsonl"
        path.write_bytes(whole)
        return over, path


@pytest.fixture
def forge(told, tmp_path):
    """Writes the export anew with changed lines, every sum and hash right: only the meaning is wrong."""

    def forge(change):
        lines = [json.loads(text[: -line.TAIL] + "}") for text in told[1].read_text().splitlines()][:-1]
        lines = change(lines) or lines
        path = tmp_path / "forged.export.jsonl"
        path.write_bytes(b"".join(sealed(lines)))
        return verify(path)

    return forge


def sealed(lines):
    digest = Digest()
    for one in lines:
        body = json.dumps(one, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
        data = body + b',"sum":"' + line.check_sum(body) + b'"}\n'
        digest.add_line(one["kind"], data)
        yield data
    yield line.encode_line(digest.build_end())


def edit(kind, nth=0, **fields):
    def change(lines):
        [one for one in lines if one["kind"] == kind][nth].update(fields)

    return change


def move_a_point(lines):
    """Move a point between the first and the highest score: the sum remains."""
    scores = next(one for one in lines if one["kind"] == "record")["scores"]
    most = scores.index(max(scores))
    scores[most] -= 1
    scores[0 if most else 1] += 1


def leave_out_last_part(lines):
    """Remove the last part with all its records, as a choice of results would."""
    last = max(place for place, one in enumerate(lines) if one["kind"] == "part")
    end = next(place for place in range(last + 1, len(lines)) if lines[place]["kind"] != "record")
    return lines[:last] + lines[end:]


def leave_out_record(lines):
    return [one for one in lines if one.get("set") != 1 or one["match"] != "1"]


@pytest.mark.long
def test_it_agrees_and_says_what_was_told(told):
    over, path = told
    report = verify(path, seen=[over.chain, over.compared])
    assert report.differences == ()
    assert report.ok
    assert (report.matches, report.sets, report.links) == (2, 5, 3 + 4 + 2 + 1)
    assert report.vouched == over.links == report.links
    head = json.loads(path.read_text().splitlines()[0])
    assert (head["kind"], head["root"], head["commitment"]) == ("terms", over.root, over.commitment)
    assert head["secret"] == over.secret


@pytest.mark.long
def test_what_was_built_of_an_entrant_is_named(told):
    lines = [json.loads(text) for text in told[1].read_text().splitlines()]
    built = [one for one in lines if one["kind"] == "measured" and one["of"].startswith("entry")]
    assert [(one["of"], one["values"]["built_platform"]) for one in built] == [("entry 1", "pdp-11")]


@pytest.mark.long
def test_three_programs_are_named_by_seat_and_scored_each(told):
    lines = [json.loads(text) for text in told[1].read_text().splitlines()]
    assert [one["entrants"] for one in lines if one["kind"] == "job"] == [[1, 2, 3], [4, 3, 2]]
    record = next(one for one in lines if one["kind"] == "record")
    assert record["seats"] == [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
    assert sum(record["scores"]) == 18


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (edit("terms", secret="another-secret-of-mine"), "commitment"),
        (edit("terms", root="0" * 64), "root"),
        (edit("terms", terms={}), "terms"),
        (edit("entry", 1, number=3), "number"),
        (edit("job", entrants=[1, 2, 9]), "entrants"),
        (edit("job", entrants=[1, 2]), "entrants"),
        (edit("job", entrants=[2, 1, 3]), "seats[0][0]"),
        (edit("job", 1, label="1"), "label"),
        (edit("job", sets=1), "first_set"),
        (edit("part", digest="0" * 64), "digest"),
        (edit("part", 1, first_set=0), "first_set"),
        (edit("part", job="2"), "job"),
        (move_a_point, "scores[0]"),
        (edit("record", seed="0" * 64), "seed"),
        (edit("record", points=[0, 0]), "points"),
        (leave_out_record, "kind"),
        (leave_out_last_part, "part"),
    ],
)
def test_what_is_changed_is_named(forge, change, field):
    report = forge(change)
    assert not report.ok
    assert field in {one.field for one in report.differences}
