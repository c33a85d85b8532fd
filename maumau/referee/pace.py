"""The pace of a core, by which CPU time becomes reference time: docs/explanation/time.md.

`python -m maumau.referee.pace` prints it, and the `REFERENCE` that would make this host the reference.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import deque
from collections.abc import Callable

import msgspec

from maumau.errors import PlatformFault
from maumau.referee.probe import run_probe
from maumau.sandbox.sandboxed_process import SandboxedProcess

REFERENCE = 0.0022  # seconds of CPU time for a probe on a quiet core of a 2.5 GHz EPYC
FASTEST, SLOWEST = 0.2, 5.0  # a host beyond these is unfit
UNSTEADY = 3.0  # times the second smallest of the recent probes that the second largest may be
RECENT = 5  # probes that are looked at together
FIRST = 3  # probes at the beginning, and after a rest
REST = 10.0  # seconds without a probe after which the last ones say nothing any more
SPARE = 125  # times the CPU time of probes passes until the next one: they cost less than 1 % of the time
CLIP = 2.0  # times the median of the recent probes that one counts for at most, and the part at least
WARM = 2  # probes that are not counted, in which Python learns their code

Probe = Callable[[], float]


class PaceSpan(msgspec.Struct, frozen=True):
    """The pace while a block was played: mean, least and greatest of its probes."""

    mean: float = 1.0
    least: float = 1.0
    most: float = 1.0


class Pace:
    """The pace of the core that this thread runs on: 1 is the reference, on 2 everything takes twice as long.

    `last` is the result of the last probe, by which CPU time is counted; `now` is the mean of recent ones,
    by which programs' banks are computed. `handicap` is for tests alone: how many times as fast the clocks
    of programs run.
    """

    def __init__(self, handicap: float = 1.0, probe: Probe = run_probe) -> None:
        self.last = self.now = 1.0
        self.probed = 0.0  # seconds of CPU time that all probes took
        self.due = 0.0
        """The time of `perf_counter` from which another probe is worth its cost."""
        self._handicap, self._probe = handicap, probe
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._seen: list[float] = []
        self._warm, self._at = 0, 0.0

    def begin_block(self) -> None:
        """Forget the probes of the block before; raise PlatformFault if this host cannot play one fairly."""
        self._seen = []
        self.begin_seating()
        self._seen = self._seen or [self.last]

    def begin_seating(self) -> None:
        """Probe again if due."""
        if time.perf_counter() - self._at > REST:
            self._recent.clear()
            self._check_probes(FIRST)
        elif time.perf_counter() >= self.due:
            self._check_probes(1)

    def probe_host(self) -> None:
        """Probe now; raise PlatformFault if this host is unfit or unsteady, which is no program's fault."""
        self._check_probes(1)

    def pace_span(self) -> PaceSpan:
        """Return the pace since the block began."""
        return PaceSpan(statistics.fmean(self._seen), min(self._seen), max(self._seen))

    def cpu_clock(self, sandboxed: SandboxedProcess) -> Callable[[], float]:
        """Return the CPU clock of a program, in seconds."""
        if self._handicap == 1:
            return sandboxed.cpu
        return lambda: sandboxed.cpu() * self._handicap

    def _check_probes(self, probes: int) -> None:
        self._warm_up()
        began = time.thread_time()
        self._take_probes(probes)
        if self._describe_trouble():
            self._recent.clear()
            self._take_probes(RECENT)  # it may have been these few milliseconds alone
            if words := self._describe_trouble():
                self._recent.clear()
                raise PlatformFault(words)
        self._at, took = time.perf_counter(), time.thread_time() - began
        self.probed += took
        self.due = self._at + SPARE * took

    def _warm_up(self) -> None:
        """Warm up once, which also allocates the probe's memory."""
        began = time.thread_time()
        while self._warm < WARM:
            self._warm += 1
            self._probe()
        self.probed += time.thread_time() - began

    def _take_probes(self, probes: int) -> None:
        for _ in range(probes):
            self._recent.append(self._probe() / REFERENCE)
        middle = statistics.median(self._recent)
        clipped = [min(max(each, middle / CLIP), middle * CLIP) for each in self._recent]
        self.last, self.now = clipped[-1], statistics.fmean(clipped)
        self._seen += clipped[-probes:]

    def _describe_trouble(self) -> str:
        return find_trouble(list(self._recent))


def find_trouble(paces: list[float]) -> str:
    """Return why a host with these paces is unfit to judge blocks; empty if it is fit."""
    middle = statistics.median(paces)
    if not FASTEST <= middle <= SLOWEST:
        return (
            f"This host is unfit: its core takes {middle:.2f} times the CPU time of the reference,"
            f" and programs can be judged from {FASTEST:g} to {SLOWEST:g} times."
        )
    if len(paces) >= RECENT and (spread := measure_spread(paces)) > UNSTEADY:
        return (
            f"This host is unsteady: the same work took from {min(paces):.2f} to {max(paces):.2f} times"
            f" the reference within moments ({spread:.1f} times, where {UNSTEADY:g} may be)."
        )
    return ""


def measure_spread(paces: list[float]) -> float:
    """Return the ratio of the greatest pace to the smallest, leaving out one at either end."""
    inner = sorted(paces)[1:-1]
    return inner[-1] / inner[0]


def main() -> None:
    """Probe for ten seconds as a table does, and print the result."""
    times: list[float] = []
    until = time.monotonic() + 10
    while time.monotonic() < until:
        times.append(run_probe())
        time.sleep(0.02)  # as between rounds, when others have used the caches
    times = sorted(times[WARM:])
    tenth, middle, last = (times[len(times) * share // 100] for share in (10, 50, 90))
    sys.stdout.write(
        f"pace       {middle / REFERENCE:.2f} (the median of {len(times)} probes)\n"
        f"spread     {tenth / REFERENCE:.2f} to {last / REFERENCE:.2f} (the middle 80 %)\n"
        f"reference  {REFERENCE * 1000:.3f} ms; here a tenth of the probes took less than"
        f" {tenth * 1000:.3f} ms, the fastest {times[0] * 1000:.3f} ms\n"
    )


if __name__ == "__main__":
    main()
