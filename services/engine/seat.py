"""A seat played through a stream: the lines that it gets, and its replies."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import AsyncIterator
from typing import Final, NamedTuple

from maumau.errors import BadRequest, BadSeatToken, IllegalAction, MaumauError, UnreadableAction
from maumau.game import bot_seed
from maumau.protocol import message
from maumau.protocol.fault import Misplay
from maumau.protocol.words import clean_line
from services.engine.fold import to_line
from services.engine.folded import Folded
from services.engine.replica import LOST, Replica
from services.engine.table import LINE, Claimant, TableBoard, TableEntry, hash_token, read_reply
from services.shared.base.seat_token import split_token

DEAL: Final = 0  # the number of a table's only deal, for programs
NAME: Final = 40  # characters of a bot's name
OPS: Final = 64  # characters of a reply's op_id
CLAIM: Final = re.compile(r"[0-9a-f]{16,64}")


class SeatLine(NamedTuple):
    """A line of docs/reference/protocol.md, with the clocks; news: it needs no reply."""

    cursor: int
    line: str
    clocks: list[int]
    turn: int | None = None
    news: bool = False


class Replaced(NamedTuple):
    """Another stream has taken the seat."""


class Voided(NamedTuple):
    """The table has ended without a result."""

    words: str


Told = SeatLine | Replaced | Voided


async def find_seat(replica: Replica, token: str) -> tuple[Folded, int]:
    """Return the table and seat of a token; raise BadSeatToken, or UnknownTable if the table is gone."""
    table_id, seat = split_token(token)
    folded = await replica.open_table(table_id)
    tokens = folded.head.tokens
    if seat >= len(tokens) or not hmac.compare_digest(hash_token(token), tokens[seat]):
        raise BadSeatToken
    return folded, seat


class SeatStream:
    """A stream of a seat, and what it was sent. `after`: cursor of the last line of an earlier stream."""

    def __init__(
        self,
        replica: Replica,
        folded: Folded,
        seat: int,
        after: int,
        *,
        news: bool,
        claim: str = "",
        bot: str = "",
    ) -> None:
        if after > folded.board.cursor:
            raise BadRequest(
                f"The table has not come to {after} yet; say the cursor of the last line you got."
            )
        self.replica, self.folded, self.seat, self.news = replica, folded, seat, news
        check_claim(claim, "hello.claim")
        self.id, self._claim, self.bot = secrets.token_hex(8), claim, clean_line(bot, NAME)
        self._fresh = not after
        self._start = folded.board.seen_at(after)
        self._asked, self._told = 0, after

    async def take_seat(self, who: Claimant) -> None:
        """Take the seat, with the claim of this stream; end an earlier stream of the seat."""
        await self.replica.seat_caller(self.folded, self.seat, self.id, who._replace(claim=self._claim))

    async def handle_reply(self, cursor: int, op: str, line: str) -> None:
        """Carry out a reply; raise an error if it does not count."""
        _check_op(op, "reply")
        if len(line) > LINE:
            raise BadRequest(f"A reply has at most {LINE:,} characters.", field="reply.line")
        await self.replica.play_reply(self.folded, self.id, cursor, _read_entry(self.seat, op, line))

    async def leave_seat(self, op: str) -> None:
        """Give the seat up; sent again, it counts once."""
        _check_op(op, "leave")
        await self.replica.leave_seat(self.folded, self.seat, self.id)

    async def stream_lines(self) -> AsyncIterator[Told]:
        """Yield everything for this seat, until the table ends or another stream takes the seat."""
        folded = self.folded
        if self._fresh:
            yield self._make_line(0, self._write_hello())
        while True:
            version, board = folded.version, folded.board
            ending = self._find_ending(board)
            if ending is not None:
                yield ending
                return
            if folded.standing.state in ("playing", "over"):
                if line := self._find_next(board):
                    yield line
                    continue
                if board.deal.over:
                    yield self._make_line(board.cursor, message.BYE)
                    return
            await self.replica.await_change(folded, version)

    def _find_ending(self, board: TableBoard) -> Told | None:
        if self.folded.lost:
            return Voided(LOST)
        if board.void:
            return Voided(board.words)
        if self.folded.ended:  # a stream that comes back then gets the end: seats are taken no more
            return None
        return Replaced() if self.folded.standing.streams[self.seat] != self.id else None

    def _find_next(self, board: TableBoard) -> SeatLine | None:
        """Return a question, the end, or others' moves; None if there is nothing new."""
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
            line = self._write_question(board, start)
        elif self.news and cursor != self._told:
            self._told, self._start = cursor, len(d.log)
            seen = to_line(board.view_seat(self.seat, start)).encode()
            return self._make_line(cursor, seen)._replace(news=True, turn=board.on_turn)
        else:
            return None
        self._told, self._start = cursor, len(d.log)
        return self._make_line(cursor, line)

    def _write_question(self, board: TableBoard, start: int) -> bytes:
        """Return the question, with the seat's random seed until it has answered once."""
        answered = any(seat == self.seat for seat, _ in board.ops)
        rng = "" if answered else bot_seed(self.folded.head.seed, self.seat)
        left = self.folded.left_ms if board.window else self.folded.read_clocks()[self.seat]
        return message.write_question(board.deal.view(self.seat, start), DEAL, rng, int(left))

    def _write_hello(self) -> bytes:
        head, rules = self.folded.head, self.folded.board.deal.rules
        return message.write_hello(rules, rules.chosen, head.seats, self.seat, head.time.bank_ms / 1000)

    def _make_line(self, cursor: int, line: bytes) -> SeatLine:
        return SeatLine(cursor, line.decode().rstrip("\n"), self.folded.read_clocks())


def check_claim(claim: str, field: str) -> None:
    """Raise BadRequest for what cannot be a claim; an empty one is none."""
    if claim and not CLAIM.fullmatch(claim):
        raise BadRequest("A claim has 16 to 64 hexadecimal digits.", field=field)


def _check_op(op: str, part: str) -> None:
    if not op or len(op) > OPS:
        raise BadRequest(f"A reply has an op_id of 1 to {OPS} characters.", field=f"{part}.op_id")


def _read_entry(seat: int, op: str, line: str) -> TableEntry:
    try:
        return read_reply(seat, op, line)
    except Misplay as misplay:
        kind: type[MaumauError] = IllegalAction if misplay.kind == "illegal" else UnreadableAction
        raise kind(misplay.words) from None
