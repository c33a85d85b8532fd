"""The engine service's RPCs: live tables and their seats; no message of the contract leaves this file.

```python
with Tables("127.0.0.1:7103", token="mm_…") as tables:
    table, tokens = tables.create("prsi", seats=2)
    with tables.sit(tokens[0]) as seat:
        for told in seat:
            if told.kind == "line" and "ask" in told.view:
                seat.reply(told.cursor, told.view["legal"][0])
```
A seat that is cut off reconnects by itself, for at most `patience` seconds from when that was noticed, and
its replies count once.
Errors are those of `maumau.errors`.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, Self

import msgspec

from maumau.client import call
from maumau.client.link import Link
from maumau.contest.ladder.time_control import TimeControl, read_seconds
from maumau.errors import ArenaUnreachable
from maumau.game import Rules, drop_mark, load_text
from maumau.process.silence import await_first
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import engine_pb2_grpc, game_pb2

PATIENCE = 30.0  # seconds that a table may be silent while a seat is cut off
STUB: Any = engine_pb2_grpc.EngineServiceStub
STATES = {
    pb.TABLE_STATE_WAITING: "waiting",
    pb.TABLE_STATE_PLAYING: "playing",
    pb.TABLE_STATE_OVER: "over",
    pb.TABLE_STATE_VOID: "void",
}

PLAIN = (
    "id",
    "seats",
    "cursor",
    "words",
    "account_name",
    "commitment",
    "secret",
    "record",
    "delay_seconds",
    "begun_lines",
    "named",
    "day",
)
LISTS = ("names", "clocks_ms", "places", "points", "joined", "bot_names", "faults")


class Table(msgspec.Struct, frozen=True):
    """A live table. state: waiting, playing, over, void; clocks_ms: by seat; turn: whose clock runs.

    bot_names: by seat the arena's bot that plays there, "" for others; none if there are no such bots.
    time: the clocks as they were set. faults: by seat time or left, "" for others; none if nobody has lost by
    a fault. delay_seconds: after which watchers see the hands, 0 if only after the end. variant_toml: of a
    custom variant, else "". begun_lines: of the record from which the table goes on, 0 at others.
    named: the account that made it may be named on the board of people. day: of whose deal it is an attempt,
    else "".
    """

    id: str
    rules: str
    options_json: str
    seats: int
    names: tuple[str, ...]
    state: str
    clocks_ms: tuple[int, ...]
    turn: int | None
    cursor: int
    words: str
    places: tuple[int, ...]
    points: tuple[int, ...]
    account_name: str
    commitment: str
    secret: str
    record: str
    joined: tuple[int, ...]
    created_at: datetime | None = None
    bot_names: tuple[str, ...] = ()
    time: TimeControl | None = None
    faults: tuple[str, ...] = ()
    delay_seconds: int = 0
    variant_toml: str = ""
    begun_lines: int = 0
    named: bool = False
    day: str = ""

    @property
    def own_rules(self) -> Rules | None:
        """The rules of a custom variant; None for one of the arena's."""
        return load_text(self.rules, self.variant_toml) if self.variant_toml else None

    @property
    def start(self) -> str:
        """The record from which the table goes on, once the table has ended; "" at others."""
        plain = drop_mark(self.record)
        begun = "".join(plain.splitlines(keepends=True)[: self.begun_lines])
        if plain == self.record or "\nforfeit " not in begun:
            return begun
        return "".join(self.record.splitlines(keepends=True)[: self.begun_lines + 1])


class Told(msgspec.Struct, frozen=True):
    """A message to a seat or a watcher.

    kind: seated, line (of docs/reference/protocol.md), news, taken, refused, replaced, voided, away (cut off;
    it comes back by itself). view: the line's fields; words: why it was refused or is void.
    """

    kind: Literal["seated", "line", "news", "taken", "refused", "replaced", "voided", "away", "table"]
    cursor: int = 0
    line: str = ""
    view: dict[str, Any] = {}
    clocks_ms: tuple[int, ...] = ()
    turn: int | None = None
    seat: int = -1
    table: Table | None = None
    words: str = ""
    reason: str = ""


