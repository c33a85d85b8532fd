"""The engine of tournaments: it acts after each result, and every few seconds to make up for lost calls.

All of it may run at any time, concurrently and in several replicas: the database lets only one win. Only the
leader sweeps, since others would do so in vain; a result is followed up on the replica that booked it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import Context

from celery import Celery

from maumau.errors import BrokerUnavailable
from maumau.process import trace
from services.shared.base import log
from services.shared.base.clock import Clock
from services.shared.base.lane import Lane
from services.shared.process import tasks
from services.tournament.domain.event import BlockProgress, Event
from services.tournament.metrics import TournamentMetrics
from services.tournament.organising.organiser import Organiser
from services.tournament.organising.throughput import Throughput
from services.tournament.play.keeper import Keeper
from services.tournament.store.blocks.queue import BlockClaim, Queue
from services.tournament.store.broadcast.watch import RedisError, Streams
from services.tournament.store.contests.job import Jobs

MESSAGES = 1000  # most messages sent to workers at once
PLAY, ADVANCE = "worker.play_block", "worker.advance"

GATHER, TIMES, LONGEST_REST = 0.2, 4, 2.0
"""Seconds between two looks at a tournament; their multiple of a look's duration; the most seconds."""

IDLE_LOOKS, IDLE_SWEEPS = 6, 3
"""Calls for one look of what waits for play, and for one whole sweep, while there is none."""

logger = log.get(__name__)


