"""Protests invented or changed afterwards, in exports whose sums, hashes and links are recomputed."""

import msgspec
import pytest

from maumau.contest.export import write as export
from maumau.contest.export.chain import Booking, Chain, Disqualification, Retaking, link_events
from maumau.contest.export.protest import ProtestValues, digest_text, list_events, protest_line
from maumau.contest.export.verify import verify
from maumau.contest.export.write import JobPlayed
from tests.contest.conftest import MEASURED, SECRET, SMALL, entrants
from tests.contest.test_job_forgery import TERMS, Ladder

OPEN = ProtestValues(1, "ada", "the host was down", 1_000, "open", "", "", 0)
ANSWERED = msgspec.structs.replace(
    OPEN, state="rejected", answer="it was up", answered_by="admin", answered_at=2_000
)


def replace(values, **changed):
    return msgspec.structs.replace(values, **changed)


@pytest.fixture(scope="module")
def honest(hold):
    return hold(SMALL, 3)


def list_played(honest):
    return list(honest.arena.chain(honest.results).events)


def add_events(honest, values):
    """Return the events of the contest with those of a protest before the end."""
    *played, end = list_played(honest)
    return [*played, *list_events(1, values), end]


def verify_protest(honest, path, events, values, seen=()):
    arena, measured = honest.arena, [*MEASURED, protest_line(1, values)]
    given = (arena.spec, SECRET, arena.entrants, honest.results, arena.sets, measured)
    export.write_export(path, *given, Chain(events, arena.version))
    return verify(path, seen=seen)


def fields(report):
    return {one.field for one in report.differences}


def test_the_digest_of_a_protest_is_that_of_three_lines():
    """By hand: printf 'ada\\n1000\\nthe host was down' | sha256sum."""
    said = "e6878715a1ad173a0b468b814121034b6216105b61c43259973d7ab865f10a6b"
    assert digest_text("ada", 1_000, "the host was down") == said


@pytest.mark.parametrize("values", [OPEN, ANSWERED, replace(ANSWERED, answered_at=1_000)])
def test_a_true_protest_agrees(honest, tmp_path, values):
    report = verify_protest(honest, tmp_path / "cup.jsonl", add_events(honest, values), values)
    assert report.ok, report.differences
    assert [one.state for one in report.protests] == [values.state]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"answer": "the jury agrees"}, "values.answer"),
        ({"answered_by": "admin"}, "values.answer"),
        ({"answered_at": 2_000}, "values.answer"),
        ({"answer": "the jury agrees", "answered_by": "admin", "answered_at": 2_000}, "values.answer"),
        ({"filed_at": 0}, "values.filed_at"),
    ],
)
def test_an_answer_is_invented_to_an_open_protest(honest, tmp_path, changed, field):
    events = add_events(honest, OPEN)
    last = [link for _, link in link_events(honest.arena.root, events)][-1]
    forged = replace(OPEN, **changed)
    report = verify_protest(honest, tmp_path / "cup.jsonl", events, forged, seen=(last,))
    assert (report.missed, field in fields(report)) == ((), True)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"answer": ""}, "values.answer"),
        ({"answered_by": ""}, "values.answer"),
        ({"answered_at": 0}, "values.answer"),
        ({"answered_at": 999}, "values.answered_at"),
        ({"filed_at": -1}, "values.filed_at"),
    ],
)
def test_an_answered_protest_lacks_what_an_answer_has_although_its_chain_is_made_anew(
    honest, tmp_path, changed, field
):
    forged = replace(ANSWERED, **changed)
    report = verify_protest(honest, tmp_path / "cup.jsonl", add_events(honest, forged), forged)
    assert fields(report) == {field} | ({"values.answered_at"} if changed.get("answered_at") == 0 else set())


@pytest.mark.sample(4)
@pytest.mark.parametrize("key", ["account", "filed_at", "text", "answered_by", "answered_at", "answer"])
def test_every_value_of_a_protest_is_bound_by_its_links(honest, tmp_path, key):
    before = getattr(ANSWERED, key)
    forged = replace(ANSWERED, **{key: before + 1 if isinstance(before, int) else f"{before}x"})
    report = verify_protest(honest, tmp_path / "cup.jsonl", add_events(honest, ANSWERED), forged)
    assert fields(report) == {"protest"}


def test_a_protest_comes_after_all_blocks_of_the_result(honest, tmp_path):
    """The chain is made anew: only the order speaks against it."""
    played = list_played(honest)
    last_block = max(at for at, event in enumerate(played) if isinstance(event, Booking))
    for at in (0, 1, last_block):
        events = [*played[:at], *list_events(1, ANSWERED), *played[at:]]
        report = verify_protest(honest, tmp_path / "cup.jsonl", events, ANSWERED)
        assert fields(report) == {"values.event"}, at


@pytest.mark.parametrize("undone", [Retaking("1.1.1", 1), Disqualification(1, "0" * 64)])
def test_what_is_undone_after_a_protest_is_played_again_after_it(honest, tmp_path, undone):
    """Whatever else is wrong with such a chain, the protest comes at a time at which it can."""
    *played, end = list_played(honest)
    at = next(at for at, event in enumerate(played) if isinstance(event, Booking) and event.block)
    events = [*played[:at], *list_events(1, ANSWERED), undone, *played[at:], end]
    report = verify_protest(honest, tmp_path / "cup.jsonl", events, ANSWERED)
    assert "a protest after the blocks before the result" not in {one.found for one in report.differences}


@pytest.mark.sample
@pytest.mark.parametrize("values", [OPEN, ANSWERED])
def test_a_protest_is_invented_where_there_can_be_none(hold, tmp_path, values):
    old = hold(SMALL, 3, version=3)
    played = list(old.arena.chain(old.results).events)
    last = [link for _, link in link_events(old.arena.root, played)][-1]
    report = verify_protest(old, tmp_path / "cup.jsonl", played, values, seen=(last,))
    assert (report.missed, fields(report)) == ((), {"of"})


@pytest.mark.parametrize("version", [3, 4])
def test_a_protest_is_invented_in_a_contest_of_jobs(tmp_path, version):
    ladder, path = Ladder(entrants(3), version=version), tmp_path / "ladder.jsonl"
    jobs = [JobPlayed(*job, [(0, ladder.played[job.label])]) for job in ladder.jobs]
    given = (TERMS, SECRET, ladder.players, jobs, Chain(ladder.events(), version))
    export.write_jobs(path, *given, [protest_line(1, ANSWERED)])
    report = verify(path, seen=ladder.told()[-2:])
    assert (report.missed, fields(report)) == ((), {"of"})
