"""Isolated replays that find bots that decide differently in deals they may know: decision 30.

They cost at most a share of the workers' playing time, and their findings change no result.
"""

import threading
from collections import deque
from itertools import islice
from random import SystemRandom

from maumau.contest.export.foreknowledge import UNKNOWN, find_first_change, mark_deal
from maumau.contest.score import SEATINGS
from maumau.referee.block import DealOutcome
from services.shared.base.clock import Clock
from services.tournament.domain.isolation import Candidate, choose_plan
from services.tournament.domain.measured import Measured
from services.tournament.metrics import TournamentMetrics
from services.tournament.store.blocks.audit import PATIENCE
from services.tournament.store.blocks.isolation import EntrantMarks, Found, Isolations, PlayedAgain
from services.tournament.store.blocks.queue import BlockClaim

CREDIT = 10_000.0
"""Worker time in ms that may be spent before any is earned, so that small contests are tested, too."""

MOST_CREDIT = 300_000.0
MOST_CANDIDATES = 256
"""Bound of the booked blocks remembered by contest, the newest, and of the contests remembered."""

MOST_OPEN = 2
"""Isolations of a contest under way at once: the next choice depends on their findings."""

HEADER = 4
"""Lines of a record that define the deal: format, rules, seats and seed."""


class Isolator:
    """A scheduler and judge of isolated replays of seatings.

    share: fraction of the workers' playing time that may be spent on it; 0: none.
    """

    def __init__(
        self, isolations: Isolations, clock: Clock, metrics: TournamentMetrics, share: float
    ) -> None:
        self.isolations, self.clock, self.metrics, self.share = isolations, clock, metrics, share
        self.credit = CREDIT if share else 0.0
        self._candidates: dict[str, deque[Candidate]] = {}
        self._guard = threading.Lock()
        self._chance = SystemRandom()  # drawn after the report, so that no worker or bot can know it before

    def note_candidate(self, claim: BlockClaim, measured: Measured) -> None:
        """Remember a booked block as a candidate; losing candidates when the service ends is harmless."""
        contest, block = claim.contest, claim.block
        if not self.share or contest.purpose != "tournament" or claim.size != SEATINGS:
            return
        numbers = tuple(seat.number for seat in claim.seats)
        wall_ms = max(0.0, measured.wall_ms)
        one = Candidate(block.id, numbers, block.sets, contest.deal_ms, wall_ms, float(measured.start_ms))
        with self._guard:
            self.credit = min(MOST_CREDIT, self.credit + self.share * wall_ms)
            known = self._candidates.pop(contest.id, deque(maxlen=MOST_CANDIDATES))
            self._candidates[contest.id] = known
            known.append(one)
            for oldest in list(islice(self._candidates, max(0, len(self._candidates) - MOST_CANDIDATES))):
                del self._candidates[oldest]

    def order_due(self) -> None:
        """Order the isolations that the credit pays for."""
        with self._guard:
            contests = list(self._candidates)
        for contest_id in contests:
            while self._order_one(contest_id):
                pass

    def compare_played(self) -> None:
        """Compare isolations that have been played; drop those that never will be."""
        now = self.clock()
        for found in self.isolations.list_open():
            parts = [part for part in (found.told, found.fresh) if part]
            if now - found.row.ordered_at > PATIENCE or any(map(_is_hopeless, parts)):
                self._close_isolation(found, "dropped", {}, now)
            elif all(part.is_done for part in parts):
                self._close_isolation(found, "compared", compare_seatings(found), now)

    def _order_one(self, contest_id: str) -> bool:
        with self._guard:
            known = list(self._candidates.get(contest_id, ()))
        if not known or self.credit < min(one.estimate_cost(1, 1) for one in known):
            return False
        state = self.isolations.read_state(contest_id, [one.block_id for one in known])
        if state.open >= MOST_OPEN:
            return False
        candidates = [one._replace(is_second_run=one.block_id in state.second_runs) for one in known]
        plan = choose_plan(candidates, state.marks, state.entrants, self._chance)
        if plan is None or plan.price > self.credit:
            return False
        with self._guard:
            rest = (one for one in self._candidates.get(contest_id, ()) if one.block_id != plan.told.block_id)
            self._candidates[contest_id] = deque(rest, maxlen=MOST_CANDIDATES)
            self.credit -= plan.price
        self.isolations.order_isolation(plan, self.clock())
        return True

    def _close_isolation(self, found: Found, outcome: str, marks: EntrantMarks, now: int) -> None:
        if self.isolations.close(found, outcome, marks, now):
            self.metrics.isolations.labels(outcome).inc()


def compare_seatings(found: Found) -> EntrantMarks:
    """Return the marks of all entrants of both seatings: told and fresh, by number."""
    told = mark_entrants(found.told)
    fresh = mark_entrants(found.fresh) if found.fresh else {}
    return {str(number): (told.get(number, ""), fresh.get(number, "")) for number in told | fresh}


def mark_entrants(part: PlayedAgain) -> dict[int, str]:
    """Return by entrant one mark per deal, in the order of the deal sets."""
    marks = dict.fromkeys(part.entrants, "")
    for booked, again in _pair_deals(part):
        spoilt = any(deal.faults or "\nforfeit " in deal.record for deal in (booked, again))
        changed = find_first_change(booked.record, again.record)
        for seat, position in enumerate(again.seats):
            marks[part.entrants[position]] += UNKNOWN if spoilt else mark_deal(seat, changed)
    return marks


def _pair_deals(part: PlayedAgain) -> list[tuple[DealOutcome, DealOutcome]]:
    pairs = zip(part.booked, part.again, strict=True)
    return [(booked.deals[part.seating], again.deals[0]) for booked, again in pairs]


def _is_hopeless(part: PlayedAgain) -> bool:
    """Return True if it will never be compared: given up, moved, or handed out by an earlier release."""
    if part.is_lost or not part.is_done:
        return part.is_lost
    is_alone = all(len(one.deals) == 1 for one in part.again)
    if not (is_alone and len(part.booked) == len(part.again) > 0):
        return True
    return any(_read_header(booked) != _read_header(again) for booked, again in _pair_deals(part))


def _read_header(deal: DealOutcome) -> list[str]:
    return deal.record.split("\n", HEADER)[:HEADER]
