"""What many threads ask for at the same time is done in batches, such as one transaction for all of them."""

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast

A = TypeVar("A")
R = TypeVar("R")


class _Asked(Generic[A, R]):
    """What one thread asks for; found: the answer, or what to raise, once `done`."""

    def __init__(self, what: A) -> None:
        self.what, self.done = what, False
        self.found: R | Exception | None = None


class Batcher(Generic[A, R]):
    """One thread at a time does what all wait for by then: who is alone waits for nobody, and the more the
    load, the larger the batches, up to `most`.

    body: gives for each thing asked its answer, or the exception that this one is to raise. If it raises
    itself, each thing is asked alone, so that one which cannot be done spoils no other.
    """

    def __init__(self, body: Callable[[Sequence[A]], Sequence[R | Exception]], most: int = 32) -> None:
        self.body, self.most = body, most
        self._waiting: list[_Asked[A, R]] = []
        self._guard, self._turn = threading.Lock(), threading.Lock()

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def __call__(self, what: A) -> R:
        mine: _Asked[A, R] = _Asked(what)
        with self._guard:
            self._waiting.append(mine)
        with self._turn:
            while not mine.done:
                self._do(self._next())
        if isinstance(mine.found, Exception):
            raise mine.found
        return cast("R", mine.found)

    def _next(self) -> list[_Asked[A, R]]:
        with self._guard:
            batch, self._waiting = self._waiting[: self.most], self._waiting[self.most :]
        return batch

    def _do(self, batch: Sequence[_Asked[A, R]]) -> None:
        try:
            answers = self.body([one.what for one in batch])
        except Exception as err:  # noqa: BLE001 - raised to whoever asked
            if len(batch) > 1:
                for one in batch:
                    self._do([one])
                return
            answers = [err]
        for one, answer in zip(batch, answers, strict=True):
            one.found, one.done = answer, True
