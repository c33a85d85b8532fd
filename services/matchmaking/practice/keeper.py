"""Upkeep of practice matches.

Every step may be repeated: it is stored here first, then requested from the core under an id of its own.
"""

from asyncio import to_thread
from collections.abc import Sequence
from contextlib import aclosing
from functools import partial

from maumau.contest.ladder.pairing import size_block
from maumau.errors import MaumauError
from services.matchmaking.client import PASSING, Core, JobNews, Opened, Order
from services.matchmaking.models import Practice
from services.matchmaking.store import Practices
from services.matchmaking.store.booking import Booked
from services.matchmaking.store.practice import ONLY_JOB, more_versions
from services.matchmaking.terms import make_practice_terms
from services.matchmaking.upkeep.background import NamedTasks, run_step
from services.matchmaking.upkeep.faults import FaultWatch
from services.shared.base.clock import Clock


class PracticeKeeper:
    """Opens the contest of each practice match, orders its sets, and follows their results."""

    def __init__(
        self, practices: Practices, core: Core, clock: Clock, faults: FaultWatch, tasks: NamedTasks
    ) -> None:
        self.practices, self.core, self.clock = practices, core, clock
        self.faults, self._tasks = faults, tasks

    def list_unfinished(self) -> Sequence[Practice]:
        """Return the practice matches that are not over."""
        return self.practices.list_unfinished()

    async def keep_practices(self) -> None:
        """Look at all practice matches that are not over."""
        for practice in await to_thread(self.list_unfinished):
            await run_step(f"practice {practice.id}", partial(self._keep_practice, practice))

    async def _keep_practice(self, practice: Practice) -> None:
        if not practice.contest_id:
            terms = make_practice_terms(practice)
            opened = await self.core.open_contest(f"practice {practice.id}", terms, practice.options)
            await to_thread(self.practices.change_practice, practice.id, contest_id=opened.id)
            practice.contest_id = opened.id
        if practice.state == "new":
            versions = practice.version_id, practice.other_id, *more_versions(practice)
            block = min(practice.sets, size_block(len(versions)))
            order = Order(ONLY_JOB, versions, practice.sets, block)
            refused = ""
            try:
                await self.core.create_jobs(practice.contest_id, [order])
            except PASSING:
                raise
            except MaumauError as err:
                refused = str(err)
            await self.core.close_contest(practice.contest_id)  # what is stored first is not repeated
            state, ended_at = ("over", self.clock()) if refused else ("open", 0)
            values = {"state": state, "words": refused, "ended_at": ended_at}
            await to_thread(self.practices.change_practice, practice.id, **values)
        self._tasks.start_task(practice.id, lambda: self._follow_practice(practice))

    async def _follow_practice(self, practice: Practice) -> None:
        now = await to_thread(self.practices.find_practice, practice.id)
        async with aclosing(self.core.follow_contest(practice.contest_id, now.cursor)) as news:
            async for one in news:
                if isinstance(one, Booked):
                    if await to_thread(self.practices.book_result, practice.id, one):
                        await self.faults.count_practice(practice, one)
                elif isinstance(one, JobNews) and one.state != "over":
                    await to_thread(
                        self.practices.change_practice, practice.id, state=one.state, words=one.words
                    )
                elif isinstance(one, Opened):
                    self.faults.forget_contest(practice.id)
                    await to_thread(
                        self.practices.change_practice, practice.id, state="over", ended_at=self.clock()
                    )
