"""The background tasks of ladders and practice matches."""

import asyncio
from collections.abc import Awaitable, Callable

from maumau.errors import MaumauError
from services.shared.base import log

RESTART_PAUSE = 2.0  # seconds before a task that failed ends, so that the next look starts it again

logger = log.get(__name__)


class NamedTasks:
    """Tasks by name, each of which runs once at a time."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[None]] = {}

    def start_task(self, what: str, body: Callable[[], Awaitable[None]]) -> None:
        """Run this in a task of its own, unless it is already running."""
        if what in self._running and not self._running[what].done():
            return
        self._running = {name: task for name, task in self._running.items() if not task.done()}
        self._running[what] = asyncio.create_task(_run_task(what, body), name=what)

    async def cancel_tasks(self) -> None:
        """Cancel all tasks and wait for their ends."""
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)


async def run_step(what: str, step: Callable[[], Awaitable[None]]) -> None:
    """Run a step; log its error in place of raising it, so that it keeps no other step from its turn."""
    try:
        await step()
    except MaumauError as err:
        logger.warning("it does not go on", what=what, reason=err.reason, words=str(err))


async def _run_task(what: str, body: Callable[[], Awaitable[None]]) -> None:
    try:
        await body()
    except MaumauError as err:
        logger.info("stopped, will be started again", what=what, words=str(err))
        await asyncio.sleep(RESTART_PAUSE)
    except Exception:
        logger.exception("background task failed", what=what)
        await asyncio.sleep(RESTART_PAUSE)
