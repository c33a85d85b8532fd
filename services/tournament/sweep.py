"""What drives a tournament on: after each result, and every few seconds for whatever was lost.

Everything here may run at any time, twice at once, in several replicas: the database lets only one win. The
sweep is the leader's, since others would do it in vain; what follows a result is done where that came in.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context

from celery import Celery

from maumau import trace
from maumau.errors import BrokerUnavailable
from services.shared import log, tasks
from services.shared.clock import Clock
from services.shared.lane import Lane
from services.tournament.event import BlockProgress, Event
from services.tournament.keeper import Keeper
from services.tournament.metrics import Metrics
from services.tournament.organiser import Organiser
from services.tournament.store.job import Jobs
from services.tournament.store.queue import Claim, Queue
from services.tournament.store.watch import RedisError, Streams
from services.tournament.throughput import Throughput

MESSAGES = 1000  # to workers at once, at most
PLAY, ADVANCE = "worker.play_block", "worker.advance"

GATHER, TIMES, LONGEST_REST = 0.2, 4, 2.0
"""Seconds between two looks at a tournament, or so many times what a look took, up to so many seconds."""

logger = log.get(__name__)


class Sweeper:
    """Sends, tells and advances."""

    def __init__(
        self, organiser: Organiser, jobs: Jobs, queue: Queue, keeper: Keeper, streams: Streams, app: Celery,
        clock: Clock, metrics: Metrics,
    ) -> None:  # fmt: skip
        self.organiser, self.jobs, self.queue = organiser, jobs, queue
        self.keeper, self.streams = keeper, streams
        self.app, self.clock, self.metrics = app, clock, metrics
        self.throughput = Throughput()

    def sweep(self) -> int:
        """All that waits, in all contests; the number of messages sent."""
        self.keeper.reap()
        self.organiser.run_schedule()
        self.note_throughput()
        for contest_id in self.jobs.running():
            self._advance(contest_id)
        for tournament_id in self.organiser.tournaments.active():
            self.keeper.take_out(tournament_id)
            self._advance(tournament_id)
        return self.send()

    def note_throughput(self) -> None:
        """What every replica knows for itself."""
        self.throughput.note(self.clock(), self.queue.booked())
        self.organiser.forget_ended()

    def release(self, workers: Sequence[str]) -> int:
        """What workers had that are no more is to be had at once; the number of blocks."""
        if released := self.keeper.release(workers):
            self.sweep()
        return released

    def follow(self, contest_id: str) -> None:
        """What comes of a change in one contest; another replica is asked if this one cannot."""
        with trace.open_span("follow contest", trace.key_of_tournament(contest_id), contest=contest_id):
            if not self._advance(contest_id):
                self.wake(ADVANCE, contest_id)
            self.send()

    def _advance(self, contest_id: str) -> bool:
        """A contest that cannot go on keeps no other from it."""
        try:
            if not self.jobs.settle(contest_id):
                self.organiser.advance(contest_id, wait=False)
        except Exception:
            logger.exception("the schedule does not advance", contest=contest_id)
            return False
        return True

    def send(self) -> int:
        """Tells watchers, and sends messages to workers until there are as many as blocks wait.

        A message names no block: whoever takes it asks for one. So none that is lost or left over does harm.
        """
        self.tell()
        try:
            sent = tasks.waiting(self.app, PLAY)
        except BrokerUnavailable as err:
            logger.warning("the broker does not answer", words=str(err))
            return 0
        missing = max(self.count_waiting(MESSAGES) - sent, 0) if sent < MESSAGES else 0
        return next((count for count in range(missing) if not self.wake(PLAY)), missing)

    def count_waiting(self, most: int) -> int:
        """How many blocks wait for a worker, counted up to `most`."""
        return self.queue.count_waiting(self.clock(), most)

    def wake(self, task: str, *ident: str) -> bool:
        try:
            tasks.wake(self.app, task, *ident)
        except BrokerUnavailable as err:
            logger.warning("message kept", task=task, words=str(err))
            return False
        self.metrics.sent.labels(task).inc()
        return True

    def progress(self, claim: Claim) -> None:
        """Tells how far a block is; not worth keeping if it cannot be told."""
        label = claim.job.label
        sets = claim.block.deals_done // claim.contest.seats
        words = f"match {label}: {sets} of {claim.block.sets} sets of block {claim.block.number} are played"
        part = BlockProgress(claim.block.number, claim.block.sets, sets)
        event = Event(self.clock(), "progress", words, label, sets, part=part)
        try:
            self.streams.append_event(claim.contest.id, event)
        except RedisError as err:
            logger.warning("progress not told", words=str(err))

    def tell(self) -> None:
        """What cannot be told stays in the outbox."""
        try:
            self.streams.empty_outbox()
        except RedisError as err:
            logger.warning("events kept", words=str(err))


class Teller:
    """Tells the progress of blocks, one at a time; what comes meanwhile is not told, and nobody waits."""

    def __init__(self, body: Callable[[Claim], None]) -> None:
        self.body = body
        self.task: asyncio.Task[None] | None = None

    def tell(self, claim: Claim) -> None:
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(asyncio.to_thread(self.body, claim), context=Context())

    async def close(self) -> None:
        if self.task:
            await asyncio.wait((self.task,))


class Follower:
    """Follows changes in the background, one tournament after the other; many changes of one count once.

    A change after a rest is followed at once, those soon after it together: the more a look costs, the later.
    """

    def __init__(self, body: Callable[[str], None], lane: Lane) -> None:
        self.body, self.lane = body, lane
        self.due: dict[str, asyncio.Future[None]] = {}
        self.task: asyncio.Task[None] | None = None
        self._rests: dict[str, float] = {}  # until when a tournament is left alone
        self._kicked, self._closing = asyncio.Event(), False

    def kick(self, tournament_id: str) -> asyncio.Future[None]:
        """Something changed; done when it is followed."""
        self._kicked.set()
        found = self.due.setdefault(tournament_id, asyncio.get_running_loop().create_future())
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._run(), context=Context())  # not that of whoever kicked
        return found

    async def _run(self) -> None:
        while self.due:
            now = time.monotonic()
            self._rests = {one: until for one, until in self._rests.items() if until > now}
            ready = [one for one in self.due if one not in self._rests or self._closing]
            if not ready:
                await self._rest(min(self._rests[one] for one in self.due) - now)
            for tournament_id in ready:
                followed = self.due.pop(tournament_id)
                began = time.monotonic()
                await self._follow(tournament_id)
                took = time.monotonic() - began
                self._rests[tournament_id] = began + took + min(max(GATHER, took * TIMES), LONGEST_REST)
                followed.set_result(None)

    async def _rest(self, seconds: float) -> None:
        """Until one may be followed, or another one is kicked."""
        self._kicked.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._kicked.wait(), seconds)

    async def _follow(self, tournament_id: str) -> None:
        try:
            await self.lane(self.body, tournament_id)
        except Exception:
            logger.exception("following failed; the sweep goes on", tournament=tournament_id)

    async def close(self) -> None:
        """Waits for what was begun."""
        self._closing = True
        self._kicked.set()
        if self.task:
            await self.task
