"""House bots at live tables: seats claimed of the matchmaking service, played at the engine as by anybody."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from typing import Any, Final

from maumau import trace
from maumau.bot import build
from maumau.bot.fault import Misplay
from maumau.bot.player import Program
from maumau.errors import MaumauError
from maumau.live import Seat, Tables
from services.shared import log
from services.worker.bench import Bench
from services.worker.client import ClaimedSeat, SeatKey, Seats
from services.worker.table_process import TableProcess

RENEW: Final = 2.0  # seconds between two words to the matchmaking service
REFUSED: Final = ("ILLEGAL_ACTION", "UNREADABLE_ACTION")

logger = log.get(__name__)


class Sitter:
    """Plays up to `room` seats, each in a thread of its own, with one process for each program and seat."""

    def __init__(self, bench: Bench, seats: Seats, tables: Tables, room: int) -> None:
        self.bench, self.seats, self.tables, self.room = bench, seats, tables, room
        self._held: dict[SeatKey, Seat] = {}
        self._left: list[SeatKey] = []
        self._processes: dict[tuple[object, ...], TableProcess] = {}
        self._lock = threading.Lock()
        self._programs = ExitStack()  # their files stay as long as this worker
        self._ready: dict[str, Program] = {}

    def play(self, key: SeatKey) -> str:
        """Plays a seat to its end, if it is to be had; a word about what became of it."""
        with trace.open_span("play seat", key.table_id, table=key.table_id, seat=key.seat):
            word = self._play(key)
            trace.annotate_span(outcome=word)
        with self._lock:
            self.bench.tally.add("seats", label=word)
        logger.info("seat", table=key.table_id, seat=key.seat, outcome=word)
        return word

    def _play(self, key: SeatKey) -> str:
        if self.bench.stopping():
            return "refused"
        try:
            claimed = self.seats.claim(self.bench.name, key)
            if claimed is None:
                return "refused"
            program = self._program(claimed)
            with self.tables.sit(claimed.token) as seat:
                with self._lock:
                    self._held[key] = seat
                word = self._sit(seat, program, claimed.think)
        except (MaumauError, OSError) as error:
            logger.warning("a seat could not be played", table=key.table_id, seat=key.seat, words=str(error))
            word = "failed"
        with self._lock:
            self._held.pop(key, None)
            if word in ("played", "void"):
                self._left.append(key)
        return word

    def _sit(self, seat: Seat, program: Program, think: float) -> str:
        process, deal, asked = None, 0, (0, dict[str, Any]())
        for told in seat:
            line = told.line.encode()
            if told.kind == "line" and "hello" in told.view:
                process = self._process(program, told.view)
                deal = process.begin()
            elif told.kind == "line" and "ask" in told.view:
                asked = told.cursor, told.view
                time.sleep(think)
                seat.reply(told.cursor, _reply(process, deal, line, told.view))
            elif told.kind == "line" and "end" in told.view and process:
                process.tell(deal, line)
            elif told.kind == "refused" and told.reason in REFUSED:
                seat.reply(asked[0], _first(asked[1]))
            elif told.kind == "voided":
                return "void"
            elif told.kind == "replaced":
                return "lost"
        return "lost" if self.bench.stopping() else "played"

    def _program(self, claimed: ClaimedSeat) -> Program:
        """Fetched once, and built where that is to be done here."""
        with self._lock:
            if claimed.sha256 not in self._ready:
                held = self.bench.artifacts.hold(claimed.sha256, claimed.bot_name, claimed.built_sha256)
                program = self._programs.enter_context(held)
                self._ready[claimed.sha256] = build.prepare_program(
                    program, self.bench.sandbox, self.bench.stopping
                )
            return self._ready[claimed.sha256]

    def _process(self, program: Program, hello: dict[str, Any]) -> TableProcess:
        key = program.sha256, hello["rules"]["hash"], hello["seats"], hello["seat"]
        with self._lock:
            if key not in self._processes:
                self._processes[key] = TableProcess(program, self.bench.sandbox, hello, self.bench.stopping)
            return self._processes[key]

    def renew(self) -> None:
        """Says which seats are played here, and how many more could be."""
        with self._lock:
            held, left = list(self._held), self._left[:]
        room = 0 if self.bench.stopping() else max(0, self.room - len(held))
        lost = self.seats.renew(self.bench.name, room, held, left)
        with self._lock:
            self._left = [key for key in self._left if key not in left]
            gone = [self._held[key] for key in lost if key in self._held]
        for seat in gone:
            seat.leave()

    def _try_to_renew(self) -> None:
        try:
            self.renew()
        except MaumauError as error:
            logger.warning("seats are not renewed", words=str(error))

    def keep(self) -> None:
        """Renews until the worker shall end; then every seat is left, for another worker to take."""
        while not self.bench.stopping():
            self._try_to_renew()
            time.sleep(RENEW)
        self._try_to_renew()  # nobody is to be invited here any more
        with self._lock:
            held = list(self._held.values())
        for seat in held:
            seat.leave()


def _reply(process: TableProcess | None, deal: int, line: bytes, view: dict[str, Any]) -> str:
    """What the program says; the first legal action where it fails."""
    try:
        if process:
            return process.ask(deal, line).decode(errors="replace").strip()
    except Misplay as misplay:
        logger.warning("the first action is played for a house bot", words=misplay.words)
    return _first(view)


def _first(view: dict[str, Any]) -> str:
    action: str = view["legal"][0]
    return action + str(view["call"].get(action, ""))
