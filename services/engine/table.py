"""A table folded from its log: whose answer is due, and what each may see. Pure: no clock, no Redis.

An answer in a reaction window is kept until the last one is in, or until the window has closed; then all are
carried out in the order of the seats. Until then nobody sees anything of it: `turn`, the cursor that players
and watchers know, stays where it was.
"""

from __future__ import annotations

import hashlib
import secrets
from contextlib import suppress
from typing import Final, Literal

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from maumau.bot.fault import Misplay
from maumau.bot.message import NOTE, Reply
from maumau.bot.reply import carry_out, read_line
from maumau.bot.words import clean_text
from maumau.contest.seed import commitment, deal_seed, new_secret
from maumau.contest.time_control import TimeControl
from maumau.errors import BadSeatToken, IllegalAction, UnreadableAction
from maumau.game import Action, Deal, Rules, View, deal, first_action

Kind = Literal["play", "lapse", "flag", "void"]
LINE: Final = 4096  # characters of a reply
FALLBACK: Final = ("hold", "innocent")  # the answers of who says nothing in a window
SLOWEST: Final = "react:999"


class Player(Struct, frozen=True):
    """Who plays at a seat; bot_name: the account's own name for its program, "" for a person."""

    account_id: str
    account_name: str
    bot_name: str


class Head(Struct, frozen=True, kw_only=True):
    """What a table is from its beginning on. tokens: SHA-256 of each seat's; created_at: ms since 1970.

    players: by seat, where the matchmaking service has made the table and is told its result.
    """

    id: str
    rules: str
    options_json: str
    hash: str
    seats: int
    names: list[str]
    time: TimeControl
    secret: str
    tokens: list[str]
    account_id: str
    account_name: str
    created_at: int
    delay_ms: int = 0
    unlisted: bool = False
    players: list[Player] = []
    rated: bool = False

    @property
    def seed(self) -> str:
        """The deal's."""
        return deal_seed(self.secret, self.hash, self.id, 0)

    @property
    def commitment(self) -> str:
        return commitment(self.secret)


class Entry(Struct, frozen=True, omit_defaults=True):
    """One entry of a table's log.

    play: a seat's reply, `op` its own word for it; lapse: a window has closed; flag: a seat's time is over;
    void: the table has ended without a result.
    """

    kind: Kind
    seat: int = -1
    act: str = ""
    also: list[str] = []
    note: str = ""
    op: str = ""
    words: str = ""


def new_tokens(table_id: str, seats: int) -> list[str]:
    """Tokens of seats: the table, the seat's number, and 32 random bytes."""
    return [f"{table_id}/{seat}/{secrets.token_urlsafe(32)}" for seat in range(seats)]


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def split_token(token: str) -> tuple[str, int]:
    """The table and the seat that a token names; BadSeatToken if it is none."""
    table_id, _, rest = token.partition("/")
    seat = rest.partition("/")[0]
    if not table_id.startswith("table_") or len(token) > 200 or not (seat.isascii() and seat.isdecimal()):
        raise BadSeatToken
    return table_id, int(seat[:3])


def new_head(**fields: object) -> Head:
    """A head with a fresh secret."""
    return msgspec.convert({**fields, "secret": new_secret()}, Head)


def read_reply(seat: int, op: str, line: str) -> Entry:
    """A reply as an entry; Misplay if it cannot be read."""
    reply = read_line(line.strip().encode())
    return Entry("play", seat, reply.act.strip(), reply.also, clean_text(reply.note[:NOTE]), op)


