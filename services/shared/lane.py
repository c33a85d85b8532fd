"""Threads of their own for each kind of work, so that no kind waits for another."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Lane:
    """So many threads at most; more work of the kind waits for them."""

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def __call__(self, body: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As asyncio.to_thread: what was begun goes on when the caller has gone."""
        context = copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: context.run(body, *args, **kwargs))

    def close(self) -> None:
        """Waits for what was begun; what was not is forgotten."""
        self._pool.shutdown(cancel_futures=True)
