"""The export of a tournament: written whole or not at all, the same bytes for the same play."""

import errno
import json
import random
import re
from pathlib import Path

import pytest

from maumau.contest.export import line
from maumau.contest.export import write as export
from maumau.contest.export.line import MeasuredLine
from maumau.contest.export.verify import verify
from maumau.errors import BadResult, DiskFull, NotOver
from tests.contest.conftest import SMALL
from tests.support.terminal import Terminal


def read(path):
    return [json.loads(text) for text in path.read_text().splitlines()]


def write(tournament, path, **changes):
    given = {
        "spec": tournament.spec,
        "secret": tournament.arena.secret,
        "entrants": tournament.entrants,
        "results": tournament.results,
        "records": tournament.arena.sets,
        "measured": [],
        "chain": tournament.arena.chain(tournament.results),
    } | changes
    export.write_export(path, **given)
    return path


@pytest.mark.long
def test_the_sections_follow_each_other(tournament):
    kinds = [one["kind"] for one in read(tournament.path)]
    sections = [line.SECTIONS[kind] for kind in kinds]
    order = ["spec", "entries", "matches", "tables", "measured", "end"]
    assert set(sections) == set(order)
    assert sections == sorted(sections, key=order.index)


def test_a_block_stands_before_its_records_and_a_result_after_its_blocks(tournament):
    kinds = [one["kind"] for one in read(tournament.path) if one.get("match") == "1.1.1"]
    assert kinds == ["block", *["record"] * 4, "block", *["record"] * 4, "result"]


def test_only_counted_sets_are_written(tournament):
    counted = {one.label: one.counted for one in tournament.results}
    written = [one["match"] for one in read(tournament.path) if one["kind"] == "record"]
    assert {label: written.count(label) for label in counted} == counted
    assert len(tournament.arena.sets("1.1.1")) > counted["1.1.1"]


def test_what_is_compared_has_no_time_no_name_of_a_worker_and_no_secret_of_the_spec(tournament):
    spec = read(tournament.path)[0]
    assert "entries" not in spec["spec"]
    assert "secret" not in spec["spec"]
    assert spec["secret"] == tournament.arena.secret


def test_two_runs_with_one_secret_write_the_same_bytes(tournament, tmp_path):
    results = random.Random(5).sample(tournament.results, len(tournament.results))
    measured = [MeasuredLine("tournament", {"workers": 3})]
    other = write(tournament, tmp_path / "other.jsonl", results=results, measured=measured)
    ours, theirs = read(tournament.path), read(other)
    assert [one for one in ours if one["kind"] not in {"measured", "end"}] == [
        one for one in theirs if one["kind"] not in {"measured", "end"}
    ]
    assert ours[-1]["compared"] == theirs[-1]["compared"]
    assert ours[-1]["sections"][:4] == theirs[-1]["sections"][:4]
    assert ours[-1]["sections"][4] != theirs[-1]["sections"][4]


def test_the_sum_of_a_line_is_over_the_bytes_before_it(tournament):
    for text in tournament.path.read_bytes().splitlines():
        body, tail = text[: -line.TAIL], text[-line.TAIL :]
        assert tail == b',"sum":"' + line.check_sum(body) + b'"}'


def test_an_undecided_tournament_is_not_exported(tournament, tmp_path):
    with pytest.raises(NotOver) as raised:
        write(tournament, tmp_path / "x.jsonl", results=tournament.results[:-1])
    assert str(raised.value) == "four-players is not over: match 2.2.2 is still to be played."
    assert not list(tmp_path.iterdir())


def test_a_missing_record_leaves_no_file(tournament, tmp_path):
    def records(label):
        return tournament.arena.sets(label)[: 8 - 3 * (label == "1.2.1")]

    with pytest.raises(BadResult, match=r"^Set 5 of match 1\.2\.1 is missing\.$"):
        write(tournament, tmp_path / "x.jsonl", records=records)
    assert not list(tmp_path.iterdir())


def test_a_gap_in_the_records_leaves_no_file(tournament, tmp_path):
    def records(label):
        return [one for one in tournament.arena.sets(label) if one[0].number != 2]

    with pytest.raises(BadResult, match=r"^Set 2 of match 1\.1\.1 is missing\.$"):
        write(tournament, tmp_path / "x.jsonl", records=records)


def test_records_of_another_play_leave_no_file(tournament, tmp_path):
    def records(label):
        other = "1.1.2" if label == "1.1.1" else label
        return tournament.arena.sets(other)

    with pytest.raises(BadResult, match=r"^The sets of match 1\.1\.1 do not add up to its result\.$"):
        write(tournament, tmp_path / "x.jsonl", records=records)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_the_old_file(tournament, tmp_path):
    path = write(tournament, tmp_path / "x.jsonl")
    before = path.read_bytes()

    def measured():
        yield MeasuredLine("tournament", {})
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFull, match="The disk is full"):
        write(tournament, path, measured=measured())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_export_of_version_3_has_the_bytes_that_it_had_when_contests_began_with_it(hold):
    path = Path(__file__).parent / "data" / "version_3.export.jsonl"
    assert verify(path).ok
    assert path.read_bytes() == hold(SMALL, 3, version=3).path.read_bytes()


def test_forfeits_of_an_earlier_export_count_as_they_did(tmp_path):
    """It has deals lost by a fault, some after they were over, and was written before these were refused."""
    path = Path(__file__).parent / "data" / "forfeits_1.export.jsonl"
    report = verify(path)
    assert (report.ok, report.early_forfeits) == (True, 26)
    texts = [json.loads(line).get("record", "") for line in path.read_text().splitlines()]
    deals = [deal for text in texts for deal in re.split(r"(?m)^(?=\[maumau 1\]$)", text)]
    assert sum("\nforfeit " in deal for deal in deals) == 26
    said = Terminal(tmp_path).run("verify", str(path)).out
    assert "faults in 26 deals count as they did when these were played" in said


def test_an_export_keeps_the_bytes_of_its_version(small):
    path = Path(__file__).parent / "data" / "version_4.export.jsonl"
    assert verify(path).ok
    assert path.read_bytes() == small.path.read_bytes()
