"""House bots at live tables: seats claimed from the matchmaking service and played through the public API."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final

from maumau.client.live import Seat, Table, Tables
from maumau.errors import MaumauError, UnknownTable
from maumau.process import trace
from maumau.protocol.fault import Misplay
from maumau.referee.place import Program
from maumau.submission import build
from services.shared.base import log
from services.worker.bench import Bench
from services.worker.client import ClaimedSeat, SeatKey, Seats
from services.worker.table_process import TableProcess

RENEW, IDLE_RENEW = 2.0, 4.0
"""Seconds between two calls to the matchmaking service, and while no seat is held: its lease is 10 s."""
LOOK: Final = 1.0  # seconds between two looks at tables where nothing happens
# Seconds without a line before a table is looked at, and without a change until it is parked:
QUIET: Final = 5.0
PARKED: Final = 4  # parked seats at most, as a multiple of the room
LEAST_CLOCK: Final = 60_000  # ms that a seat must have left to be parked
SETTLED: Final = ("STALE_TURN", "NOT_ASKED", "TOO_LATE", "TABLE_ENDED", "SEAT_TAKEN")
"""Reasons of a refusal after which the question no longer stands; after any other it does."""

logger = log.get(__name__)


class Sitting:
    """A seat that this worker holds, with what it needs to be played on after it was parked.

    seat: its stream, None while it is parked. after, heard: cursor and time of the last line that it got.
    amended: the cursor of the last question answered again by the first action.
    parked_at: the state of the table when it was parked, None if it is not.
    """

    def __init__(self, token: str, program: Program, think: float, bot: str = "") -> None:
        self.token, self.program, self.think, self.bot = token, program, think, bot
        self.seat: Seat | None = None
        self.process: TableProcess | None = None
        self.deal = self.after = self.amended = 0
        self.asked: tuple[int, dict[str, Any]] = (0, {})
        self.heard = time.monotonic()
        self.parked_at: tuple[object, ...] | None = None


class Sitter:
    """A player of up to `room` seats, each in a thread of its own, with a process per program and seat.

    Seats at tables where nothing happens are parked: they take no room until somebody plays there again.
    """

    def __init__(self, bench: Bench, seats: Seats, tables: Tables, room: int) -> None:
        self.bench, self.seats, self.tables, self.room = bench, seats, tables, room
        self._held: dict[SeatKey, Sitting] = {}
        self._left: list[SeatKey] = []
        self._quiet: dict[str, tuple[tuple[object, ...], float]] = {}  # states of tables, and since when
        self._processes: dict[tuple[object, ...], TableProcess] = {}
        self._lock = threading.Lock()
        self._programs = ExitStack()  # their files are kept as long as this worker runs
        self._ready: dict[str, Program] = {}

    def play(self, key: SeatKey) -> str:
        """Play a seat until it ends or is parked, if it can be claimed; return a word for the outcome."""
        if self.bench.stopping() or key in self._held:
            return self._note_outcome(key, "refused")
        try:
            claimed = self.seats.claim(self.bench.name, key)
            if claimed is None:
                return self._note_outcome(key, "refused")
            sitting = Sitting(claimed.token, self._get_program(claimed), claimed.think, claimed.bot_name)
        except (MaumauError, OSError) as error:
            return self._note_outcome(key, "failed", error)
        with self._lock:
            self._held[key] = sitting
        return self._play_sitting(key, sitting)

    def _note_outcome(self, key: SeatKey, word: str, error: Exception | None = None) -> str:
        if error:
            logger.warning("a seat could not be played", table=key.table_id, seat=key.seat, words=str(error))
        if word != "parked":
            with self._lock:
                self.bench.tally.add("seats", label=word)
        logger.info("seat", table=key.table_id, seat=key.seat, outcome=word)
        return word

    def _play_sitting(self, key: SeatKey, sitting: Sitting) -> str:
        """Play a seat that is held, from its beginning or from where it was parked."""
        word, failed = "failed", None
        with trace.open_span("play seat", key.table_id, table=key.table_id, seat=key.seat):
            try:
                with self.tables.sit(sitting.token, after=sitting.after, bot=sitting.bot) as seat:
                    sitting.seat = seat
                    if self.bench.stopping():  # `keep` may have left all seats before this one was taken
                        seat.leave()
                    word = self._sit_down(seat, sitting)
            except (MaumauError, OSError) as error:
                failed = error
            finally:  # after any error the seat has to be free for another worker
                self._let_go(key, sitting, word)
            trace.annotate_span(outcome=word)
        return self._note_outcome(key, word, failed)

    def _let_go(self, key: SeatKey, sitting: Sitting, word: str) -> None:
        """Forget a stream that has ended, and the seat unless it is parked."""
        with self._lock:
            sitting.seat = None
            if word != "parked":
                self._held.pop(key, None)
            if word in ("played", "void"):
                self._left.append(key)

    def _sit_down(self, seat: Seat, sitting: Sitting) -> str:
        for told in seat:
            line = told.line.encode()
            if told.kind == "line":
                sitting.after, sitting.heard = told.cursor, time.monotonic()
            if told.kind == "line" and "hello" in told.view:
                sitting.process = self._get_process(sitting.program, told.view)
                sitting.deal = sitting.process.begin()
            elif told.kind == "line" and "ask" in told.view:
                sitting.asked = told.cursor, told.view
                time.sleep(sitting.think)
                seat.reply(told.cursor, _get_reply(sitting.process, sitting.deal, line, told.view))
            elif told.kind == "line" and "end" in told.view and sitting.process:
                sitting.process.tell(sitting.deal, line)
            elif told.kind == "refused" and told.reason not in SETTLED:
                _amend_answer(seat, sitting, told.words)
            elif told.kind in ("voided", "replaced"):
                return "void" if told.kind == "voided" else "lost"
        if sitting.parked_at:
            return "parked"
        return "lost" if self.bench.stopping() else "played"

    def _get_program(self, claimed: ClaimedSeat) -> Program:
        """Return a seat's program, fetched once, and built if it has no stored build."""
        with self._lock:
            if claimed.sha256 not in self._ready:
                held = self.bench.artifacts.hold(claimed.sha256, claimed.bot_name, claimed.built_sha256)
                program = self._programs.enter_context(held)
                self._ready[claimed.sha256] = build.prepare_program(
                    program, self.bench.sandbox, self.bench.stopping
                )
            return self._ready[claimed.sha256]

    def _get_process(self, program: Program, hello: dict[str, Any]) -> TableProcess:
        key = program.sha256, hello["rules"]["hash"], hello["seats"], hello["seat"]
        with self._lock:
            if key not in self._processes:
                self._processes[key] = TableProcess(program, self.bench.sandbox, hello, self.bench.stopping)
            return self._processes[key]

    def renew(self) -> None:
        """Report the seats held here and the room for more; leave the lost ones."""
        with self._lock:
            held, left = list(self._held), self._left[:]
            playing = sum(one.seat is not None for one in self._held.values())
        room = 0 if self.bench.stopping() else max(0, self.room - playing)
        lost = self.seats.renew(self.bench.name, room, held, left)
        with self._lock:
            self._left = [key for key in self._left if key not in left]
            gone = [(key, self._held[key]) for key in lost if key in self._held]
            for key, sitting in gone:
                if sitting.seat is None:
                    del self._held[key]
        for _, sitting in gone:
            _leave_seat(sitting)

    def look_at_tables(self) -> None:
        """Park seats at tables where nothing happens, and go on where something does."""
        now = time.monotonic()
        with self._lock:
            held = list(self._held.items())
        quiet = {key.table_id for key, one in held if one.parked_at or now - one.heard >= QUIET}
        self._quiet = {name: noted for name, noted in self._quiet.items() if name in quiet}
        for table_id in sorted(quiet):
            table = self._find_table(table_id)
            state = (table.state, table.cursor, table.turn) if table else ("gone",)
            before, since = self._quiet.get(table_id, (state, now))
            self._quiet[table_id] = state, since if state == before else now
            for key, sitting in held:
                if key.table_id == table_id and sitting.parked_at:
                    self._go_on(key, sitting, state)
                elif key.table_id == table_id and table and now - self._quiet[table_id][1] >= QUIET:
                    self._park_seat(key, sitting, table, state)

    def _find_table(self, table_id: str) -> Table | None:
        try:
            return self.tables.table(table_id)
        except UnknownTable:
            return None

    def _park_seat(self, key: SeatKey, sitting: Sitting, table: Table, state: tuple[object, ...]) -> None:
        """Leave a seat that waits for others and has time enough to come back when it is asked."""
        parked = sum(one.parked_at is not None for one in list(self._held.values()))
        has_time = table.turn != key.seat and table.clocks_ms[key.seat] >= LEAST_CLOCK
        if sitting.seat and has_time and parked < PARKED * self.room:
            sitting.parked_at = state
            sitting.seat.leave()

    def _go_on(self, key: SeatKey, sitting: Sitting, state: tuple[object, ...]) -> None:
        """Play a parked seat on if its table has changed, beyond the worker's room if need be."""
        if sitting.seat is None and sitting.parked_at != state:
            sitting.parked_at, sitting.heard = None, time.monotonic()
            threading.Thread(target=self._play_sitting, args=(key, sitting), daemon=True).start()

    def _run_step(self, step: Callable[[], None]) -> None:
        """Run a step; log what it raises, so that the next one comes in any case."""
        try:
            step()
        except MaumauError as error:
            logger.warning("seats are not looked after", words=str(error))
        except Exception:
            logger.exception("seats are not looked after")

    def keep(self) -> None:
        """Renew until the worker shall end; then leave every seat for another worker."""
        looking = threading.Thread(target=self._keep_looking, daemon=True)
        looking.start()
        while not self.bench.stopping():
            self._run_step(self.renew)
            time.sleep(RENEW if self._held or self._left else IDLE_RENEW)
        self._run_step(self.renew)  # no more invitations here
        with self._lock:
            held = list(self._held.values())
        for sitting in held:
            _leave_seat(sitting)

    def _keep_looking(self) -> None:
        while not self.bench.stopping():
            self._run_step(self.look_at_tables)
            time.sleep(LOOK)


def _leave_seat(sitting: Sitting) -> None:
    if seat := sitting.seat:
        seat.leave()


def _amend_answer(seat: Seat, sitting: Sitting, refusal: str) -> None:
    """Answer the question again, by the first legal action; once, as that will not be refused."""
    cursor, view = sitting.asked
    logger.warning("the first action is played for a bot", bot=sitting.bot, words=refusal)
    if sitting.amended != cursor:
        sitting.amended = cursor
        seat.reply(cursor, _first_action(view))


def _get_reply(process: TableProcess | None, deal: int, line: bytes, view: dict[str, Any]) -> str:
    """Return the program's answer; the first legal action if it fails."""
    try:
        if process:
            return process.ask(deal, line).decode(errors="replace").strip()
    except Misplay as misplay:
        logger.warning("the first action is played for a house bot", words=misplay.words)
    return _first_action(view)


def _first_action(view: dict[str, Any]) -> str:
    action: str = view["legal"][0]
    return action + str(view["call"].get(action, ""))
