"""One core at work: `python -m maumau.home.worker TIER CORE` plays the blocks that come on stdin.

Stdin is open as long as blocks are wanted: when it closes, by the parent's will or by its end, the block
being played is left and the process ends.
"""

from __future__ import annotations

import os
import select
import sys
import time

import msgspec

from maumau.bot.pace import Pace
from maumau.bot.referee import BlockOutcome, DealOutcome, play_block
from maumau.bot.sandbox import Sandbox, choose_sandbox
from maumau.contest.score import DealScore, score_set
from maumau.errors import BlockStopped, MaumauError, PlatformFault, ProgramGone
from maumau.home.handicap import own_pace
from maumau.home.job import Deals, Done, Failed, Job, Word

TELL = 0.1  # seconds between two words about progress
ATTEMPTS = 3  # at a block, where the platform failed


class Teller:
    """Tells the parent of deals as they end, not too often."""

    def __init__(self) -> None:
        self.deals, self.last = 0, time.monotonic()

    def deal(self, _number: int, _seating: int, _outcome: DealOutcome) -> None:
        """A deal has ended."""
        self.deals += 1
        if time.monotonic() - self.last > TELL:
            self.flush()

    def flush(self) -> None:
        """Say what has not been said."""
        if self.deals:
            tell(Deals(self.deals))
        self.deals, self.last = 0, time.monotonic()


def tell(word: Word) -> None:
    """One line to the parent."""
    line = msgspec.json.encode(word) + b"\n"
    while line:
        line = line[os.write(1, line) :]


def main(tier: str, core: int) -> None:
    """Play until stdin closes."""
    os.sched_setaffinity(0, {core})
    gone = select.poll()
    gone.register(0, select.POLLIN)  # one job at a time: what comes while one is played is the end
    sandbox, pace = choose_sandbox(tier), own_pace()
    for line in iter(sys.stdin.buffer.readline, b""):
        job = msgspec.json.decode(line, type=Job)
        try:
            tell(_played(job, sandbox, pace, gone))
        except BlockStopped:
            return
        except (MaumauError, OSError) as error:
            tell(Failed(job.number, getattr(error, "reason", type(error).__name__), str(error)))


def _played(job: Job, sandbox: Sandbox, pace: Pace, gone: select.poll) -> Done:
    """Play a block; what the platform is to blame for is played again from the same seeds."""
    programs = [each.program() for each in job.entrants]
    for attempt in range(1, ATTEMPTS + 1):
        teller = Teller()
        try:
            outcome = play_block(
                job.order, programs, sandbox, teller.deal, lambda: bool(gone.poll(0)), pace=pace
            )
        except PlatformFault as fault:
            if attempt == ATTEMPTS or isinstance(fault, ProgramGone):
                raise
        else:
            teller.flush()
            return _done(job, outcome)
    raise AssertionError  # the last attempt raises


def _done(job: Job, outcome: BlockOutcome) -> Done:
    sets = [
        score_set(job.score, each.number, [DealScore(deal.places, deal.points) for deal in each.deals])
        for each in outcome.sets
    ]
    faults = [fault for each in outcome.sets for deal in each.deals for fault in deal.faults]
    faults.sort(key=lambda fault: (fault.seating, fault.deal))
    uses = [msgspec.structs.replace(use, log="") for use in outcome.measured.uses]
    return Done(job.number, sets, faults, msgspec.structs.replace(outcome.measured, uses=uses))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
