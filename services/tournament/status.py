"""Status of the tournament service: blocks, events, workers and tournaments, and rates of play.

A test compares the counts with the gauges, which count tournaments that lists do not name, too. Times are
ms since 1970, ages ms.
"""

from typing import NamedTuple

from services.shared.base.clock import Clock
from services.shared.process.service_status import (
    BLOCK_STANDSTILL,
    EVENT_WAIT,
    MAX_COUNTED,
    NO_WORKER,
    VOID_BLOCK,
    WORKER_SUSPENDED,
    Counted,
    Figures,
    Rate,
    StateCount,
    WaitCount,
    age_of,
)
from services.tournament.store.blocks.worker import Crew, Workers
from services.tournament.store.broadcast.watch import Streams
from services.tournament.store.upkeep.census import Census

WINDOW, MIN_WINDOW = 300_000, 1000
"""Window of the rates in ms: shorter after an arena's first result, but not below the minimum."""
WAITS = (10_000, 60_000, 600_000)
"""Bounds in ms of the waiting times by which queued blocks are counted."""


class StatusReader(NamedTuple):
    """Reader of all figures, one after the other: each read is quick.

    began: start time of the service. Its absence does not make work late.
    """

    census: Census
    workers: Workers
    streams: Streams
    clock: Clock
    began: int

    def read_figures(self) -> Figures:
        """Return the current figures, apart from events that are being published."""
        now, census = self.clock(), self.census
        done, active = census.count_done(now - WINDOW), census.count_active()
        listed = census.count_active(listed=True)
        crew, claimed = self.workers.count_crew(now), census.count_claimed()
        untold = Counted(*self.streams.count_untold(MAX_COUNTED + 1))
        void, queued = census.count_void(MAX_COUNTED + 1), census.count_queued(MAX_COUNTED + 1)
        oldest, counts = census.find_oldest_queued(), census.count_by_wait(WAITS, now, MAX_COUNTED + 1)
        moved = max(done.last, claimed.last, self.began)
        states = [
            StateCount("block", "queued", queued, age_of(oldest, now)),
            StateCount("block", "claimed", claimed.count, age_of(claimed.first, now)),
            StateCount("block", "void", void.count, age_of(void.since, now), VOID_BLOCK),
            _count_awaited(sum(counts), oldest, moved, now),
            StateCount("event", "untold", untold.count, age_of(untold.since, now), EVENT_WAIT),
            *_count_workers(crew, claimed.workers, active["running"], self.began, now),
            StateCount(
                "tournament", "running", listed["running"].count, age_of(listed["running"].since, now)
            ),
            StateCount("tournament", "paused", listed["paused"].count),
        ]
        waits = [
            WaitCount("block", bound, count) for bound, count in zip((*WAITS, None), counts, strict=True)
        ]
        seconds = max(now - done.since, MIN_WINDOW) / 1000
        rates = [Rate("block", done.blocks / seconds), Rate("decision", done.decisions / seconds)]
        return Figures(states, waits, rates)


def _count_awaited(waiting: int, oldest: int, moved: int, now: int) -> StateCount:
    """Return the count of blocks that wait for a worker, and the time since one was last claimed or booked.

    Late as in the alert NothingPlays: a long queue is not late as long as it moves. moved: time of the last.
    """
    since = max(oldest, moved) if oldest else 0
    return StateCount("result", "awaited", waiting if oldest else 0, age_of(since, now), BLOCK_STANDSTILL)


def _count_workers(crew: Crew, busy: int, running: Counted, began: int, now: int) -> list[StateCount]:
    """Return the states of workers; missing counts the tournaments that run while no worker is present."""
    gone = max(crew.missing_since, running.since, began) if running.count and not crew.present else 0
    return [
        StateCount("worker", "present", crew.present),
        StateCount("worker", "busy", busy),
        StateCount(
            "worker", "suspended", crew.suspended, age_of(crew.suspended_since, now), WORKER_SUSPENDED
        ),
        StateCount("worker", "missing", running.count if gone else 0, age_of(gone, now), NO_WORKER),
    ]
