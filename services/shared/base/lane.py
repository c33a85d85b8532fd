"""Thread pools by kind of work, so that no kind waits for another."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Lane:
    """A limited number of threads for one kind of work; further work waits."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def __call__(self, body: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `body` in a thread, like asyncio.to_thread: once begun, it ends even if the caller has gone."""
        context = copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: context.run(body, *args, **kwargs))

    def close(self) -> None:
        """Wait for work in progress; drop the rest."""
        self._pool.shutdown(cancel_futures=True)
