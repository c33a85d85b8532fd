"""A table folded from its log: the answers due, and each seat's view. Pure: no clock, no Redis.

An answer in a reaction window is kept until the last one is in, or until the window has closed; then all are
applied in the order of the seats. Until then nothing of it is visible: `turn`, the cursor that players
and watchers know, does not move.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from maumau.contest.ladder.time_control import TimeControl
from maumau.contest.seed import compute_commitment, deal_seed, new_secret
from maumau.errors import IllegalAction, UnreadableAction
from maumau.game import Action, Deal, Rules, View, deal, drop_mark, first_action, load_text, replay
from maumau.protocol.fault import Misplay
from maumau.protocol.message import NOTE, Reply
from maumau.protocol.reply import carry_out, read_line
from maumau.protocol.words import clean_text
from maumau.rulebook.named import find_rules

Kind = Literal["play", "lapse", "flag", "void"]
Outcome = Literal["ok", "repeat", "gone", "ended", "stale", "late", "early", "replaced", "waiting", "claimed"]
LINE: Final = 4096  # characters of a reply
FALLBACK: Final = ("hold", "innocent")  # the answers of a seat that stays silent in a window
SLOWEST: Final = "react:999"
LEFT: Final = "left"
"""The kind of fault of a player that gives up."""


class SeatedPlayer(Struct, frozen=True):
    """A player at a seat; bot_name: the account's own name for its program, "" for a person."""

    account_id: str
    account_name: str
    bot_name: str


class TableHead(Struct, frozen=True, kw_only=True):
    """The fixed properties of a table. tokens: SHA-256 of each seat's; created_at: ms since 1970.

    players: by seat, if the matchmaking service opened the table and gets its result. record: that from which
    the deal is played on, "" for a fresh one. variant_toml: the text of a custom variant. is_named: the
    account may be named on the board of people. day: of whose deal it is an attempt, else "".
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
    players: list[SeatedPlayer] = []
    rated: bool = False
    record: str = ""
    variant_toml: str = ""
    is_named: bool = False
    day: str = ""

    @property
    def rule_set(self) -> Rules:
        """The rules, without those that the players of a record have added."""
        own = self.variant_toml
        return load_text(self.rules, own) if own else find_rules(self.rules, self.options_json)

    @property
    def begun_lines(self) -> int:
        """The number of lines of the record from which the deal is played on, without a mark of forfeits."""
        return drop_mark(self.record).count("\n")

    @property
    def seed(self) -> str:
        """The seed of the deal."""
        return deal_seed(self.secret, self.hash, self.id, 0)

    @property
    def commitment(self) -> str:
        return compute_commitment(self.secret)


class TableEntry(Struct, frozen=True, omit_defaults=True):
    """One entry of a table's log.

    play: a seat's reply, `op` its own id for it; lapse: a window has closed; flag: a seat has lost the deal,
    by its time or by `words`; void: the table has ended without a result.
    """

    kind: Kind
    seat: int = -1
    act: str = ""
    also: list[str] = []
    note: str = ""
    op: str = ""
    words: str = ""


class TableState(NamedTuple):
    """The state of a table. left_ms: until its deadline; banks_ms: as they were when the question was asked.

    accounts: by seat the name of the account that came first, empty for whoever came without one. bots: by
    seat the bot for which a worker came first, and nobody else since. claims: by seat, empty where none was
    made.
    """

    state: str
    length: int
    left_ms: int
    ran_ms: int
    banks_ms: list[int]
    joined: list[int]
    streams: list[str]
    accounts: Sequence[str]
    bots: Sequence[str] = ()
    claims: Sequence[str] = ()


class Logged(NamedTuple):
    """An entry, and the time when it was made, in ms of the table's clock."""

    entry: TableEntry
    at: int


class Claimant(NamedTuple):
    """A caller who takes a seat. account: by name, or "".

    claim: chosen by the browser that follows a link, and required from then on. bot: the one a worker plays.
    rights: of a worker, which alone may take a bot's seat, or of the arena's page. The page needs no claim:
    it has given a sealed cookie to the one browser that made it.
    """

    account: str = ""
    claim: str = ""
    bot: str = ""
    rights: Literal["", "page", "worker"] = ""


class TableChange(NamedTuple):
    """A change of a table, and the state after it.

    what: join, play, expire, leave, close. same: the question stays, with its deadline. who: joins.
    """

    what: str
    table_id: str
    seats: int
    expected: int = 0
    seat: int = -1
    op: str = ""
    stream: str = ""
    entry: TableEntry | None = None
    state: str = "playing"
    asked: Sequence[int] = ()
    window: bool = False
    same: bool = False
    who: Claimant = Claimant()


class Done(NamedTuple):
    """The script's answer; bank_ms: the seat's time left; now_ms: the table's time."""

    outcome: Outcome
    length: int = 0
    left_ms: int = 0
    bank_ms: int = 0
    now_ms: int = 0


def new_tokens(table_id: str, seats: int) -> list[str]:
    """Return tokens of seats: the table, the seat's number, and 32 random bytes."""
    return [f"{table_id}/{seat}/{secrets.token_urlsafe(32)}" for seat in range(seats)]


def begin_deal(head: TableHead, rules: Rules) -> Deal:
    """Return the deal of a table before its first entry; raise BadRecord for a record against the rules."""
    if head.record:
        return replay(head.record, own=rules if rules.text else None)
    return deal(rules, head.seats, head.seed)


