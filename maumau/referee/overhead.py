"""CPU time of the referee's own thread for one program, which pays for what exceeds the usual.

A program can make the referee's calls expensive: a write to a pipe wakes all its watchers, and a reader gets
a line in as many pieces as it was written in. The usual cost is measured, the grant is several times
that, and accumulates, so that no program is charged for an interrupt in a call (decision 19).
"""

from __future__ import annotations

from time import thread_time

from maumau.referee.pace import Pace

FREE = 0.05  # reference seconds for each process
TURN = 0.0001  # granted for each time that it is asked, with any number of questions
LINE = 0.00001  # more for each of these questions
WAITED = 0.01  # granted for each second of waiting: the referee looks at it now and then


class Overhead:
    """An account of the referee's time for one program.

    `charged`: seconds of this core that the program pays for; they never decrease. `counting`: True while
    this thread works for the program.
    """

    def __init__(self, pace: Pace) -> None:
        self.charged, self.counting = 0.0, False
        self._pace, self._left = pace, FREE * pace.now
        self._began = self._probed = 0.0

    def begin(self, lines: int = 0) -> None:
        """Begin to count this thread's time; `lines`: questions that the program is asked."""
        pace = self._pace
        if lines:
            self._left += (TURN + LINE * lines) * pace.now
        self.counting, self._probed = True, pace.probed
        self._began = thread_time()

    def end(self) -> None:
        """Stop counting; probes of the pace are charged to no program."""
        self.counting = False
        self._left -= thread_time() - self._began - (self._pace.probed - self._probed)
        if self._left < 0:
            self._charge_excess()

    def add(self, seconds: float) -> None:
        """Count seconds of this thread; charge what was not granted."""
        self._left -= seconds
        if self._left < 0:
            self._charge_excess()

    def grant_wait(self, seconds: float) -> None:
        """Grant a share of the time for which the program was waited for."""
        self._left += WAITED * seconds

    def _charge_excess(self) -> None:
        """Charge the excess over the grant."""
        self.charged -= self._left
        self._left = 0.0