class Tables:
    """The engine service at an address (host:port), with a token.

    hint: added to errors of calls that it does not answer.
    """

    def __init__(
        self, address: str, token: str = "", *, tls: bool = False, patience: float = PATIENCE, hint: str = ""
    ) -> None:
        self.address, self.patience = call.describe_address(address, hint=hint), patience
        self._channel = call.open_channel(address, tls=tls)
        self.stub = STUB(self._channel)
        self._link = Link(self.stub, self.address, token, patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all calls."""
        self._channel.close()

    def create(  # noqa: PLR0913 - a keyword for everything that may be chosen
        self,
        rules: str,
        options_json: str = "",
        *,
        seats: int = 2,
        names: Sequence[str] = (),
        bank: float = 60,
        increment: float = 1,
        window: float = 8,
        join: float = 60,
        unlisted: bool = False,
        record: str = "",
        variant_toml: str = "",
    ) -> tuple[Table, list[str]]:
        """Create a table; return it with its seats' tokens; times in seconds. join: until all must come.

        record: the beginning of one, from which the deal is played on; with the text of its own variant.
        """
        given = read_seconds(bank=bank, increment=increment, window=window, join=join)
        clocks = msgspec.structs.asdict(given)
        request = pb.CreateTableRequest(
            rules=game_pb2.RuleSet(name=rules, options_json=options_json, variant_toml=variant_toml),
            seats=seats,
            names=names,
            time=pb.TimeControl(**clocks),
            unlisted=unlisted,
            record=record,
        )
        made = self._link.call("CreateTable", request)
        return read_table(made.table), list(made.seat_tokens)

    def table(self, table_id: str) -> Table:
        """Return a table's present state."""
        return read_table(self._link.call("GetTable", pb.GetTableRequest(table_id=table_id)).table)

    def tables(self, *, ended: bool = False) -> tuple[Table, ...]:
        """Return the open tables, or the recently ended ones, newest first."""
        found = self._link.call("ListTables", pb.ListTablesRequest(ended=ended))
        return tuple(read_table(each) for each in found.tables)

    def close_table(self, table_id: str, words: str = "") -> Table:
        """Close one's own table without a result."""
        return read_table(
            self._link.call("CloseTable", pb.CloseTableRequest(table_id=table_id, words=words)).table
        )

    def watch(self, table_id: str, after: int = 0) -> Iterator[Told]:
        """Yield the table first and last, and the events between, from a cursor; resumes by itself."""
        cursor, ended, has_begun = after, False, False

        def open_stream() -> Iterator[Told]:
            nonlocal cursor, ended, has_begun
            request = pb.WatchTableRequest(table_id=table_id, after=cursor)
            stream = self._link.stream("WatchTable", request)
            for part in stream if has_begun else await_first(self.address, stream):
                has_begun = True
                if part.HasField("table"):
                    found = read_table(part.table)
                    ended = found.state in ("over", "void")
                    yield Told("table", cursor=found.cursor, table=found, clocks_ms=found.clocks_ms)
                else:
                    cursor = part.news.cursor
                    yield read_news("news", part.news)
            if not ended:
                raise ArenaUnreachable("the arena ended the watch before the table was over")

        return self._link.resume(open_stream)

    def new_metadata(self) -> tuple[tuple[str, str], ...]:
        """Return the metadata of a stream that a seat plays on."""
        return self._link.new_metadata()

    def sit(self, token: str, *, news: bool = False, after: int = 0, bot: str = "") -> Seat:
        """Return the seat of a token, to be played. after: the cursor of the last line of an earlier time.

        bot: that for which one of the arena's workers comes.
        """
        return Seat(self, token, news=news, after=after, bot=bot)


class Seat:
    """One seat of a table: iterate over its messages, `reply` to its questions (from any thread)."""

    def __init__(self, tables: Tables, token: str, *, news: bool, after: int = 0, bot: str = "") -> None:
        self.tables, self.token, self.news, self.bot = tables, token, news, bot
        self._cursor, self._asked = after, 0
        self._unsure: pb.PlayReply | None = None  # sent, and not known to have arrived
        self._sent: queue.Queue[Any] = queue.Queue()
        self._call: Any = None
        self._lock = threading.Lock()
        self._closed = self._has_begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def reply(self, cursor: int, line: str) -> None:
        """Answer the question of this cursor; `taken` or `refused` follows as a message."""
        reply = pb.PlayReply(cursor=cursor, op_id=secrets.token_hex(8), line=line)
        with self._lock:
            self._unsure = reply
            self._sent.put(pb.PlayRequest(reply=reply))

    def leave(self) -> None:
        """Leave the table; the seat's clock runs on."""
        self._closed = True
        self._sent.put(None)
        if self._call is not None:
            self._call.cancel()

    def __iter__(self) -> Iterator[Told]:
        patience = call.Patience(self.tables.patience)
        while not self._closed:
            try:
                for told in self._open_stream():
                    patience.note_answer()
                    yield told
                    if told.kind in ("replaced", "voided") or told.view.get("bye"):
                        return
            except call.TRY_AGAIN as error:
                if self._closed:
                    return
                pause = patience.take_pause(error)  # at once: its clock runs
                yield Told("away", words=str(error))
                time.sleep(pause)

    def _open_stream(self) -> Iterator[Told]:
        with self._lock:
            self._sent.put(None)
            self._sent = queue.Queue()
            hello = pb.PlayHello(seat_token=self.token, after=self._cursor, news=self.news, bot_name=self.bot)
            self._sent.put(pb.PlayRequest(hello=hello))
            if self._unsure is not None:
                self._sent.put(pb.PlayRequest(reply=self._unsure))
            sent = self._sent
        with call.rpc_errors(self.tables.address):
            self._call = self.tables.stub.Play(iter(sent.get, None), metadata=self.tables.new_metadata())
            for part in self._call if self._has_begun else await_first(self.tables.address, self._call):
                self._has_begun = True
                told = self._hear_part(part)
                if told is not None:
                    yield told

    def _hear_part(self, part: Any) -> Told | None:
        """Return the message as a struct; None for a question that was asked already."""
        kind = part.WhichOneof("part")
        said = getattr(part, kind)
        if kind == "seated":
            found = read_table(said.table)
            return Told("seated", seat=said.seat, table=found, clocks_ms=found.clocks_ms, turn=found.turn)
        if kind in ("line", "news"):
            self._cursor = max(self._cursor, said.cursor)
            told = read_news(kind, said)
            if "ask" in told.view and kind == "line":
                if said.cursor == self._asked:
                    return None
                self._asked = said.cursor
            return told
        if kind in ("taken", "refused"):
            with self._lock:
                if self._unsure is not None and self._unsure.op_id == said.op_id:
                    self._unsure = None
        words = said.refusal.message if kind == "refused" else getattr(said, "words", "")
        return Told(kind, words=words, reason=said.refusal.reason if kind == "refused" else "")


def read_news(kind: Any, said: Any) -> Told:
    """Return the message's content; kind: line or news."""
    turn = said.turn if kind == "news" and said.HasField("turn") else None
    view = msgspec.json.decode(said.line)
    return Told(
        kind, cursor=said.cursor, line=said.line, view=view, clocks_ms=tuple(said.clocks_ms), turn=turn
    )


def read_table(message: Any) -> Table:
    """Return the table of the message."""
    values: dict[str, Any] = {name: getattr(message, name) for name in PLAIN}
    lists: dict[str, Any] = {name: tuple(getattr(message, name)) for name in LISTS}
    return Table(
        rules=message.rules.name,
        options_json=message.rules.options_json,
        variant_toml=message.rules.variant_toml,
        state=STATES.get(message.state, ""),
        turn=message.turn if message.HasField("turn") else None,
        created_at=message.created_at.ToDatetime(tzinfo=UTC) if message.HasField("created_at") else None,
        time=_read_clocks(message.time) if message.HasField("time") else None,
        **values,
        **lists,
    )


def _read_clocks(message: Any) -> TimeControl:
    return TimeControl(**{name: getattr(message, name) for name in TimeControl.__struct_fields__})