class Sweeper:
    """The sender of messages to workers, which also publishes events and advances contests."""

    def __init__(
        self,
        organiser: Organiser,
        jobs: Jobs,
        queue: Queue,
        keeper: Keeper,
        streams: Streams,
        app: Celery,
        clock: Clock,
        metrics: TournamentMetrics,
    ) -> None:
        self.organiser, self.jobs, self.queue = organiser, jobs, queue
        self.keeper, self.streams = keeper, streams
        self.app, self.clock, self.metrics = app, clock, metrics
        self.throughput = Throughput()
        self.heard: Callable[[], None] = lambda: None  # called when there may be notices for webhooks
        self.is_idle = False  # nothing was played at the last sweep, and nothing has changed since
        self._passed = 0  # sweeps in a row that were passed over

    def sweep_contests(self) -> int:
        """Do everything that is due, in all contests; return the number of messages sent.

        What only play leaves behind is looked for at every IDLE_SWEEPS-th call while nothing is played.
        """
        self.organiser.run_schedule()
        running, active = self.jobs.list_running(), self.organiser.tournaments.list_active()
        was_idle, self.is_idle = self.is_idle, not (running or active)
        self._passed = self._passed + 1 if was_idle and self.is_idle else IDLE_SWEEPS
        if self._passed < IDLE_SWEEPS:
            self.publish_events()
            return 0
        self._passed = 0
        self._sweep_contests(running, active)
        return self.send_messages()

    def _sweep_contests(self, running: Sequence[str], active: Sequence[str]) -> None:
        self.keeper.reap_blocks()
        self.note_throughput()
        for contest_id in running:
            self._advance_contest(contest_id)
        for tournament_id in active:
            self.keeper.take_out(tournament_id)
            self._advance_contest(tournament_id)

    def skip_when_idle(self, body: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """Return this background work with most of its calls skipped while nothing is played."""
        passed = 0

        async def run() -> None:
            nonlocal passed
            passed = passed + 1 if self.is_idle else IDLE_LOOKS
            if passed >= IDLE_LOOKS:
                passed = 0
                await body()

        return run

    def note_throughput(self) -> None:
        """Update the figures that each replica keeps for itself."""
        self.throughput.note_results(self.clock(), self.queue.count_booked())
        self.organiser.forget_ended()

    def release_leases(self, workers: Sequence[str]) -> int:
        """End leases of workers that are gone and queue their blocks; return the number of blocks."""
        if released := self.keeper.release_leases(workers):
            self.is_idle = False
            self.sweep_contests()
        return released

    def follow_change(self, contest_id: str) -> None:
        """Advance one contest after a change; if that fails, ask another replica to do it."""
        self.is_idle = False
        with trace.open_span("follow contest", trace.key_of_tournament(contest_id), contest=contest_id):
            if not self._advance_contest(contest_id):
                self.wake_worker(ADVANCE, contest_id)
            self.send_messages()

    def _advance_contest(self, contest_id: str) -> bool:
        """Advance a contest; return False if it fails, so that others still go on."""
        try:
            if not self.jobs.settle_jobs(contest_id):
                self.organiser.advance_schedule(contest_id, wait=False)
        except Exception:
            logger.exception("the schedule does not advance", contest=contest_id)
            return False
        return True

    def send_messages(self) -> int:
        """Publish events, then send messages to workers up to the number of waiting blocks.

        A message names no block: the worker that takes it asks for one. So lost or extra ones do no harm.
        """
        self.publish_events()
        try:
            sent = tasks.waiting(self.app, PLAY)
        except BrokerUnavailable as err:
            logger.warning("the broker does not answer", words=str(err))
            return 0
        missing = max(self.count_waiting(MESSAGES) - sent, 0) if sent < MESSAGES else 0
        return next((count for count in range(missing) if not self.wake_worker(PLAY)), missing)

    def count_waiting(self, most: int) -> int:
        """Return the number of blocks that wait for a worker, counted up to `most`."""
        return self.queue.count_waiting(self.clock(), most)

    def wake_worker(self, task: str, *ident: str) -> bool:
        try:
            tasks.wake(self.app, task, *ident)
        except BrokerUnavailable as err:
            logger.warning("message kept", task=task, words=str(err))
            return False
        self.metrics.sent.labels(task).inc()
        return True

    def publish_progress(self, claim: BlockClaim) -> None:
        """Publish a block's progress; drop it if that fails."""
        label = claim.job.label
        sets = claim.block.deals_done // claim.size
        words = f"match {label}: {sets} of {claim.block.sets} sets of block {claim.block.number} are played"
        part = BlockProgress(claim.block.number, claim.block.sets, sets)
        event = Event(self.clock(), "progress", words, label, sets, part=part)
        try:
            self.streams.append_event(claim.contest.id, event)
        except RedisError as err:
            logger.warning("progress not told", words=str(err))

    def publish_events(self) -> None:
        """Publish the events in the outbox; those that fail stay there."""
        self.heard()
        try:
            self.streams.empty_outbox()
        except RedisError as err:
            logger.warning("events kept", words=str(err))


class Teller:
    """A publisher of progress, one block at a time: further progress in the meantime is dropped."""

    def __init__(self, body: Callable[[BlockClaim], None]) -> None:
        self.body = body
        self.task: asyncio.Task[None] | None = None

    def publish_progress(self, claim: BlockClaim) -> None:
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(asyncio.to_thread(self.body, claim), context=Context())

    async def close(self) -> None:
        if self.task:
            await asyncio.wait((self.task,))


class Follower:
    """A background task that follows up changes, one tournament at a time; repeated changes count once.

    The first change after a pause is handled at once, later ones together: the longer it takes, the later.
    """

    def __init__(self, body: Callable[[str], None], lane: Lane) -> None:
        self.body, self.lane = body, lane
        self.due: dict[str, asyncio.Future[None]] = {}
        self.task: asyncio.Task[None] | None = None
        self._rests: dict[str, float] = {}  # times until which tournaments rest
        self._kicked, self._closing = asyncio.Event(), False

    def schedule_follow(self, tournament_id: str) -> asyncio.Future[None]:
        """Schedule the follow-up of a change; the future is done when that is."""
        self._kicked.set()
        found = self.due.setdefault(tournament_id, asyncio.get_running_loop().create_future())
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._run_loop(), context=Context())  # not the caller's context
        return found

    async def _run_loop(self) -> None:
        while self.due:
            now = time.monotonic()
            self._rests = {one: until for one, until in self._rests.items() if until > now}
            ready = [one for one in self.due if one not in self._rests or self._closing]
            if not ready:
                await self._await_due(min(self._rests[one] for one in self.due) - now)
            for tournament_id in ready:
                followed = self.due.pop(tournament_id)
                began = time.monotonic()
                await self._follow_change(tournament_id)
                took = time.monotonic() - began
                self._rests[tournament_id] = began + took + min(max(GATHER, took * TIMES), LONGEST_REST)
                followed.set_result(None)

    async def _await_due(self, seconds: float) -> None:
        """Wait until a tournament is due, or another one is kicked."""
        self._kicked.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._kicked.wait(), seconds)

    async def _follow_change(self, tournament_id: str) -> None:
        try:
            await self.lane(self.body, tournament_id)
        except Exception:
            logger.exception("following failed; the sweep goes on", tournament=tournament_id)

    async def close(self) -> None:
        """Wait for work in progress."""
        self._closing = True
        self._kicked.set()
        if self.task:
            await self.task
