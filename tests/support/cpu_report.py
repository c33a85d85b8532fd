"""CPU time of a test run: a table by folder, the dearest tests, and what is left of the budget.

Seconds are reference seconds: CPU time of the test's process and of every child it has waited for, multiplied
by the pace of the core. A child that outlives its test counts for the test that ends it. What ends with the
last test of a process, servers that all tests shared, counts for none.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from maumau.referee.pace import REFERENCE
from maumau.referee.probe import run_probe

PROBES = 5
PROBE_SECONDS = 10.0  # wall time that a measured pace is good for
DEAREST = 20
BUDGET = "cpu_budget"
PROPERTY = "cpu"


def use_time() -> float:
    """Return the CPU seconds of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class CpuReport:
    """A pytest plugin that measures in each process of a run and reports in the one that prints."""

    def __init__(self, budget: float) -> None:
        self._budget = budget
        self._tests = Counter[str]()
        self._rest = 0.0  # between tests, and before and after all of them
        self._counted = 0.0  # CPU seconds that stand somewhere already
        self._pace, self._measured = 1.0, float("-inf")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        self._rest += self._take_time()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        if nextitem is None:
            item.user_properties.append((PROPERTY, self._take_time()))
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
        if call.when == "teardown" and PROPERTY not in dict(item.user_properties):
            item.user_properties.append((PROPERTY, self._take_time()))
        return (yield)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[PROPERTY] = self._rest + self._take_time()
        elif not session.config.getoption("numprocesses", None):  # else its children are those that run tests
            self._rest += self._take_time()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        self._rest += getattr(node, "workeroutput", {}).get(PROPERTY, 0.0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == PROPERTY and report.when == "teardown":
                self._tests[report.nodeid] += value

    def pytest_terminal_summary(self, terminalreporter, config: pytest.Config) -> None:
        if not self._tests:
            return
        terminalreporter.section("CPU time in reference seconds")
        for line in self.write_lines(whole=_is_whole(config)):
            terminalreporter.write_line(line)

    def _take_time(self) -> float:
        """Return the reference seconds since the last call."""
        taken = self._pace * (use_time() - self._counted)
        if time.monotonic() - self._measured > PROBE_SECONDS:
            run_probe()
            self._pace = REFERENCE / statistics.median(run_probe() for _ in range(PROBES))
            self._measured = time.monotonic()
        self._counted = use_time()  # without the probes
        return taken

    def write_lines(self, *, whole: bool) -> Iterator[str]:
        folders, counts = Counter[str](), Counter[str]()
        for test, seconds in self._tests.items():
            folder = test.removeprefix("tests/").split("/")[0].split("::")[0]
            folders[folder] += seconds
            counts[folder] += 1
        for folder, seconds in folders.most_common():
            yield f"{seconds:8.1f}  {counts[folder]:5}  {folder}"
        yield f"{folders.total():8.1f}  {counts.total():5}  all tests"
        yield f"{self._rest:8.1f}         beside them: imports, collection, what outlived its test"
        yield f"The {min(DEAREST, len(self._tests))} dearest tests:"
        for test, seconds in self._tests.most_common(DEAREST):
            yield f"{seconds:8.1f}  {test}"
        if whole:
            yield from self._compare_with_budget()

    def _compare_with_budget(self) -> Iterator[str]:
        left = self._budget - self._tests.total()
        if left >= 0:
            yield f"budget: {left:.0f} of {self._budget:.0f} s left"
            return
        yield f"BUDGET: {-left:.0f} s over {self._budget:.0f} s; make cheaper, or long (pytest.mark.long):"
        for test, seconds in self._tests.most_common(DEAREST):
            yield f"{seconds:8.1f}  {test}"
            left += seconds
            if left >= 0:
                return


def _is_whole(config: pytest.Config) -> bool:
    """Return True if the budget is for the tests that this run was asked for."""
    options = config.option
    return options.markexpr == "not long" and not options.lf and config.args == config.getini("testpaths")
