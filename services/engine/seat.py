"""One seat played through one stream: what it is told, and what becomes of its replies."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import AsyncIterator
from typing import Final, NamedTuple

from maumau.bot import message
from maumau.bot.fault import Misplay
from maumau.errors import BadRequest, BadSeatToken, IllegalAction, MaumauError, UnreadableAction
from maumau.game import bot_seed
from services.engine.fold import to_line
from services.engine.folded import Folded
from services.engine.replica import LOST, Replica
from services.engine.table import LINE, Board, Entry, digest, read_reply, split_token

DEAL: Final = 0  # the number of a table's deal, to programs
OPS: Final = 64  # characters of a reply's own word


class Line(NamedTuple):
    """A line of docs/protocol.md, and the clocks; news: it wants no reply."""

    cursor: int
    line: str
    clocks: list[int]
    turn: int | None = None
    news: bool = False


class Replaced(NamedTuple):
    """Another stream plays the seat."""


class Voided(NamedTuple):
    """The table has ended without a result."""

    words: str


Told = Line | Replaced | Voided


async def find_seat(replica: Replica, token: str) -> tuple[Folded, int]:
    """The table and the seat of a token; BadSeatToken, or UnknownTable if the table is gone."""
    table_id, seat = split_token(token)
    folded = await replica.open(table_id)
    tokens = folded.head.tokens
    if seat >= len(tokens) or not hmac.compare_digest(digest(token), tokens[seat]):
        raise BadSeatToken
    return folded, seat


class SeatStream:
    """What one stream of a seat was told. `after`: the cursor of the last line that an earlier one got."""

    def __init__(self, replica: Replica, folded: Folded, seat: int, after: int, *, news: bool) -> None:
        if after > folded.board.cursor:
            raise BadRequest(
                f"The table has not come to {after} yet; say the cursor of the last line you got."
            )
        self.replica, self.folded, self.seat, self.news = replica, folded, seat, news
        self.id = secrets.token_hex(8)
        self._fresh = not after
        self._start = folded.board.seen_at(after)
        self._asked, self._told = 0, after

    async def join(self) -> None:
        """Takes the seat: an earlier stream of it is told that it was replaced."""
        await self.replica.join(self.folded, self.seat, self.id)

    async def reply(self, cursor: int, op: str, line: str) -> None:
        """Carries a reply out; the error says why it does not count."""
        if not op or len(op) > OPS:
            raise BadRequest(f"A reply has an op_id of 1 to {OPS} characters.", field="reply.op_id")
        if len(line) > LINE:
            raise BadRequest(f"A reply has at most {LINE:,} characters.", field="reply.line")
        await self.replica.play(self.folded, self.id, cursor, _read(self.seat, op, line))

    async def told(self) -> AsyncIterator[Told]:
        """Everything that this seat is told, until the table ends or another stream takes the seat."""
        folded = self.folded
        if self._fresh:
            yield self._line(0, self._hello())
        while True:
            version, board = folded.version, folded.board
            ending = self._ending(board)
            if ending is not None:
                yield ending
                return
            if folded.standing.state in ("playing", "over"):
                if line := self._next(board):
                    yield line
                    continue
                if board.deal.over:
                    yield self._line(board.cursor, message.BYE)
                    return
            await self.replica.wait(folded, version)

    def _ending(self, board: Board) -> Told | None:
        if self.folded.lost:
            return Voided(LOST)
        if board.void:
            return Voided(board.words)
        if self.folded.ended:  # who comes back then is told the end: nobody takes a seat any more
            return None
        return Replaced() if self.folded.standing.streams[self.seat] != self.id else None

    def _next(self, board: Board) -> Line | None:
        """A question, the end, or what others have done; None if there is nothing new."""
        d, cursor = board.deal, board.cursor
        if cursor == self._asked:
            return None
        start = self._start
        if d.over:
            self._asked = cursor
            fault = d.faults.get(self.seat)
            line = message.write_end(DEAL, d.places, d.points, d.seen(self.seat, start), fault)
        elif self.seat in board.pending:
            self._asked = cursor
            line = self._question(board, start)
        elif self.news and cursor != self._told:
            self._told, self._start = cursor, len(d.log)
            seen = to_line(board.view(self.seat, start)).encode()
            return self._line(cursor, seen)._replace(news=True, turn=board.on_turn)
        else:
            return None
        self._told, self._start = cursor, len(d.log)
        return self._line(cursor, line)

    def _question(self, board: Board, start: int) -> bytes:
        """With the deal's seed for chance until this seat has answered once."""
        answered = any(seat == self.seat for seat, _ in board.ops)
        rng = "" if answered else bot_seed(self.folded.head.seed, self.seat)
        left = self.folded.left_ms if board.window else self.folded.clocks()[self.seat]
        return message.write_question(board.deal.view(self.seat, start), DEAL, rng, left / 1000)

    def _hello(self) -> bytes:
        head, rules = self.folded.head, self.folded.board.deal.rules
        return message.write_hello(rules, rules.chosen, head.seats, self.seat, head.time.bank_ms / 1000)

    def _line(self, cursor: int, line: bytes) -> Line:
        return Line(cursor, line.decode().rstrip("\n"), self.folded.clocks())


def _read(seat: int, op: str, line: str) -> Entry:
    try:
        return read_reply(seat, op, line)
    except Misplay as misplay:
        kind: type[MaumauError] = IllegalAction if misplay.kind == "illegal" else UnreadableAction
        raise kind(misplay.words) from None
