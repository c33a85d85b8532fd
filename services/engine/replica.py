"""Tables folded by this process: a mere cache of Redis, with tasks that wait for changes.

Own changes are visible at once, those of other replicas through the news. If news are lost, a check every two
seconds notices. Deadlines are watched for followed tables, and by every replica's sweep.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

from maumau.errors import (
    ArenaUnreachable,
    DatabaseUnavailable,
    DeadlinePassed,
    MaumauError,
    NotAsked,
    SeatTaken,
    TableBusy,
    TableEnded,
    TooLate,
    UnknownTable,
)
from maumau.game.notation.action import SEATS
from services.engine.folded import TAKEN, Folded, check_reply, find_overdue
from services.engine.metrics import STATES, EngineMetrics
from services.engine.store import TableStore
from services.engine.table import LEFT, Claimant, Done, TableBoard, TableChange, TableEntry, TableHead
from services.shared.base import log

KEPT: Final = 2000  # tables kept folded
TRIES: Final = 20  # appends tried while others are faster
WAIT: Final = 5000  # ms that a read waits for news
GATHER: Final = 0.004  # seconds for which news are gathered after the first
GRACE: Final = 1000  # ms after a deadline during which only followers of the table act on it
REPORT_AFTER: Final = 2000  # ms after the end before other replicas report a table's result
LOST: Final = "the arena has lost this table"

IDLE_SWEEPS = 3  # calls of `sweep_tables` for one look while no table is open

logger = log.get(__name__)


Report = Callable[[Folded], Awaitable[None]]


class Replica:
    """The tables of a replica, for one event loop."""

    def __init__(self, store: TableStore, metrics: EngineMetrics, report: Report | None = None) -> None:
        """Start without tables. report: reports the result of a table; None: there is no receiver."""
        self.store, self.metrics, self._report = store, metrics, report
        self._tables: OrderedDict[str, Folded] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._news = ""
        self.stopping = False
        self._sweeps, self._is_empty = 0, False  # no table was open at the last look

    async def create_table(self, head: TableHead) -> Folded:
        """Create a table and return it, folded."""
        folded = Folded(head, head.rule_set)
        await self.store.create_table(head, folded.board.pending, window=folded.board.window)
        self._keep_table(folded)
        await self.refresh_table(folded)
        return folded

    async def open_table(self, table_id: str) -> Folded:
        """Return a table as it is in Redis now; raise UnknownTable if there is none."""
        folded = self._tables.get(table_id)
        if folded is None:
            head = await self.store.read_head(table_id)
            folded = self._tables.get(table_id) or Folded(head, head.rule_set)
            self.metrics.refolds.inc()
            self._keep_table(folded)
        self._tables.move_to_end(table_id)
        async with folded.lock:
            await self.refresh_table(folded)
        if folded.lost:
            raise UnknownTable(thing=table_id)
        if not folded.followers:
            self._drop_follower(folded)
        return folded

    def _keep_table(self, folded: Folded) -> None:
        self._tables[folded.head.id] = folded
        for name in list(self._tables)[: max(0, len(self._tables) - KEPT)]:
            if not self._tables[name].followers:
                del self._tables[name]

    async def refresh_table(self, folded: Folded) -> None:
        """Read the changes of a table."""
        try:
            standing, entries = await self.store.read(folded.head.id, folded.head.seats, folded.board.length)
        except UnknownTable:
            self._drop_lost(folded)
            return
        if entries:
            board = folded.board.copy()
            for logged in entries:
                board.apply_entry(logged.entry)
            folded.board = board
            folded.times += [logged.at for logged in entries]
        before, folded.standing, folded.heard = folded.standing, standing, time.monotonic()
        if entries or before[:2] != standing[:2] or before.streams != standing.streams:
            folded.wake_waiters()
        self._arm_deadline(folded)

    def _drop_lost(self, folded: Folded) -> None:
        folded.lost = True
        self._tables.pop(folded.head.id, None)
        folded.wake_waiters()

    @asynccontextmanager
    async def follow_table(self, folded: Folded) -> AsyncIterator[None]:
        """Count a follower, whose table's deadline is watched here."""
        folded.followers += 1
        self._arm_deadline(folded)
        try:
            yield
        finally:
            folded.followers -= 1
            if not folded.followers:
                self._drop_follower(folded)

    def _drop_follower(self, folded: Folded) -> None:
        """Stop watching a table without followers; drop it if it has ended."""
        if folded.timer:
            folded.timer.cancel()
        if folded.ended and self._tables.get(folded.head.id) is folded:
            del self._tables[folded.head.id]

    async def await_change(self, folded: Folded, version: int) -> None:
        """Wait until a table has changed; raise ArenaUnreachable if the service stops."""
        if not self.stopping:
            await folded.await_change(version)
        if self.stopping:
            raise ArenaUnreachable("The engine service stops; say hello again.")

    # --- changes ---

    async def seat_caller(self, folded: Folded, seat: int, stream: str, who: Claimant) -> None:
        """Seat a caller, and tell the stream that played the seat until now.

        Raise SeatTaken if it is another one's; with a claim, TableEnded if the table has ended.
        """
        async with folded.lock:
            head = folded.head
            done = await self.store.run_change(
                TableChange("join", head.id, head.seats, seat=seat, stream=stream, who=who)
            )
            await self.refresh_table(folded)
        if done.outcome == "claimed":
            raise SeatTaken(TAKEN)
        if who.claim and done.outcome in ("ended", "gone"):
            raise TableEnded

    async def leave_seat(self, folded: Folded, seat: int, stream: str) -> None:
        """Let a seat lose the deal, if this stream still plays it; a table that still waits is then void."""
        async with folded.lock:
            for _ in range(TRIES):
                if folded.ended or seat in folded.board.silent:
                    return
                is_waiting = folded.standing.state == "waiting"
                entry = (
                    TableEntry("void", words=f"{SEATS[seat]} {LEFT}")
                    if is_waiting
                    else TableEntry("flag", seat, words=LEFT)
                )
                board = folded.board.copy()
                board.apply_entry(entry)
                change = self._build_change("leave", folded, board, entry, stream)._replace(seat=seat)
                done = await self.store.run_change(change)
                if done.outcome == "ok":
                    self._install_change(folded, board, done, entry.seat)
                    return
                await self.refresh_table(folded)
                if done.outcome == "replaced":
                    raise SeatTaken
        raise TableBusy

    async def play_reply(self, folded: Folded, stream: str, cursor: int, entry: TableEntry) -> None:
        """Add a seat's reply to the question of a cursor. Raise an error if it does not count."""
        began, outcome = time.perf_counter(), "refused"
        try:
            async with folded.lock:
                await self._try_reply(folded, stream, cursor, entry)
            outcome = "taken"
        finally:
            self.metrics.actions.labels(outcome).inc()
            self.metrics.seconds.observe(time.perf_counter() - began)

    async def _try_reply(self, folded: Folded, stream: str, cursor: int, entry: TableEntry) -> None:
        for _ in range(TRIES):
            if cursor > folded.board.cursor:  # the question came from another replica
                await self.refresh_table(folded)
            if (entry.seat, entry.op) in folded.board.ops:
                return
            check_reply(folded, cursor, entry)
            board = folded.board.copy()
            board.apply_entry(entry)
            done = await self.store.run_change(self._build_change("play", folded, board, entry, stream))
            if done.outcome == "ok":
                self._install_change(folded, board, done, entry.seat)
                return
            await self.refresh_table(folded)
            if done.outcome == "repeat":
                return
            self._raise_refusal(folded, done)
        raise TableBusy

    def _raise_refusal(self, folded: Folded, done: Done) -> None:
        """Raise the script's refusal, unless others were only faster: then the reply is tried again."""
        if done.outcome == "late":
            self._start_task(self.expire_deadline(folded))
            raise TooLate
        if done.outcome == "replaced":
            raise SeatTaken
        if done.outcome == "waiting":
            raise NotAsked("The deal begins when somebody has come to every seat.")
        if done.outcome in ("ended", "gone"):
            raise TableEnded

    async def close(self, folded: Folded, words: str) -> None:
        """End a table without a result; raise TableEnded if it has ended."""
        async with folded.lock:
            for _ in range(TRIES):
                entry = TableEntry("void", words=words)
                board = folded.board.copy()
                board.apply_entry(entry)
                if folded.ended:
                    raise TableEnded
                done = await self.store.run_change(self._build_change("close", folded, board, entry))
                if done.outcome == "ok":
                    self._install_change(folded, board, done)
                    return
                await self.refresh_table(folded)
        raise TableBusy

    async def expire_deadline(self, folded: Folded) -> None:
        """Act on an expired deadline, if Redis agrees: a flag, the end of a window, or of waiting."""
        async with folded.lock:
            while not folded.ended:
                entry = find_overdue(folded)
                board = folded.board.copy()
                board.apply_entry(entry)
                done = await self.store.run_change(self._build_change("expire", folded, board, entry))
                if done.outcome == "ok":
                    self.metrics.flags.inc(entry.kind == "flag")
                    self._install_change(folded, board, done, entry.seat)
                    return
                await self.refresh_table(folded)
                if done.outcome == "early":
                    return

    def _build_change(
        self, what: str, folded: Folded, board: TableBoard, entry: TableEntry, stream: str = ""
    ) -> TableChange:
        before = folded.board
        state = "void" if board.void else "over" if board.over else "playing"
        return TableChange(
            what,
            folded.head.id,
            folded.head.seats,
            before.length,
            entry.seat,
            entry.op,
            stream,
            entry,
            state,
            board.pending,
            board.window,
            same=board.turn == before.turn,
        )

    def _install_change(self, folded: Folded, board: TableBoard, done: Done, seat: int = -1) -> None:
        """Install a change that is already in Redis, without reading it."""
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
        folded.wake_waiters()
        self._arm_deadline(folded)
        if folded.ended:
            self.metrics.ended.labels(state).inc()
            if not folded.followers:
                self._drop_follower(folded)
        if state == "over" and folded.head.players:
            self._start_task(self.report_result(folded))

    async def report_result(self, folded: Folded) -> None:
        """Report a result; if that fails now, the sweep of any replica repeats it."""
        if self._report is None:
            return
        try:
            await self._report(folded)
        except (ArenaUnreachable, DatabaseUnavailable, DeadlinePassed) as error:
            self.metrics.reports.labels("failed").inc()
            logger.info("a result waits to be handed over", table=folded.head.id, words=str(error))
            return
        except MaumauError as error:  # it would always be refused
            self.metrics.reports.labels("refused").inc()
            logger.warning("a result is refused", table=folded.head.id, words=str(error))
        else:
            self.metrics.reports.labels("kept").inc()
        await self.store.mark_reported(folded.head.id)

    # --- in the background ---

    def _arm_deadline(self, folded: Folded) -> None:
        if folded.timer:
            folded.timer.cancel()
        if folded.followers and not folded.ended:
            wait = folded.left_ms / 1000 + 0.001
            loop = asyncio.get_running_loop()
            folded.timer = loop.call_later(wait, lambda: self._start_task(self.expire_deadline(folded)))

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._log_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _log_errors(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except MaumauError as error:
            logger.warning("a table could not be looked after", words=str(error))

    async def follow_news(self) -> None:
        """Refresh tables that other replicas change."""
        if not self._news:
            self._news = await self.store.last_news()
            await self.refresh_changed()
        try:
            while True:
                self._news, changed = await self.store.await_news(self._news, WAIT)
                for table_id, length in changed.items():
                    self._receive_news(table_id, length)
                if changed:
                    await asyncio.sleep(GATHER)
        except MaumauError:
            self._news = ""
            raise

    def _receive_news(self, table_id: str, length: int) -> None:
        folded = self._tables.get(table_id)
        if folded and folded.followers and (length < 0 or length > folded.board.length):
            self._start_task(self._refresh_followed(folded))

    async def _refresh_followed(self, folded: Folded) -> None:
        async with folded.lock:
            await self.refresh_table(folded)

    async def refresh_changed(self) -> None:
        """Refresh followed tables that differ from their state in Redis."""
        followed = [name for name, folded in self._tables.items() if folded.followers and not folded.ended]
        lengths = await self.store.read_lengths(followed) if followed else {}
        for name in followed:
            folded = self._tables.get(name)
            if folded and lengths.get(name) != folded.board.length:
                self._start_task(self._refresh_followed(folded))

    async def sweep_tables(self) -> None:
        """Go on with tables whose deadline is over, though nobody follows them; seldom while none is open."""
        self._sweeps += 1
        if self._is_empty and self._sweeps % IDLE_SWEEPS:
            return
        tables = await self.store.list_open()
        self._is_empty = not any(tables.values())
        for state in STATES:
            self.metrics.tables.labels(state).set(len(tables.get(state, ())))
        for table_id in await self.store.list_due(GRACE):
            try:
                await self.expire_deadline(await self.open_table(table_id))
            except UnknownTable:
                await self.store.forget_table(table_id)
        for table_id in await self.store.list_unreported(REPORT_AFTER):
            try:
                await self.report_result(await self.open_table(table_id))
            except UnknownTable:
                await self.store.mark_reported(table_id)

    def stop_waiting(self) -> None:
        """Wake all waiting tasks, because the service stops."""
        self.stopping = True
        for folded in self._tables.values():
            folded.wake_waiters()
