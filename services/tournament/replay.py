"""Deals that a worker reports are played again from their records before they count, in another process."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from random import SystemRandom
from typing import NamedTuple

from maumau.bot.referee import SetOutcome
from maumau.bot.words import clean_line
from maumau.contest.check import Checked, Job, Terms, check_records
from maumau.contest.export import block_records
from maumau.contest.line import encode
from maumau.contest.score import SetScore
from maumau.errors import PlatformFault
from maumau.spread import Crew
from services.tournament.store.queue import Claim

WORDS = 300  # characters of what is wrong


class Lie(NamedTuple):
    """What is wrong with a report; seating: of the deal that was not played so, None if it is not known."""

    words: str
    seating: int | None


class Replays:
    """share: of the sets of a block, at least one of them; 0 for none. Threads may share it."""

    def __init__(self, share: float) -> None:
        self.share = share
        self._crew, self._starting = Crew(), threading.Lock()
        self._chance = SystemRandom()  # no worker knows which sets it will be

    def find_lie(self, claim: Claim, sets: Sequence[SetOutcome], scores: Sequence[SetScore]) -> Lie | None:
        """Plays some of the sets again, or all if the job decides so much.

        What is wrong with the first that was not played as reported.
        """
        share = max(self.share, claim.job.replayed) if self.share else 0.0
        count = math.ceil(share * len(sets))
        chosen = sorted(self._chance.sample(range(len(sets)), count))
        played = [(scores[i], "".join(deal.record for deal in sets[i].deals)) for i in chosen]
        contest, job = claim.contest, claim.job
        terms = (contest.secret, contest.root, job.label)
        lines = block_records(*terms, _numbers(claim), played, job.seed_take)
        asked = Job(_terms(claim), tuple((line.set, encode(line).removesuffix(b"\n")) for line in lines))
        for checked in self._ask(asked) if chosen else ():
            for found in checked.differences:
                words = f"{found.field} is {found.said}, and was {found.found} when it was played again"
                return Lie(clean_line(f"set {checked.set}: {words}", WORDS), found.seating)
        return None

    def _ask(self, job: Job) -> list[Checked]:
        """Once more from a new process if the one that was asked is gone."""
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
        """Ends the process."""
        self._crew.end()


def _terms(claim: Claim) -> Terms:
    contest, job = claim.contest, claim.job
    return Terms(
        contest.rules_hash, contest.seats, contest.score, contest.secret, contest.root,
        contest.rules, contest.variant_toml, {job.label: job.seed_take},
    )  # fmt: skip


def _numbers(claim: Claim) -> list[int]:
    return [seat.number for seat in claim.seats]
