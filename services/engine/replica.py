"""The tables that this process has folded: a mere cache of what Redis has, with who waits for news of them.

Own changes are seen at once, those of other replicas by the news. If these are lost, a look every two seconds
finds out. Deadlines are watched by whoever follows a table, and by every replica's sweep.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

from maumau.bot.fault import Misplay
from maumau.errors import (
    ArenaUnreachable,
    DatabaseUnavailable,
    DeadlinePassed,
    IllegalAction,
    MaumauError,
    NotAsked,
    SeatTaken,
    StaleTurn,
    TableBusy,
    TableEnded,
    TooLate,
    UnknownTable,
    UnreadableAction,
)
from maumau.game.action import SEATS
from maumau.rulebook.named import find_rules
from services.engine.folded import Folded
from services.engine.metrics import STATES, Metrics
from services.engine.store import Change, Done, Tables
from services.engine.table import Board, Entry, Head
from services.shared import log

KEPT: Final = 2000  # tables that are kept folded
TRIES: Final = 20  # appends, while others are quicker
WAIT: Final = 1000  # ms that a read waits for news
GATHER: Final = 0.004  # seconds in which what comes after news is gathered
GRACE: Final = 1000  # ms after a deadline in which those who follow the table come first
REPORT_AFTER: Final = 2000  # ms after the end in which the replica that ended a table hands its result over
LOST: Final = "the arena has lost this table"

logger = log.get(__name__)


Report = Callable[[Folded], Awaitable[None]]


class Replica:
    """Belongs to one event loop."""

    def __init__(self, store: Tables, metrics: Metrics, report: Report | None = None) -> None:
        """report: hands the result of a table over; None: nobody takes them."""
        self.store, self.metrics, self._report = store, metrics, report
        self._tables: OrderedDict[str, Folded] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = ""
        self.stopping = False

    async def create(self, head: Head) -> Folded:
        """A new table, folded."""
        folded = Folded(head, find_rules(head.rules, head.options_json, head.hash))
        await self.store.create(head, folded.board.pending, window=folded.board.window)
        self._keep(folded)
        await self.refresh(folded)
        return folded

    async def open(self, table_id: str) -> Folded:
        """A table as it is in Redis now; UnknownTable if there is none."""
        folded = self._tables.get(table_id)
        if folded is None:
            head = await self.store.head(table_id)
            folded = self._tables.get(table_id) or Folded(head, find_rules(head.rules, head.options_json))
            self.metrics.refolds.inc()
            self._keep(folded)
        self._tables.move_to_end(table_id)
        async with folded.lock:
            await self.refresh(folded)
        if folded.lost:
            raise UnknownTable(thing=table_id)
        if not folded.followers:
            self._leave(folded)
        return folded

    def _keep(self, folded: Folded) -> None:
        self._tables[folded.head.id] = folded
        for name in list(self._tables)[: max(0, len(self._tables) - KEPT)]:
            if not self._tables[name].followers:
                del self._tables[name]

    async def refresh(self, folded: Folded) -> None:
        """Reads what is new of it."""
        try:
            standing, entries = await self.store.read(folded.head.id, folded.head.seats, folded.board.length)
        except UnknownTable:
            self._lose(folded)
            return
        if entries:
            board = folded.board.copy()
            for logged in entries:
                board.apply(logged.entry)
            folded.board = board
            folded.times += [logged.at for logged in entries]
        before, folded.standing, folded.heard = folded.standing, standing, time.monotonic()
        if entries or before[:2] != standing[:2] or before.streams != standing.streams:
            folded.touch()
        self._arm(folded)

    def _lose(self, folded: Folded) -> None:
        folded.lost = True
        self._tables.pop(folded.head.id, None)
        folded.touch()

    @asynccontextmanager
    async def following(self, folded: Folded) -> AsyncIterator[None]:
        """While somebody plays at a table or watches it, its deadline is watched here."""
        folded.followers += 1
        self._arm(folded)
        try:
            yield
        finally:
            folded.followers -= 1
            if not folded.followers:
                self._leave(folded)

    def _leave(self, folded: Folded) -> None:
        """Nobody follows a table any more: one that has ended is not kept."""
        if folded.timer:
            folded.timer.cancel()
        if folded.ended and self._tables.get(folded.head.id) is folded:
            del self._tables[folded.head.id]

    async def wait(self, folded: Folded, version: int) -> None:
        """Until a table has changed; ArenaUnreachable if the service stops."""
        if not self.stopping:
            await folded.wait(version)
        if self.stopping:
            raise ArenaUnreachable("The engine service stops; say hello again.")

    # --- changes ---

    async def join(self, folded: Folded, seat: int, stream: str) -> None:
        """Somebody comes to a seat; whoever played it until now is told."""
        async with folded.lock:
            change = Change("join", folded.head.id, folded.head.seats, seat=seat, stream=stream)
            await self.store.change(change)
            await self.refresh(folded)

    async def play(self, folded: Folded, stream: str, cursor: int, entry: Entry) -> None:
        """A seat's reply to the question of a cursor. An error says why it does not count."""
        began, outcome = time.perf_counter(), "refused"
        try:
            async with folded.lock:
                await self._play(folded, stream, cursor, entry)
            outcome = "taken"
        finally:
            self.metrics.actions.labels(outcome).inc()
            self.metrics.seconds.observe(time.perf_counter() - began)

    async def _play(self, folded: Folded, stream: str, cursor: int, entry: Entry) -> None:
        for _ in range(TRIES):
            if cursor > folded.board.cursor:  # another replica asked
                await self.refresh(folded)
            if (entry.seat, entry.op) in folded.board.ops:
                return
            check(folded, cursor, entry)
            board = folded.board.copy()
            board.apply(entry)
            done = await self.store.change(self._change("play", folded, board, entry, stream))
            if done.outcome == "ok":
                self._install(folded, board, done, entry.seat)
                return
            await self.refresh(folded)
            if done.outcome == "repeat":
                return
            self._refuse(folded, done)
        raise TableBusy

    def _refuse(self, folded: Folded, done: Done) -> None:
        """What the script refused; if others were only quicker it is tried again."""
        if done.outcome == "late":
            self._spawn(self.expire(folded))
            raise TooLate
        if done.outcome == "replaced":
            raise SeatTaken
        if done.outcome == "waiting":
            raise NotAsked("The deal begins when somebody has come to every seat.")
        if done.outcome in ("ended", "gone"):
            raise TableEnded

    async def close(self, folded: Folded, words: str) -> None:
        """Ends a table without a result; TableEnded if it has ended."""
        async with folded.lock:
            for _ in range(TRIES):
                entry = Entry("void", words=words)
                board = folded.board.copy()
                board.apply(entry)
                if folded.ended:
                    raise TableEnded
                done = await self.store.change(self._change("close", folded, board, entry))
                if done.outcome == "ok":
                    self._install(folded, board, done)
                    return
                await self.refresh(folded)
        raise TableBusy

    async def expire(self, folded: Folded) -> None:
        """Its deadline is over, if Redis says so: a flag, the end of a window, or of waiting."""
        async with folded.lock:
            while not folded.ended:
                entry = overdue(folded)
                board = folded.board.copy()
                board.apply(entry)
                done = await self.store.change(self._change("expire", folded, board, entry))
                if done.outcome == "ok":
                    self.metrics.flags.inc(entry.kind == "flag")
                    self._install(folded, board, done, entry.seat)
                    return
                await self.refresh(folded)
                if done.outcome == "early":
                    return

    def _change(self, what: str, folded: Folded, board: Board, entry: Entry, stream: str = "") -> Change:
        before = folded.board
        state = "void" if board.void else "over" if board.over else "playing"
        return Change(
            what, folded.head.id, folded.head.seats, before.length, entry.seat, entry.op, stream, entry,
            state, board.pending, board.window, same=board.turn == before.turn,
        )  # fmt: skip

    def _install(self, folded: Folded, board: Board, done: Done, seat: int = -1) -> None:
        """The change is in Redis; nothing has to be read."""
        old = folded.standing
        same = board.turn == folded.board.turn
        banks = old.banks_ms[:]
        if seat >= 0:
            banks[seat] = done.bank_ms
        state = "void" if board.void else "over" if board.over else "playing"
        ran = round(old.ran_ms + folded.elapsed_ms) if same else 0
        folded.standing = old._replace(
            state=state, length=done.length, left_ms=done.left_ms, ran_ms=ran, banks_ms=banks
        )
        folded.board, folded.heard = board, time.monotonic()
        folded.times.append(done.now_ms)
        folded.touch()
        self._arm(folded)
        if folded.ended:
            self.metrics.ended.labels(state).inc()
            if not folded.followers:
                self._leave(folded)
        if state == "over" and folded.head.players:
            self._spawn(self.report(folded))

    async def report(self, folded: Folded) -> None:
        """Hands a result over; what fails now is handed over again by the sweep of any replica."""
        if self._report is None:
            return
        try:
            await self._report(folded)
        except (ArenaUnreachable, DatabaseUnavailable, DeadlinePassed) as error:
            self.metrics.reports.labels("failed").inc()
            logger.info("a result waits to be handed over", table=folded.head.id, words=str(error))
            return
        except MaumauError as error:  # it would be refused for ever
            self.metrics.reports.labels("refused").inc()
            logger.warning("a result is refused", table=folded.head.id, words=str(error))
        else:
            self.metrics.reports.labels("kept").inc()
        await self.store.mark_reported(folded.head.id)

    # --- in the background ---

    def _arm(self, folded: Folded) -> None:
        if folded.timer:
            folded.timer.cancel()
        if folded.followers and not folded.ended:
            wait = folded.left_ms / 1000 + 0.001
            loop = asyncio.get_running_loop()
            folded.timer = loop.call_later(wait, lambda: self._spawn(self.expire(folded)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _quietly(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except MaumauError as error:
            logger.warning("a table could not be looked after", words=str(error))

    async def follow_news(self) -> None:
        """What other replicas have changed."""
        if not self._news:
            self._news = await self.store.last_news()
            await self.look()
        try:
            while True:
                self._news, changed = await self.store.news(self._news, WAIT)
                for table_id, length in changed.items():
                    self._hear(table_id, length)
                if changed:
                    await asyncio.sleep(GATHER)
        except MaumauError:
            self._news = ""
            raise

    def _hear(self, table_id: str, length: int) -> None:
        folded = self._tables.get(table_id)
        if folded and folded.followers and (length < 0 or length > folded.board.length):
            self._spawn(self._renew(folded))

    async def _renew(self, folded: Folded) -> None:
        async with folded.lock:
            await self.refresh(folded)

    async def look(self) -> None:
        """Whether all that is followed is still there, and as it is known here."""
        followed = [name for name, folded in self._tables.items() if folded.followers and not folded.ended]
        lengths = await self.store.states(followed) if followed else {}
        for name in followed:
            folded = self._tables.get(name)
            if folded and lengths.get(name) != folded.board.length:
                self._spawn(self._renew(folded))

    async def sweep(self) -> None:
        """Tables whose deadline is over, though nobody follows them."""
        tables = await self.store.list_open()
        for state in STATES:
            self.metrics.tables.labels(state).set(len(tables.get(state, ())))
        for table_id in await self.store.due(GRACE):
            try:
                await self.expire(await self.open(table_id))
            except UnknownTable:
                await self.store.forget(table_id)
        for table_id in await self.store.unreported(REPORT_AFTER):
            try:
                await self.report(await self.open(table_id))
            except UnknownTable:
                await self.store.mark_reported(table_id)

    def stop(self) -> None:
        """Wakes everybody: the service stops."""
        self.stopping = True
        for folded in self._tables.values():
            folded.touch()


def check(folded: Folded, cursor: int, entry: Entry) -> None:
    """Raises what is wrong with a reply, by the rules and by what was asked."""
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
        board.check(entry)
    except Misplay as misplay:
        raise (UnreadableAction if misplay.kind == "unreadable" else IllegalAction)(misplay.words) from None


def overdue(folded: Folded) -> Entry:
    """What becomes of a table when its deadline is over."""
    if folded.standing.state == "waiting":
        missing = [SEATS[seat] for seat in range(folded.head.seats) if seat not in folded.standing.joined]
        return Entry("void", words=f"nobody came to {', '.join(missing)}")
    turn = folded.board.on_turn
    return Entry("lapse") if turn is None else Entry("flag", turn)
