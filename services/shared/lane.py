"""A thread pool for each kind of work, so that no kind waits for another."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Lane:
    """A limited number of threads; further work of the kind waits for one."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def __call__(self, body: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Like asyncio.to_thread: work that has begun goes on even if the caller has gone."""
        context = copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: context.run(body, *args, **kwargs))

    def close(self) -> None:
        """Waits for work that has begun; drops the rest."""
        self._pool.shutdown(cancel_futures=True)
