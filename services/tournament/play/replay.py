"""Replay of reported deals from their records before they count, in another process (decision 38).

Which sets are replayed is drawn after the report, so that no worker knows them before. All sets are, of a
match of a bracket, whose loser may be out.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from random import SystemRandom
from typing import NamedTuple

from maumau.contest.export.check import Checked, Job, Terms, check_records
from maumau.contest.export.line import encode_line
from maumau.contest.export.write import block_records
from maumau.contest.score import SetScore
from maumau.errors import PlatformFault
from maumau.process.spread import Crew
from maumau.protocol.words import clean_line
from maumau.referee.block import SetOutcome
from services.tournament.store.blocks.queue import BlockClaim

WORDS = 300  # characters of a difference's description


class Lie(NamedTuple):
    """A difference between report and replay; seating: of the deal that differs, None if unknown."""

    words: str
    seating: int | None


class Replays:
    """A process that replays sets, shared by threads. share: of a block's sets, at least one; 0: none."""

    def __init__(self, share: float) -> None:
        self.share = share
        self._crew, self._starting = Crew(), threading.Lock()
        self._chance = SystemRandom()  # so that no worker can know which sets are replayed

    def find_lie(
        self, claim: BlockClaim, sets: Sequence[SetOutcome], scores: Sequence[SetScore]
    ) -> Lie | None:
        """Replay some of the sets, or as many as the job demands.

        Return the first difference from the report, None if there is none.
        """
        share = max(self.share, claim.job.replayed) if self.share else 0.0
        count = math.ceil(share * len(sets))
        chosen = sorted(self._chance.sample(range(len(sets)), count))
        played = [(scores[i], "".join(deal.record for deal in sets[i].deals)) for i in chosen]
        contest, job = claim.contest, claim.job
        terms = (contest.secret, contest.root, job.label)
        lines = block_records(*terms, _list_numbers(claim), played, job.seed_take)
        asked = Job(
            _read_terms(claim), tuple((line.set, encode_line(line).removesuffix(b"\n")) for line in lines)
        )
        for checked in self._ask_process(asked) if chosen else ():
            for found in checked.differences:
                words = f"{found.field} is {found.said}, and was {found.found} when it was played again"
                return Lie(clean_line(f"set {checked.set}: {words}", WORDS), found.seating)
        return None

    def _ask_process(self, job: Job) -> list[Checked]:
        """Run the check; once more in a new process if the first one has died."""
        with self._starting:
            if not self._crew.processes:
                self._crew.start()
        try:
            return self._crew.ask(check_records, job)
        except PlatformFault:
            with self._starting:
                self._crew.end()
                self._crew = Crew()
                self._crew.start()
            return self._crew.ask(check_records, job)

    def close(self) -> None:
        """End the process."""
        self._crew.end()


def _read_terms(claim: BlockClaim) -> Terms:
    contest, job = claim.contest, claim.job
    return Terms(
        claim.rules.hash,
        claim.size,
        claim.score,
        contest.secret,
        contest.root,
        contest.rules,
        contest.variant_toml,
        {job.label: job.seed_take},
        {job.label.partition(".")[0]: claim.rules.hash} if claim.rules.is_game else {},
    )


def _list_numbers(claim: BlockClaim) -> list[int]:
    return [seat.number for seat in claim.seats]
