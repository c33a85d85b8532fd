"""A test run says what its tests cost, and which of them are too dear for the budget."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cpu_report import PROPERTY, CpuReport

ROOT = Path(__file__).parents[1]
TESTS = "tests/"  # beside them: no name of a file that is not there
PLUGIN = """
from tests.support import cpu_report

def pytest_addoption(parser):
    parser.addini(cpu_report.BUDGET, "")

def pytest_configure(config):
    config.pluginmanager.register(cpu_report.CpuReport(float(config.getini(cpu_report.BUDGET))))
"""
BUSY = """
import subprocess, sys, time
import pytest

BURN = "import time\\nwhile time.process_time() < {}: pass"

@pytest.fixture(scope="session", autouse=True)
def shared():
    yield
    subprocess.run([sys.executable, "-c", BURN.format(4)])

def test_idle():
    time.sleep(0.1)

def test_busy():
    end = time.process_time() + 0.5
    while time.process_time() < end: pass

@pytest.mark.parametrize("seconds", [1])
def test_child(seconds):
    subprocess.run([sys.executable, "-c", BURN.format(seconds)])

def test_last():
    pass
"""
ROW = re.compile(r"^ +([\d.]+) +(?:\d+ +)?(.+)$", re.MULTILINE)


def write_table(costs, budget, *, whole=True):
    """Return the lines about tests with these costs in seconds."""
    report = CpuReport(budget)
    for test, seconds in costs.items():
        report.pytest_runtest_logreport(
            pytest.TestReport(
                test, ("", 0, ""), {}, "passed", None, "teardown", user_properties=[(PROPERTY, seconds)]
            )
        )
    return list(report.write_lines(whole=whole))


@pytest.mark.long
@pytest.mark.parametrize("processes", [0, 2])
def test_seconds_stand_at_the_test_that_used_them(tmp_path, processes):
    (tmp_path / "pytest.ini").write_text("[pytest]\ncpu_budget = 1000\ntestpaths = tests\n")
    (tmp_path / "conftest.py").write_text(PLUGIN)
    for folder in ("a", "b"):
        path = tmp_path / "tests" / folder / f"test_{folder}.py"
        path.parent.mkdir(parents=True)
        path.write_text(BUSY if folder == "a" else "def test_free(): pass")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", str(processes), "--dist", "loadfile"],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
    seconds = {name: float(used) for used, name in ROW.findall(run.stdout)}
    file = f"{TESTS}a/test_a.py"
    # half a second, one, and four, at whatever pace: what Python's start adds is far below that
    assert 0.3 < seconds[f"{file}::test_busy"] / seconds[f"{file}::test_child[1]"] < 0.7
    beside = seconds["beside them: imports, collection, what outlived its test"]
    assert 3 < beside / seconds[f"{file}::test_child[1]"] < 9  # four seconds, and the starts of all processes
    assert seconds[f"{file}::test_last"] < 0.1
    assert seconds[f"{file}::test_idle"] < 0.1
    assert abs(seconds["a"] + seconds["b"] - seconds["all tests"]) <= 0.2
    assert "budget" not in run.stdout  # it is for `-m "not long"`


def test_a_table_sums_by_folder_and_ends_with_what_is_left():
    costs = {f"{TESTS}game/test_a.py::test_x": 2.0, f"{TESTS}web/test_b.py::test_y[1]": 3.0}
    costs |= {f"{TESTS}web/test_b.py::test_y[2]": 4.5, f"{TESTS}test_c.py::test_z": 0.5}
    assert write_table(costs, 20.0) == [
        "     7.5      2  web",
        "     2.0      1  game",
        "     0.5      1  test_c.py",
        "    10.0      4  all tests",
        "     0.0         beside them: imports, collection, what outlived its test",
        "The 4 dearest tests:",
        f"     4.5  {TESTS}web/test_b.py::test_y[2]",
        f"     3.0  {TESTS}web/test_b.py::test_y[1]",
        f"     2.0  {TESTS}game/test_a.py::test_x",
        f"     0.5  {TESTS}test_c.py::test_z",
        "budget: 10 of 20 s left",
    ]


def test_over_the_budget_it_names_the_dearest_tests_that_are_to_go():
    costs = {f"{TESTS}game/test_a.py::test_{n}": 5.0 - n for n in range(5)}  # 15 s in all
    assert write_table(costs, 8.0)[-3:] == [
        "BUDGET: 7 s over 8 s; make cheaper, or long (pytest.mark.long):",
        f"     5.0  {TESTS}game/test_a.py::test_0",
        f"     4.0  {TESTS}game/test_a.py::test_1",
    ]


def test_a_part_of_the_tests_has_no_budget():
    assert write_table({f"{TESTS}game/test_a.py::test_x": 9.0}, 1.0, whole=False)[-1].endswith("::test_x")