def hash_token(token: str) -> str:
    """Return the hash of a token, which is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_head(**fields: object) -> TableHead:
    """Return a head with a fresh secret."""
    return msgspec.convert({**fields, "secret": new_secret()}, TableHead)


def read_reply(seat: int, op: str, line: str) -> TableEntry:
    """Return a reply as an entry; raise Misplay if it cannot be read."""
    reply = read_line(line.strip().encode())
    return TableEntry("play", seat, reply.act.strip(), reply.also, clean_text(reply.note[:NOTE]), op)


class TableBoard:
    """A table after some entries of its log. `turn`: the length at the last visible change."""

    __slots__ = (
        "answers",
        "asked",
        "deal",
        "head",
        "length",
        "marks",
        "ops",
        "said",
        "silent",
        "turn",
        "window",
        "words",
    )

    def __init__(self, head: TableHead, rules: Rules) -> None:
        self.head = head
        self.deal: Deal = begin_deal(head, rules)
        self.length = self.turn = 0
        self.asked: tuple[int, ...] = ()  # the seats that were asked
        self.window = False  # True if they were asked in a reaction window
        self.answers: dict[int, TableEntry] = {}  # answers kept until it closes
        self.silent: set[int] = set(self.deal.faults)  # seats for which stand-ins play
        self.said: set[str] = set()
        self.ops: set[tuple[int, str]] = set()
        self.words = ""  # why the table is void
        self.marks: list[int] = []  # by length: the events of the deal by then
        self._play_silent()
        self.marks.append(len(self.deal.log))

    def copy(self) -> TableBoard:
        """Return an independent copy."""
        twin = TableBoard.__new__(TableBoard)
        for name in TableBoard.__slots__:
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
        """True if nothing more can happen."""
        return self.void or self.deal.over

    @property
    def pending(self) -> tuple[int, ...]:
        """The seats whose answer is due."""
        return () if self.over else tuple(seat for seat in self.asked if seat not in self.answers)

    @property
    def on_turn(self) -> int | None:
        """The seat whose clock runs, None in a window."""
        return None if self.window or not self.pending else self.pending[0]

    @property
    def cursor(self) -> int:
        """The progress of the table as players and watchers know it, from 1."""
        return self.turn + 1

    def seen_at(self, cursor: int) -> int:
        """Return the number of the deal's events visible up to this cursor; 0: none."""
        return self.marks[min(cursor, self.cursor) - 1] if cursor else 0

    # --- what happens ---

    def check_reply(self, entry: TableEntry) -> None:
        """Raise Misplay, IllegalAction or UnreadableAction if this reply is not allowed now."""
        carry_out(self.deal.copy(), entry.seat, _build_reply(entry), self.deal.also(entry.seat), set())

    def apply_entry(self, entry: TableEntry) -> None:
        """Apply one entry of the log."""
        self.length += 1
        if entry.kind == "play":
            self.ops.add((entry.seat, entry.op))
            self.answers[entry.seat] = entry
            if not self.pending:
                self._close_window()
        elif entry.kind == "lapse":
            self._close_window()
        elif entry.kind == "flag":
            self._forfeit_seat(entry.seat, entry.words or "time")
        else:
            self.words = entry.words or "it was closed"
            self.turn = self.length
        self.marks.append(len(self.deal.log))

    def _close_window(self) -> None:
        """Apply all answers in the order of the seats, with fallbacks for missing ones."""
        for seat in self.asked:
            if seat in self.deal.to_act:
                self._apply_answer(seat, self.answers.get(seat))
        self._play_silent()

    def _apply_answer(self, seat: int, entry: TableEntry | None) -> None:
        """Apply a seat's answer; if others' answers have made it illegal, the seat is asked again."""
        if entry is None:
            self.deal.apply(seat, choose_fallback(self.deal, seat))
            return
        with suppress(Misplay, IllegalAction, UnreadableAction):
            carry_out(self.deal, seat, _build_reply(entry), self.deal.also(seat) + entry.also, self.said)

    def _forfeit_seat(self, seat: int, kind: str) -> None:
        """Let a seat lose unless it has gone out; a stand-in plays on, and if only one is left, for all."""
        if self.deal.can_lose(seat):
            self.deal.forfeit(seat, kind)
        self.silent.add(seat)
        if self.head.seats - len(self.silent) <= 1:
            self.silent = set(range(self.head.seats))
        self._play_silent()

    def _play_silent(self) -> None:
        """Play for the silent seats until another seat must answer."""
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

    def view_seat(self, seat: int, start: int) -> View:
        """Return a seat's view; one that has answered is asked nothing."""
        seen = self.deal.view(seat, start)
        if seat in self.pending:
            return seen
        return replace(seen, ask="", legal=[], call={}, also=UNSET, after=UNSET, drawn=UNSET, shown=UNSET)


def choose_fallback(d: Deal, seat: int) -> Action | str:
    """Return the answer of a seat that stays silent in a window: the one that does nothing."""
    if d.asks == "react":
        return SLOWEST
    legal = [action.text for action in d.legal(seat)]
    return next((word for word in FALLBACK if word in legal), None) or first_action(d, seat)


def _build_reply(entry: TableEntry) -> Reply:
    return Reply(entry.act, entry.also, entry.note)
