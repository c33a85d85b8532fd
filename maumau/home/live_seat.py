"""A program of this machine at a live table: in the sandbox, on its pipes, as it would play in a block."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from maumau.home.handicap import own_pace
from maumau.protocol.fault import Misplay
from maumau.protocol.limit import RunLimits
from maumau.protocol.message import BYE, read_ready
from maumau.referee.process import Process
from maumau.sandbox.launch import Launch, Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from maumau.client.live import Seat
    from maumau.referee.place import Program

BANK = 600.0  # seconds of CPU time for a deal: the table's clock is the real limit
GRACE = 0.5  # seconds to end after bye


class ProgramSeat:
    """Plays a seat with a program.

    If it does something wrong, the first legal action is played for it from then on; `fault` says why.
    """

    def __init__(self, seat: Seat, program: Program, sandbox: Sandbox, think: float = 0.0) -> None:
        """think: seconds before each answer, so that people can follow."""
        self.seat, self.program, self.sandbox, self.think = seat, program, sandbox, think
        self.fault = ""
        self.end: dict[str, Any] | None = None
        self._process: Process | None = None

    def play(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Play until the table has ended, or `stop()` is true."""
        try:
            for told in self.seat:
                if stop():
                    break
                if told.kind == "line":
                    self._hear_line(told.line.encode() + b"\n", told.view, told.cursor)
                elif told.kind == "refused" and told.reason in ("ILLEGAL_ACTION", "UNREADABLE_ACTION"):
                    self._fail_with(told.words)
                    self.seat.reply(self._asked[0], _stand_in_action(self._asked[1]))
        finally:
            if self._process:
                self._process.sandboxed.end(b"")

    def _hear_line(self, line: bytes, view: dict[str, Any], cursor: int) -> None:
        if "ask" in view:
            self._asked = cursor, view
            time.sleep(self.think)
            self.seat.reply(cursor, self._ask_program(line, view))
        elif "hello" in view:
            with suppress(Misplay):
                self._start_program(line)
        elif self._process and not self.fault:
            self._process.tell(line)
            if line.strip() == BYE.strip():
                self._process.flush()
                self._process.sandboxed.wait(GRACE)
        self.end = view.get("end", self.end)

    def _start_program(self, hello: bytes) -> None:
        pace, limits, said = own_pace(), RunLimits(), self.program.manifest
        pace.begin_block()
        launch = Launch(
            self.program.folder, self.program.sha256, said.run, said.runtime, limits, round(BANK) + 60
        )
        self._process = Process(self.sandbox.start(launch), limits, pace)
        try:
            read_ready(self._exchange_line(hello))
        except Misplay as misplay:
            self._fail_with(misplay.words)
            raise
        self._process.grant_bank(BANK, BANK * 10)

    def _ask_program(self, line: bytes, view: dict[str, Any]) -> str:
        if self.fault or self._process is None:
            return _stand_in_action(view)
        try:
            return self._exchange_line(line).decode(errors="replace").strip()
        except Misplay as misplay:
            self._fail_with(misplay.words)
            return _stand_in_action(view)

    def _exchange_line(self, line: bytes) -> bytes:
        assert self._process
        replies: list[bytes] = []
        self._process.ask([line])
        self._process.hear_replies(replies, 1, lambda: None)
        return replies[0]

    def _fail_with(self, words: str) -> None:
        self.fault = self.fault or words


def _stand_in_action(view: dict[str, Any]) -> str:
    """Return the stand-in's choice."""
    action: str = view["legal"][0]
    return action + str(view["call"].get(action, ""))