class Board:
    """A table after some entries of its log. `turn`: the length when what is visible last changed."""

    __slots__ = (
        "answers", "asked", "deal", "head", "length", "marks", "ops", "said", "silent", "turn", "window",
        "words",
    )  # fmt: skip

    def __init__(self, head: Head, rules: Rules) -> None:
        self.head = head
        self.deal: Deal = deal(rules, head.seats, head.seed)
        self.length = self.turn = 0
        self.asked: tuple[int, ...] = ()  # the seats that were asked
        self.window = False  # whether they were asked in a reaction window
        self.answers: dict[int, Entry] = {}  # those that are kept until it closes
        self.silent: set[int] = set()  # seats for which stand-ins play
        self.said: set[str] = set()
        self.ops: set[tuple[int, str]] = set()
        self.words = ""  # why the table is void
        self.marks: list[int] = []  # by length: the events of the deal by then
        self._settle()
        self.marks.append(len(self.deal.log))

    def copy(self) -> Board:
        """The same table once more."""
        twin = Board.__new__(Board)
        for name in Board.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.deal = self.deal.copy()
        twin.answers, twin.silent, twin.said = dict(self.answers), set(self.silent), set(self.said)
        twin.ops, twin.marks = set(self.ops), self.marks[:]
        return twin

    @property
    def void(self) -> bool:
        return bool(self.words)

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.void or self.deal.over

    @property
    def pending(self) -> tuple[int, ...]:
        """The seats whose answer is due."""
        return () if self.over else tuple(seat for seat in self.asked if seat not in self.answers)

    @property
    def on_turn(self) -> int | None:
        """The seat whose clock runs."""
        return None if self.window or not self.pending else self.pending[0]

    @property
    def cursor(self) -> int:
        """How far the table has come, as players and watchers know it: from 1."""
        return self.turn + 1

    def seen_at(self, cursor: int) -> int:
        """How many events of the deal whoever was told up to this cursor has seen; 0: nothing."""
        return self.marks[min(cursor, self.cursor) - 1] if cursor else 0

    # --- what happens ---

    def check(self, entry: Entry) -> None:
        """Misplay, IllegalAction or UnreadableAction if this reply is not allowed now."""
        carry_out(self.deal.copy(), entry.seat, _reply(entry), self.deal.also(entry.seat), set())

    def apply(self, entry: Entry) -> None:
        """Go on by one entry of the log."""
        self.length += 1
        if entry.kind == "play":
            self.ops.add((entry.seat, entry.op))
            self.answers[entry.seat] = entry
            if not self.pending:
                self._close()
        elif entry.kind == "lapse":
            self._close()
        elif entry.kind == "flag":
            self._forfeit(entry.seat)
        else:
            self.words = entry.words or "it was closed"
            self.turn = self.length
        self.marks.append(len(self.deal.log))

    def _close(self) -> None:
        """Everybody has answered, or will not: the answers in the order of the seats."""
        for seat in self.asked:
            if seat in self.deal.to_act:
                self._answer(seat, self.answers.get(seat))
        self._settle()

    def _answer(self, seat: int, entry: Entry | None) -> None:
        """What others have said on the same view may have changed what is allowed: then it is asked anew."""
        if entry is None:
            self.deal.apply(seat, fallback(self.deal, seat))
            return
        with suppress(Misplay, IllegalAction, UnreadableAction):
            carry_out(self.deal, seat, _reply(entry), self.deal.also(seat) + entry.also, self.said)

    def _forfeit(self, seat: int) -> None:
        """Its time is over: it has lost, and a stand-in plays on; where one is left, for all."""
        self.deal.forfeit(seat, "time")
        self.silent.add(seat)
        if self.head.seats - len(self.silent) <= 1:
            self.silent = set(range(self.head.seats))
        self._settle()

    def _settle(self) -> None:
        """Play for the silent seats until somebody must answer."""
        d = self.deal
        self.answers, self.said = {}, set()
        while not d.over:
            asked = tuple(seat for seat in d.to_act if seat not in self.silent)
            if asked:
                break
            seat = d.to_act[0]
            d.apply(seat, first_action(d, seat))
        self.asked = () if d.over else asked
        self.window = d.window is not None
        self.turn = self.length

    # --- what is seen ---

    def view(self, seat: int, start: int) -> View:
        """What a seat sees; one that has answered is asked nothing."""
        seen = self.deal.view(seat, start)
        if seat in self.pending:
            return seen
        return replace(seen, ask="", legal=[], call={}, also=UNSET, after=UNSET, drawn=UNSET, shown=UNSET)


def fallback(d: Deal, seat: int) -> Action | str:
    """The answer of who says nothing in a window: the one that does nothing."""
    if d.asks == "react":
        return SLOWEST
    legal = [action.text for action in d.legal(seat)]
    return next((word for word in FALLBACK if word in legal), None) or first_action(d, seat)


def _reply(entry: Entry) -> Reply:
    return Reply(entry.act, entry.also, entry.note)
