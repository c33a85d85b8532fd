"""A restart: `maumau up` on a data folder that a run before left, until its page answers."""

from __future__ import annotations

import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from bench.platform.idle import read_times
from bench.results.row import ResultRow
from bench.support.checkout import ROOT
from bench.support.embedded import running
from bench.support.patience import Deadline, patient

TIMES = 3


def measure_rows() -> Iterator[ResultRow]:
    """Yield the medians of some restarts of an arena that has validated its house bots."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "arena"
        with running(data) as arena:
            arena.wait_until_settled()
        times = [time_restart(data) for _ in range(TIMES)]
    how = f"the median of {TIMES}, until the first page of `maumau up` is there"
    yield ResultRow(
        "restart to the page", statistics.median(wall for wall, _ in times), 5, most=True, unit="s", how=how
    )
    how = "all processes together, until then"
    yield ResultRow(
        "restart, core time", statistics.median(cpu for _, cpu in times), 5, most=True, unit="s", how=how
    )


def time_restart(data: Path) -> tuple[float, float]:
    """Return the seconds from the command until its page answers, and those of a core used until then."""
    command = [sys.executable, "-m", "maumau.cli", "up", "--plain", "--data", str(data)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPATH"] = str(ROOT)  # and what is compiled is kept, as with `make run`
    with (data / "restart.out").open("wb") as out:
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=out, stderr=out)
    try:
        await_page(data, process)
        took = time.monotonic() - began
        spent = sum(read_times(process.pid).values())
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(patient(30))
    return took, spent


def await_page(data: Path, process: subprocess.Popen[bytes]) -> None:
    """Poll until the first page of this very run is there."""
    last = Deadline(120)
    while not is_page_there(data, process.pid):
        assert process.poll() is None, (data / "restart.out").read_text()
        assert not last.has_passed(), "the page does not answer"
        time.sleep(0.02)


def is_page_there(data: Path, pid: int) -> bool:
    """Return True if the arena in `data` is this process and its page answers."""
    with suppress(OSError, http.client.HTTPException, json.JSONDecodeError, psutil.NoSuchProcess):
        ready = json.loads((data / "web.ready").read_text())
        if pid not in {one.pid for one in psutil.Process(ready["pid"]).parents()}:
            return False
        connection = http.client.HTTPConnection(ready["address"], timeout=10)
        connection.request("GET", "/")
        return connection.getresponse().status == http.HTTPStatus.OK
    return False
