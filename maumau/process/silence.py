"""Notices of silence: a caller that waits for a first answer is warned before its patience ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

T = TypeVar("T")
QUIET_SECONDS: Final = 1.5
_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("silence_listener", default=None)


@contextmanager
def listen_for_silence(tell: Callable[[str], None]) -> Iterator[None]:
    """Call `tell` once in this context: with the first address that is silent for QUIET_SECONDS."""
    lock, told = threading.Lock(), list[str]()

    def tell_once(address: str) -> None:
        with lock:
            if told:
                return
            told.append(address)
        tell(address)

    before = _LISTENER.set(tell_once)
    try:
        yield
    finally:
        _LISTENER.reset(before)


@contextmanager
def await_answer(address: str) -> Iterator[None]:
    """Wait for an answer from an address in this block; report a silence to the context's listener."""
    tell = _LISTENER.get()
    if tell is None:
        yield
        return
    with call_after(QUIET_SECONDS, lambda: tell(address)):
        yield


@contextmanager
def call_after(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    """Call a function, in a thread of its own, if this block takes longer."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def await_first(address: str, parts: Iterator[T]) -> Iterator[T]:
    """Yield the parts of a stream, waiting for the first as for an answer."""
    with await_answer(address):
        first = next(parts, None)
    if first is not None:
        yield first
        yield from parts
