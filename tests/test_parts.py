"""The long tests run part by part, all of them, and a table says what became of each."""

import re

import pytest
import yaml

from tests import parts

RED = """
import pytest

@pytest.mark.long
@pytest.mark.parametrize("works", [True, False])
def test_it(works):
    assert works

@pytest.mark.long
def test_skipped():
    pytest.skip("not here")

def test_quick():
    assert False
"""
GREEN = "import pytest\n@pytest.mark.long\ndef test_long(): pass"
KILLED = "import os, pytest\n@pytest.mark.long\ndef test_killed(): os.kill(os.getpid(), 9)"
TESTS = "tests/"  # beside them: no name of a file that is not there
HEAD = ["part", "seconds", "CPU", "passed", "failed", "skipped"]


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Return a function that runs parts of one file each, and gives status and last lines as words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(parts, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(parts, "PROCESSES", dict.fromkeys("abc", 0))
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = -p xdist -p pytest_timeout\nmarkers =\n  long: long\n"
    )
    (tmp_path / "tests").mkdir()

    def run_parts(texts, *chosen):
        for name, text in texts.items():
            (tmp_path / "tests" / f"test_{name}.py").write_text(text)
        monkeypatch.setattr(parts, "PARTS", {name: (f"test_{name}",) for name in texts})
        status = parts.main(list(chosen))
        table = capfd.readouterr().out.rpartition("\npart ")[2].splitlines()
        return status, [line.split() for line in ["part " + table[0], *table[1:]]]

    return run_parts


def test_every_test_is_in_one_part():
    files = [file for part in parts.PARTS for file in parts.list_files(part)]
    assert sorted(files) == sorted(parts.TESTS.rglob("test_*.py"))


def test_the_workflow_of_the_night_has_a_job_for_each_part():
    workflow = yaml.safe_load((parts.TESTS.parent / ".github/workflows/night.yml").read_text())
    job = workflow["jobs"]["long"]
    assert job["strategy"]["matrix"] == {"part": list(parts.PARTS)}
    assert job["steps"][-1]["run"] == 'make test-long PART="$PART"'


@pytest.mark.long
def test_a_red_part_stops_none_behind_it(run):
    status, table = run({"a": RED, "b": GREEN})
    assert status == 1
    assert [[row[0], *row[3:]] for row in table[1:4]] == [
        ["a", "1", "1", "1"],
        ["b", "1", "0", "0"],
        ["all", "2", "1", "1"],
    ]
    assert table[0] == HEAD
    assert table[4:] == [["FAILED", f"{TESTS}test_a.py::test_it[False]"]]


@pytest.mark.long
def test_a_part_that_is_named_runs_alone(run):
    status, table = run({"a": RED, "b": GREEN}, "b")
    assert (status, [row[0] for row in table]) == (0, ["part", "b"])


@pytest.mark.long
def test_what_cannot_be_collected_is_red(run):
    status, table = run({"a": "import nowhere", "b": GREEN})
    assert status == 1
    assert " ".join(table[1][3:]) == "0 1 0 did not come to its end: status 2"
    assert table[-1] == ["FAILED", "tests.test_a"]


@pytest.mark.long
def test_a_part_that_is_killed_is_red(run):
    status, table = run({"a": KILLED, "b": GREEN})
    assert status == 1
    assert " ".join(table[1][3:]) == "0 0 0 did not come to its end: status -9"
    assert table[2][3:] == ["1", "0", "0"]


def test_a_part_that_is_not_there_is_refused(capsys):
    with pytest.raises(SystemExit):
        parts.main(["atack"])
    assert re.search(r"error: there is no part atack; there are arena, attack, ", capsys.readouterr().err)
