"""A table as this process has folded it, with who waits for it to change."""

from __future__ import annotations

import asyncio
import time

from maumau.game import Rules
from services.engine.store import Standing
from services.engine.table import Board, Head


class Folded:
    """A table as it was when last heard of. `version` grows with every change."""

    def __init__(self, head: Head, rules: Rules) -> None:
        self.head, self.board = head, Board(head, rules)
        self.standing = Standing("waiting", 0, 0, 0, [head.time.bank_ms] * head.seats, [], [""] * head.seats)
        self.times: list[int] = []  # of the entries, by the table's clock
        self.heard = time.monotonic()
        self.version = self.followers = 0
        self.lost = False
        self.lock = asyncio.Lock()
        self.timer: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()

    @property
    def ended(self) -> bool:
        return self.lost or self.standing.state in ("over", "void")

    @property
    def elapsed_ms(self) -> float:
        """Since it was heard of."""
        return (time.monotonic() - self.heard) * 1000

    @property
    def left_ms(self) -> int:
        """Until the deadline."""
        return max(0, round(self.standing.left_ms - self.elapsed_ms))

    def clocks(self) -> list[int]:
        """What each seat has left now, in ms."""
        banks = self.standing.banks_ms[:]
        turn = self.board.on_turn
        if turn is not None and self.standing.state == "playing":
            banks[turn] -= round(self.standing.ran_ms + self.elapsed_ms)
        return [max(0, bank) for bank in banks]

    def touch(self) -> None:
        """It has changed: wakes whoever waits."""
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, version: int) -> None:
        """Until it is another version than this."""
        while self.version == version:
            await self._changed.wait()
