"""The long tests in parts: each runs for itself, whatever became of the one before.

`python -m tests.parts PART…` runs these parts, without a name all of them, and ends with a table: what each
part took, how many tests passed, and which did not. Its exit status is 1 if any part is red.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.cpu_report import PROPERTY

TESTS = Path(__file__).parent
PARTS = {
    "arena": ("supervisor", "cli", "backup"),
    "attack": ("attack", "doors"),
    "browser": ("web", "play", "review", "test_bench_page"),
    "contest": ("contest",),
    "containers": ("containers",),
    "disturbed": ("worker", "platform"),
    "game": ("game", "engine", "bot", "bots", "rulebook", "env"),
    "home": ("home", "test_install", "test_lowest"),
    "plans": ("platform/test_plans",),
    "project": (
        "test_arrows", "test_benchmarks", "test_citations", "test_cpu_report", "test_names", "test_orphans",
        "test_parts", "test_ranking_efficiency", "test_retry", "test_scale", "test_site",
    ),
    "soak": ("platform/test_soak",),
    "stores": ("registry", "matchmaking", "shared"),
    "tournament": ("tournament",),
}  # fmt: skip
"""Folders and files of `tests/` by part, at most ten minutes each on two quiet cores.

A file that a part names is not in the part of its folder.
"""
PROCESSES = {"containers": 0, "plans": 0, "soak": 0}
"""Test processes of a part, where three are more than keep two cores busy."""
HANG = "1800"  # seconds after which a test has hung
LAST_WORDS = 60.0  # seconds that an interrupted part has to end its tests and to say so


@dataclass
class Result:
    """The outcome of a part: pytest's exit status, its length, and its tests."""

    part: str
    status: int
    seconds: float
    cpu: float
    """Reference seconds of its tests."""
    counts: Counter[str] = field(default_factory=Counter)
    """Tests that passed, failed, and were skipped."""
    failed: list[str] = field(default_factory=list)

    @property
    def is_red(self) -> bool:
        return self.status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}


def main(arguments: list[str]) -> int:
    """Run the parts; return 1 if one of them is red."""
    parser = argparse.ArgumentParser(prog="tests.parts", description="Run the long tests, part by part.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    chosen = parser.parse_args(arguments).parts or list(PARTS)
    if unknown := [part for part in chosen if part not in PARTS]:
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    results: list[Result] = []
    try:
        results.extend(map(run_part, chosen))
    except KeyboardInterrupt:
        print(f"\nInterrupted; not run to its end: {', '.join(chosen[len(results) :])}.")
    print("\n".join(["", *write_table(results)]))
    return int(len(results) < len(chosen) or any(result.is_red for result in results))


def run_part(part: str) -> Result:
    """Run the long tests of a part."""
    print(f"\n{f' {part} ':=^110}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        begun = time.monotonic()
        status = run_in_group(list_command(part, report))
        result = Result(part, status, time.monotonic() - begun, 0.0)
        if report.exists():
            read_report(report, result)
    return result


def run_in_group(command: Sequence[str]) -> int:
    """Run a command in a process group of its own, of which nothing is left; return its exit status."""
    with subprocess.Popen(command, process_group=0) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            os.killpg(child.pid, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                child.wait(LAST_WORDS)
            raise
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


def list_command(part: str, report: Path) -> list[str]:
    """Return the command that runs a part's tests and writes a report."""
    options = ["-m", "long", "-n", str(PROCESSES.get(part, 3)), "--timeout", HANG, f"--junitxml={report}"]
    return [sys.executable, "-m", "pytest", *options, *map(str, list_files(part))]


def list_files(part: str) -> list[Path]:
    """Return the test files of a part."""
    named = {TESTS / f"{name}.py" for names in PARTS.values() for name in names}
    found = []
    for name in PARTS[part]:
        if (TESTS / name).is_dir():
            found += sorted(set((TESTS / name).rglob("test_*.py")) - named)
        else:
            found.append(TESTS / f"{name}.py")
    return found


def read_report(report: Path, result: Result) -> None:
    """Add up the tests of a report in JUnit's format."""
    for case in ET.parse(report).iter("testcase"):
        name = case.get("name", "")
        if module := case.get("classname"):
            name = f"{module.replace('.', '/')}.py::{name}"
        if case.find("failure") is not None or case.find("error") is not None:
            result.failed.append(name)
        else:
            result.counts["skipped" if case.find("skipped") is not None else "passed"] += 1
        used = case.find(f"properties/property[@name='{PROPERTY}']")
        result.cpu += 0.0 if used is None else float(used.get("value", "0"))


def write_table(results: list[Result]) -> Iterator[str]:
    """Yield a row for each part, their sum, and the names of the tests that failed."""
    yield f"{'part':12} {'seconds':>8} {'CPU':>7} {'passed':>7} {'failed':>7} {'skipped':>8}"
    for result in results:
        yield _write_row(result.part, result) + _explain_status(result)
    if len(results) > 1:
        whole = Result("all", 0, sum(result.seconds for result in results), sum(one.cpu for one in results))
        for result in results:
            whole.counts += result.counts
            whole.failed += result.failed
        yield _write_row(whole.part, whole)
    yield from (f"FAILED {test}" for result in results for test in result.failed)


def _write_row(name: str, result: Result) -> str:
    counts = result.counts
    tests = f"{counts['passed']:7} {len(result.failed):7} {counts['skipped']:8}"
    return f"{name:12} {result.seconds:8.0f} {result.cpu:7.0f} {tests}"


def _explain_status(result: Result) -> str:
    if result.is_red and result.status != pytest.ExitCode.TESTS_FAILED:
        return f"  did not come to its end: status {result.status}"
    return ""


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # background jobs ignore the first
        signal.signal(number, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
