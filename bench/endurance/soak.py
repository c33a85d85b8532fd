"""Repeated runs of what must never fail, and a long run for what must not grow.

`python -m bench.endurance.soak start|verify RUNS`, beside two busy loops, or `… run MINUTES`.

run: a whole arena at work for so many minutes, with ladders, tournaments and live tables: exit 1 if the
memory or the open files of a process, or the keys in Redis, grow. Nothing else is kept busy.

start: a whole arena, several at once, every other one on data of its own that is new, the others on data that
a start before left. verify: `maumau verify` in two processes. Exit 1 if one run hangs or fails.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.support.busy import LOOPS, run_busy_loops
from bench.support.checkout import ROOT
from bench.support.patience import Deadline, patient

ENV = {**os.environ, "PYTHONPATH": str(ROOT)}
READY = "Ctrl-C stops everything"
AT_ONCE = 4


def start_arena(data: Path, seconds: float = 120.0) -> str:
    """Start an arena and stop it as soon as it is ready; return "" or the error."""
    out = data.with_suffix(".out")
    command = [sys.executable, "-m", "services.supervisor", "--data", str(data), "--plain", "--workers", "2"]
    with out.open("wb") as file:
        process = subprocess.Popen(command, cwd=ROOT, env=ENV, stdout=file, stderr=file)
    deadline = Deadline(seconds)
    while READY not in (said := out.read_text()):
        if process.poll() is not None or deadline.has_passed():
            process.kill()
            return f"exit {process.wait()}: {said[-600:]}"
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    try:
        code = process.wait(patient(30))
    except subprocess.TimeoutExpired:
        process.kill()
        return "it did not stop"
    lines = [line for line in out.read_text().splitlines() if line.startswith("error") or " died " in line]
    return "\n".join([*lines, f"exit {code}" if code else ""]).strip()


def verify_export(export: Path, seconds: float = 60.0) -> str:
    """Verify an export in two processes; return "" or the error."""
    command = [sys.executable, "-m", "maumau.cli", "verify", str(export), "--jobs", "2"]
    try:
        done = subprocess.run(
            command, env=ENV, capture_output=True, text=True, timeout=patient(seconds), check=False
        )
    except subprocess.TimeoutExpired:
        return "it hangs"
    return "" if done.returncode == 0 and not done.stderr else f"exit {done.returncode}: {done.stderr[-600:]}"


def repeat_runs(runs: int, once: Callable[[int], str], at_once: int) -> int:
    """Run the given number of times, several at once; print each failure, return their number."""
    failed = 0
    with ThreadPoolExecutor(at_once) as pool:
        for number, wrong in enumerate(pool.map(once, range(runs)), start=1):
            failed += bool(wrong)
            if wrong:
                print(f"run {number} FAILED: {wrong}", flush=True)
            elif number % 10 == 0:
                print(f"{number} runs, {failed} failed", flush=True)
    print(f"{runs} runs beside {LOOPS} busy loops, {at_once} at once: {failed} failed", flush=True)
    return failed


def run_soak_command(what: str, runs: float, export: str = "") -> int:
    """Run the command line; exit with code 1 if a run failed."""
    if what == "run":
        from bench.endurance.soak_run import soak_arena

        wrong = soak_arena(runs)
        print("\n".join(wrong) or "all of it is flat", flush=True)
        return int(bool(wrong))
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, run_busy_loops():
        if what == "verify":
            return int(repeat_runs(int(runs), lambda _: verify_export(Path(export)), 2) > 0)

        def start_run(number: int) -> str:
            lane = number % AT_ONCE
            return start_arena(Path(folder) / (f"new-{number}" if number // AT_ONCE % 2 else f"again-{lane}"))

        return int(repeat_runs(int(runs), start_run, AT_ONCE) > 0)


if __name__ == "__main__":
    sys.exit(run_soak_command(sys.argv[1], float(sys.argv[2]), *sys.argv[3:]))
