"""A table as folded by this process, with tasks that wait for changes."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from maumau.errors import IllegalAction, NotAsked, SeatTaken, StaleTurn, TableEnded, UnreadableAction
from maumau.game import Rules
from maumau.game.notation.action import SEATS
from maumau.protocol.fault import Misplay
from services.engine.table import Claimant, TableBoard, TableEntry, TableHead, TableState

TAKEN: Final = "Somebody else has come to this seat; ask for an invitation to another one."


class Folded:
    """A table as last read. `version` grows with every change."""

    def __init__(self, head: TableHead, rules: Rules) -> None:
        self.head, self.board = head, TableBoard(head, rules)
        banks, nobody = [head.time.bank_ms] * head.seats, [""] * head.seats
        self.standing = TableState("waiting", 0, 0, 0, banks, [], nobody, nobody, nobody, nobody)
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
        """The time in ms since it was last read."""
        return (time.monotonic() - self.heard) * 1000

    @property
    def left_ms(self) -> int:
        """The time until the deadline, in ms."""
        return max(0, round(self.standing.left_ms - self.elapsed_ms))

    def read_clocks(self) -> list[int]:
        """Return the time that each seat has left now, in ms."""
        banks = self.standing.banks_ms[:]
        turn = self.board.on_turn
        if turn is not None and self.standing.state == "playing":
            banks[turn] -= round(self.standing.ran_ms + self.elapsed_ms)
        return [max(0, bank) for bank in banks]

    def wake_waiters(self) -> None:
        """Count a change and wake all waiting tasks."""
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def await_change(self, version: int) -> None:
        """Wait until the version differs from this one."""
        while self.version == version:
            await self._changed.wait()


def check_claimant(folded: Folded, seat: int, who: Claimant) -> None:
    """Raise SeatTaken if a seat is another one's to see, by the rule by which the store lets people come."""
    standing = folded.standing
    claim, is_bots = standing.claims[seat], bool(standing.bots[seat])
    has_come = bool(claim) or seat in standing.joined
    is_waived = not who.claim and who.rights == "page"
    if (who.claim != claim and has_come and not is_waived) or (is_bots and who.rights != "worker"):
        raise SeatTaken(TAKEN)


def check_reply(folded: Folded, cursor: int, entry: TableEntry) -> None:
    """Raise an error if a reply is wrong, by the rules or by the question."""
    board = folded.board
    if folded.ended or board.over:
        raise TableEnded
    if folded.standing.state == "waiting":
        raise NotAsked("The deal begins when somebody has come to every seat.")
    if cursor != board.cursor:
        raise StaleTurn
    if entry.seat not in board.pending:
        raise NotAsked
    try:
        board.check_reply(entry)
    except Misplay as misplay:
        raise (UnreadableAction if misplay.kind == "unreadable" else IllegalAction)(misplay.words) from None


def find_overdue(folded: Folded) -> TableEntry:
    """Return the entry due when a table's deadline has expired."""
    if folded.standing.state == "waiting":
        missing = [SEATS[seat] for seat in range(folded.head.seats) if seat not in folded.standing.joined]
        return TableEntry("void", words=f"nobody came to {', '.join(missing)}")
    turn = folded.board.on_turn
    return TableEntry("lapse") if turn is None else TableEntry("flag", turn)
