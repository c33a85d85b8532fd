"""Batches of concurrent requests, such as one transaction for several threads.

One thread at a time serves all that wait by then; a lone request waits for nobody, so the load alone makes
batches large.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast

A = TypeVar("A")
R = TypeVar("R")


class _Asked(Generic[A, R]):
    """A thread's request. answer: its result, or the exception to raise, once done.

    turn: released once it is done, or once its thread is to run the next batch.
    """

    def __init__(self, what: A) -> None:
        self.what, self.done = what, False
        self.answer: R | Exception | None = None
        self.turn = threading.Lock()
        self.turn.acquire()


class Batcher(Generic[A, R]):
    """One thread at a time handles all waiting requests.

    A single request waits for nothing, and under load batches grow, up to `most`.

    body: returns for each request its answer, or the exception to raise for it. If it raises itself, it is
    called for each request alone, so that a failing one does not affect the others.
    """

    def __init__(self, body: Callable[[Sequence[A]], Sequence[R | Exception]], most: int = 32) -> None:
        self.body, self.most = body, most
        self._waiting: deque[_Asked[A, R]] = deque()
        self._guard, self._busy = threading.Lock(), False

    def __len__(self) -> int:
        """Return the number of waiting requests."""
        return len(self._waiting)

    def __call__(self, what: A) -> R:
        mine: _Asked[A, R] = _Asked(what)
        with self._guard:
            self._waiting.append(mine)
            first, self._busy = not self._busy, True
        if not first:
            mine.turn.acquire()
        if not mine.done:
            try:
                self._do(self._next())
            finally:
                self._pass_on()
        if isinstance(mine.answer, Exception):
            raise mine.answer
        return cast("R", mine.answer)

    def _next(self) -> list[_Asked[A, R]]:
        with self._guard:
            return [self._waiting.popleft() for _ in range(min(self.most, len(self._waiting)))]

    def _pass_on(self) -> None:
        """Let the first thread that waits run the next batch."""
        with self._guard:
            if self._waiting:
                self._waiting[0].turn.release()
            else:
                self._busy = False

    def _do(self, batch: Sequence[_Asked[A, R]]) -> None:
        answered: list[tuple[_Asked[A, R], R | Exception]]
        try:
            answered = list(zip(batch, self.body([one.what for one in batch]), strict=True))
        except Exception as err:  # noqa: BLE001 - raised in the caller's thread
            if len(batch) > 1:
                for one in batch:
                    self._do([one])
                return
            answered = [(one, err) for one in batch]
        for one, answer in answered:
            one.answer, one.done = answer, True
            one.turn.release()
