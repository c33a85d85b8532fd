"""The tests as a gate runs them: what fails is run once more, alone, and named as flaky if it passes then.

`python -m tests.retry ARGUMENTS` passes its arguments to pytest. Nothing is run again where more than `MOST`
tests failed, or where the run itself did not come to its end.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MOST = 10
"""Failures that may be flaky tests; more are a break."""
FAILED = Path(".pytest_cache/v/cache/lastfailed")
AGAIN = ("--last-failed", "--last-failed-no-failures=none", "-n", "0")


def main(arguments: list[str]) -> int:
    """Run the tests, and those that failed once more; return pytest's exit status."""
    FAILED.unlink(missing_ok=True)
    status = _run_tests(arguments)
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        return status
    failed = _list_failed()
    if modules := [test for test in failed if "::" not in test]:
        print(f"Their tests could not even be collected: {', '.join(modules)}.")
        return status
    if len(failed) > MOST:
        print(f"{len(failed)} tests failed; more than {MOST} are not run again.")
        return status
    if failed:
        print(f"{len(failed)} of the tests failed and run once more, one after another.", flush=True)
        status = _run_tests([*arguments, *AGAIN])
    if status == pytest.ExitCode.OK:
        print("\n".join([f"flaky: {len(failed)}", *(f"  {test}" for test in failed)]))
    return status


def _run_tests(arguments: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


def _list_failed() -> list[str]:
    return sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
