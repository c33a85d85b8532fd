"""The long tests run part by part, all of them, and a table says what became of each."""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from bench.support.checkout import ROOT
from bench.support.patience import patient
from tests import parts
from tests.support.polling import is_alive, until

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
ENDLESS = """
import os, pathlib, pytest, subprocess, sys
DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); print(1, flush=True); signal.pause()"

@pytest.mark.long
def test_endless():
    child = subprocess.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE)
    child.stdout.readline()
    pathlib.Path("new").write_text(f"{os.getpid()} {child.pid}")
    pathlib.Path("new").rename("processes")
    child.wait()
"""
ONE_PART = """
import sys
from pathlib import Path
from tests import parts
parts.TESTS, parts.PARTS, parts.PROCESSES = Path("tests").resolve(), {"a": ("test_a",)}, {"a": 0}
sys.exit(parts.main([]))
"""
TOLD = f"""#!{sys.executable}
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGTERM}})
print("runs", flush=True)
print("told:", signal.sigwait({{signal.SIGTERM}}).name)
"""
TESTS = "tests/"  # beside them: no name of a file that is not there
HEAD = ["part", "seconds", "CPU", "passed", "failed", "skipped"]


@pytest.fixture
def write_tests(tmp_path, monkeypatch):
    """Return a function that writes test files, by their texts, into a project in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    Path("pytest.ini").write_text("[pytest]\naddopts = -p xdist -p pytest_timeout\nmarkers =\n  long: long\n")
    Path("tests").mkdir()

    def write(texts):
        for name, text in texts.items():
            Path("tests", f"test_{name}.py").write_text(text)

    return write


@pytest.fixture
def run(write_tests, tmp_path, monkeypatch, capfd):
    """Return a function that runs parts of one file each, and gives status and last lines as words."""
    monkeypatch.setattr(parts, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(parts, "PROCESSES", dict.fromkeys("abc", 0))

    def run_parts(texts, *chosen):
        write_tests(texts)
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


@pytest.mark.long
def test_ctrl_c_ends_all_that_a_part_has_started_and_names_the_part(write_tests):
    """The signal reaches `tests.parts` alone, and a process that the test started ignores it."""
    write_tests({"a": ENDLESS})
    running = subprocess.Popen(
        [sys.executable, "-c", ONE_PART],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    started = until("the test runs", lambda: Path("processes").exists() and Path("processes").read_text())
    pids = list(map(int, started.split()))
    try:
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=patient(30))
        until("nothing is left", lambda: not any(map(is_alive, pids)))
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert running.returncode == 1
    assert "Interrupted; not run to its end: a." in said
    assert "KeyboardInterrupt" in said  # pytest's own last lines


def test_make_passes_sigterm_on(tmp_path):
    python = tmp_path / "python"
    python.write_text(TOLD)
    python.chmod(0o755)
    running = subprocess.Popen(
        ["make", "--silent", "test-long", "PYTHON=true", f"BIN={tmp_path}"],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, process_group=0,
    )  # fmt: skip
    try:
        assert running.stdout.readline() == "runs\n"
        running.terminate()
        said, _ = running.communicate(timeout=patient(10))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
    assert said == "told: SIGTERM\n"


def test_a_part_that_is_not_there_is_refused(capsys):
    with pytest.raises(SystemExit):
        parts.main(["atack"])
    assert re.search(r"error: there is no part atack; there are arena, attack, ", capsys.readouterr().err)
