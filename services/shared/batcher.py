"""What many threads ask for at the same time is done in batches, such as one transaction for all of them."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast

A = TypeVar("A")
R = TypeVar("R")


class _Asked(Generic[A, R]):
    """What a thread asks for. answer: what it gets, or what to raise, once it is done.

    turn: released when it is done, or when its thread is the one to do what waits.
    """

    def __init__(self, what: A) -> None:
        self.what, self.done = what, False
        self.answer: R | Exception | None = None
        self.turn = threading.Lock()
        self.turn.acquire()


class Batcher(Generic[A, R]):
    """One thread at a time does what all wait for by then: who is alone waits for nobody, and the more the
    load, the larger the batches, up to `most`.

    body: gives for each thing asked its answer, or the exception that this one is to raise. If it raises
    itself, each thing is asked alone, so that one which cannot be done spoils no other.
    """

    def __init__(self, body: Callable[[Sequence[A]], Sequence[R | Exception]], most: int = 32) -> None:
        self.body, self.most = body, most
        self._waiting: deque[_Asked[A, R]] = deque()
        self._guard, self._busy = threading.Lock(), False

    def __len__(self) -> int:
        """How many wait."""
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
        """The first of those that came meanwhile does what waits by then."""
        with self._guard:
            if self._waiting:
                self._waiting[0].turn.release()
            else:
                self._busy = False

    def _do(self, batch: Sequence[_Asked[A, R]]) -> None:
        answered: list[tuple[_Asked[A, R], R | Exception]]
        try:
            answered = list(zip(batch, self.body([one.what for one in batch]), strict=True))
        except Exception as err:  # noqa: BLE001 - raised to whoever asked
            if len(batch) > 1:
                for one in batch:
                    self._do([one])
                return
            answered = [(one, err) for one in batch]
        for one, answer in answered:
            one.answer, one.done = answer, True
            one.turn.release()
