"""Reviews of deals: made one at a time by processes of the lowest priority, and kept for a while.

A page never waits for one: it gets what is ready, or is told to ask again. What a review costs does not grow
with its readers, and one address cannot have all of it. The figures follow from the record, so that every
replica finds the same.
"""

import asyncio
import hashlib
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Literal

import msgspec
from msgspec import Struct

from maumau.client.answer import RuleSet
from maumau.review.__main__ import Answer, ReviewOrder
from maumau.review.review import SECONDS, Review
from services.shared.base.rate import Rates

AT_ONCE: Final = 1  # processes
WAITING: Final = 12  # orders that wait or are being carried out
KEPT, KEPT_SECONDS, FAILED_SECONDS = 256, 3600.0, 60.0
A_SECOND, AT_ONCE_OF_ONE = 0.05, 6
"""Reviews begun for an address: per second on average, and at once after a rest."""
PATIENCE: Final = 300.0  # seconds, in which a process of the lowest priority gets its few
COMMAND: Final = (sys.executable, "-m", "maumau.review")

State = Literal["ready", "waiting", "busy", "often", "failed"]


class Outcome(Struct, frozen=True):
    """A review, or why it cannot be shown now."""

    state: State
    review: Review | None = None


def make_order(record: str, seat: int, rules: RuleSet | None) -> ReviewOrder:
    """Return the order for a review of a record. rules: needed for a custom variant."""
    own = rules if rules and rules.variant_toml else None
    return ReviewOrder(record, seat, SECONDS, own.name if own else "", own.variant_toml if own else "")


class Reviewer:
    """The reviews of one replica of the page."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Outcome]] = OrderedDict()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._rates = Rates(A_SECOND, AT_ONCE_OF_ONE, clock)

    def find_review(self, order: ReviewOrder, source: str) -> Outcome:
        """Return the review if it is ready; else begin it, if this address may.

        source: the address that asks.
        """
        key = hashlib.sha256(msgspec.json.encode(order)).hexdigest()
        until, outcome = self._kept.get(key, (0.0, None))
        if outcome is not None and self._clock() < until:
            self._kept.move_to_end(key)
            return outcome
        if key in self._running:
            return Outcome("waiting")
        if len(self._running) >= WAITING:
            return Outcome("busy")
        if not self._rates.take(source):
            return Outcome("often")
        self._running[key] = asyncio.create_task(self._make_review(key, order))
        return Outcome("waiting")

    async def _make_review(self, key: str, order: ReviewOrder) -> None:
        outcome = Outcome("failed")
        try:
            async with self._turns:
                outcome = await _run_order(order)
        finally:
            del self._running[key]
            seconds = KEPT_SECONDS if outcome.review else FAILED_SECONDS
            self._kept[key] = self._clock() + seconds, outcome
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    async def close(self) -> None:
        """Stop the reviews that are being made."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _run_order(order: ReviewOrder) -> Outcome:
    """Have a process carry out an order; it is ended with the page."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *COMMAND, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(PATIENCE):
            written, _ = await process.communicate(msgspec.json.encode(order))
        answer = msgspec.json.decode(written, type=Answer)
    except (TimeoutError, OSError, msgspec.MsgspecError):
        return Outcome("failed")
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return Outcome("ready", answer.review) if answer.review else Outcome("failed")
