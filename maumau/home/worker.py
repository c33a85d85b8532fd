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

from maumau.contest.score import DealScore, SetScore, score_set
from maumau.errors import BlockStopped, MaumauError, PlatformFault, ProgramGone
from maumau.game import list_lost_seats
from maumau.home.handicap import own_pace
from maumau.home.job import BlockJob, Deals, Failed, JobDone, Word
from maumau.referee.block import BlockOutcome, DealOutcome, SetOutcome, play_block
from maumau.referee.pace import Pace
from maumau.referee.second_run import find_provisional_faults, settle_runs
from maumau.sandbox.launch import Sandbox, choose_sandbox

TELL = 0.1  # seconds between two words about progress
ATTEMPTS = 3  # at a block, where the platform failed


class Teller:
    """Reports finished deals to the parent, not too often."""

    def __init__(self) -> None:
        self.deals, self.last = 0, time.monotonic()

    def deal(self, _number: int, _seating: int, _outcome: DealOutcome) -> None:
        """Count a deal that has ended."""
        self.deals += 1
        if time.monotonic() - self.last > TELL:
            self.flush()

    def flush(self) -> None:
        """Send the unreported deals."""
        if self.deals:
            write_word(Deals(self.deals))
        self.deals, self.last = 0, time.monotonic()


def write_word(word: Word) -> None:
    """Write one line to the parent."""
    line = msgspec.json.encode(word) + b"\n"
    while line:
        line = line[os.write(1, line) :]


def serve_jobs(tier: str, core: int) -> None:
    """Play until stdin closes."""
    os.sched_setaffinity(0, {core})
    gone = select.poll()
    gone.register(0, select.POLLIN)  # jobs come one at a time: input during a block means the end
    sandbox, pace = choose_sandbox(tier), own_pace()
    for line in iter(sys.stdin.buffer.readline, b""):
        job = msgspec.json.decode(line, type=BlockJob)
        try:
            write_word(_play_job(job, sandbox, pace, gone))
        except BlockStopped:
            return
        except (MaumauError, OSError) as error:
            write_word(Failed(job.number, getattr(error, "reason", type(error).__name__), str(error)))


def _play_job(job: BlockJob, sandbox: Sandbox, pace: Pace, gone: select.poll) -> JobDone:
    """Play a block; retry from the same seeds after a fault of the platform."""
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
            return _block_done(job, outcome)
    raise AssertionError  # the last attempt raises


def _block_done(job: BlockJob, outcome: BlockOutcome) -> JobDone:
    played = settle_runs(job.first, outcome.sets) if job.first else outcome.sets
    sets = [_score_set(job, each) for each in played]
    faults = [fault for each in played for deal in each.deals for fault in deal.faults]
    faults.sort(key=lambda fault: (fault.seating, fault.deal))
    uses = [msgspec.structs.replace(use, log="") for use in outcome.measured.uses]
    measured = msgspec.structs.replace(outcome.measured, uses=uses)
    provisional = find_provisional_faults(faults, is_second=bool(job.first))
    return JobDone(job.number, sets, faults, measured, played if provisional else [])


def _score_set(job: BlockJob, played: SetOutcome) -> SetScore:
    deals = [
        DealScore(deal.places, deal.points, list_lost_seats(deal.record, is_game=job.order.game))
        for deal in played.deals
    ]
    return score_set(job.score, played.number, deals)


if __name__ == "__main__":
    serve_jobs(sys.argv[1], int(sys.argv[2]))
