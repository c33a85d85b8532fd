"""A table as watchers see it: what is public, and the hands once the table shows them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from maumau.errors import BadRequest
from services.engine import fold
from services.engine.folded import Folded
from services.engine.replica import Replica
from services.engine.seat import SeatLine
from services.engine.table import TableBoard

GATHER: Final = 0.05  # seconds for which changes are gathered after the first


async def watch_table(replica: Replica, folded: Folded, after: int) -> AsyncIterator[SeatLine]:
    """Yield the changes of a table after a cursor, until it has ended."""
    start, told = folded.board.seen_at(after), after
    while True:
        version, board = folded.version, folded.board
        if not folded.lost and not board.void and folded.standing.state != "waiting" and board.cursor > told:
            line = fold.open_line(board.deal, start)
            yield SeatLine(board.cursor, line, folded.read_clocks(), board.on_turn, news=True)
            start, told = len(board.deal.log), board.cursor
            await asyncio.sleep(GATHER)
            continue
        if folded.ended:
            return
        await replica.await_change(folded, version)


async def watch_hands(replica: Replica, folded: Folded, after: int) -> AsyncIterator[SeatLine]:
    """Yield the changes with all hands, each entry once it has the age that the table sets."""
    if not folded.head.delay_ms:
        raise BadRequest("This table shows the hands when it has ended; GetTable has the record then.")
    board, length = TableBoard(folded.head, folded.board.deal.rules), 0
    start, told = 0, after
    while True:
        version = folded.version
        _, entries = await replica.store.read(folded.head.id, folded.head.seats, length)
        for logged in entries:
            await _grow_old(replica, folded, logged.at)
            board.apply_entry(logged.entry)
            length += 1
            if board.cursor > told and not board.void:
                yield SeatLine(board.cursor, fold.hands_line(board.deal, start), [], None, news=True)
                told = board.cursor
            start = len(board.deal.log)
        if board.over or folded.lost:
            return
        if not entries:
            await replica.await_change(folded, version)


async def _grow_old(replica: Replica, folded: Folded, at: int) -> None:
    """Wait until an entry made at this time, by the table's clock, may be seen."""
    while (wait := folded.head.delay_ms - (await replica.store.read_time(folded.head.id) - at)) > 0:
        await asyncio.sleep(min(wait / 1000, 1.0))
        if replica.stopping:
            return
