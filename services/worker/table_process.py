"""A process of a program that plays a seat at many live tables at once: each is a deal of its own to it."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import msgspec

from maumau.errors import BlockStopped, PlatformFault
from maumau.protocol.fault import Misplay
from maumau.protocol.limit import RunLimits
from maumau.protocol.message import BYE, read_ready
from maumau.referee.pace import Pace
from maumau.referee.place import Program
from maumau.referee.process import Process
from maumau.sandbox.launch import Launch, Sandbox
from services.shared.base import log

BANK: Final = 600.0  # seconds of CPU time of a process: the clocks of the tables are what counts
WALL: Final = 10 * BANK  # wall-clock seconds of waiting for it in all
DEALS: Final = 500  # deals before a process is replaced, to get rid of the remains of voided tables
ANSWER: Final = 30.0  # wall-clock seconds for an answer: people wait for it
IDLE: Final = 60.0  # seconds without a question before a process ends
GRACE: Final = 0.5  # seconds to end after bye
DEAL: Final = b'{"deal":0,'  # start of a table's line

logger = log.get(__name__)


class _PendingQuestion:
    """A question, with its reply or error."""

    def __init__(self, line: bytes) -> None:
        self.line, self.reply, self.failed = line, b"", ""
        self.done = threading.Event()


class TableProcess:
    """A process started at the first question, ended when questions cease, and restarted after a fault.

    `hello`: the first table's; the process is told that it plays many. It is safe for threads.
    """

    def __init__(
        self, program: Program, sandbox: Sandbox, hello: dict[str, Any], stopping: Callable[[], bool]
    ) -> None:
        self.program, self.sandbox, self.stopping = program, sandbox, stopping
        self.at_once = program.manifest.concurrent
        self.hello = msgspec.json.encode({**hello, "concurrent": self.at_once}) + b"\n"
        self._process: Process | None = None
        self._waiting: queue.Queue[_PendingQuestion | bytes] = queue.Queue()
        self._deals = self._begun = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self) -> int:
        """Return the number of a new deal."""
        with self._lock:
            self._deals += 1
            return self._deals

    def ask(self, deal: int, line: bytes) -> bytes:
        """Return the reply to a question of a table; raise Misplay if the program failed."""
        asked = _PendingQuestion(_number_line(line, deal))
        self._put_batch(asked)
        asked.done.wait()
        if asked.failed:
            raise Misplay("crash", asked.failed)
        return asked.reply

    def tell(self, deal: int, line: bytes) -> None:
        """Send a line that needs no reply, such as a deal's end."""
        self._put_batch(_number_line(line, deal))

    def _put_batch(self, what: _PendingQuestion | bytes) -> None:
        with self._lock:
            self._waiting.put(what)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve_batches, daemon=True)
                self._thread.start()

    def _serve_batches(self) -> None:
        while True:
            batch = self._next_batch()
            if batch:
                self._answer_batch(batch)
                continue
            with self._lock:
                if self._waiting.empty():
                    self._thread = None
                    self._end_process()
                    return

    def _next_batch(self) -> list[_PendingQuestion]:
        """Return questions, as many as the program takes at once; none after long silence or at the stop."""
        batch: list[_PendingQuestion] = []
        while len(batch) < self.at_once:
            try:
                what = self._waiting.get(timeout=0 if batch else IDLE)
            except queue.Empty:
                break
            if isinstance(what, _PendingQuestion):
                batch.append(what)
            elif self._process:
                with suppress(Misplay):
                    self._process.tell(what)
        return batch

    def _answer_batch(self, batch: list[_PendingQuestion]) -> None:
        replies: list[bytes] = []
        failed, until = "", time.monotonic() + ANSWER
        try:
            process = self._ready_process()
            process.ask([one.line for one in batch])
            process.hear_replies(replies, len(batch), lambda: self._wait_until(until))
        except (Misplay, PlatformFault, BlockStopped, OSError) as error:
            failed = getattr(error, "words", "") or str(error) or type(error).__name__
            logger.warning("a house bot failed", bot=self.program.name, words=failed)
            self._end_process()
        for number, one in enumerate(batch):
            if number < len(replies):
                one.reply = replies[number]
            else:
                one.failed = failed
            one.done.set()

    def _wait_until(self, until: float) -> None:
        self._go_on()
        if time.monotonic() > until:
            raise Misplay("wall", f"it did not answer within {ANSWER:g} s")

    def _go_on(self) -> None:
        if self.stopping():
            raise BlockStopped

    def _ready_process(self) -> Process:
        """Return the process, replaced if it has played or used enough."""
        process = self._process
        if process and (
            self._deals - self._begun > DEALS or process.left < BANK / 2 or process.wall < WALL / 2
        ):
            self._end_process()
        if self._process is None:
            self._process = self._start_process()
            self._begun = self._deals
        return self._process

    def _start_process(self) -> Process:
        limits, said, pace = RunLimits(), self.program.manifest, Pace()
        pace.begin_block()
        launch = Launch(
            self.program.folder, self.program.sha256, said.run, said.runtime, limits, round(BANK) + 60
        )
        process = Process(self.sandbox.start(launch), limits, pace)
        try:
            replies: list[bytes] = []
            process.ask([self.hello])
            process.hear_replies(replies, 1, self._go_on)
            read_ready(replies[0])
        except BaseException:
            process.sandboxed.end(b"")
            raise
        process.grant_bank(BANK, WALL)
        return process

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(Misplay, OSError):
            process.tell(BYE)
            process.flush()
            process.sandboxed.wait(GRACE)
        process.sandboxed.end(b"")


def _number_line(line: bytes, deal: int) -> bytes:
    """Return a line with its deal's number: a table has one deal, 0, but the program plays many."""
    if not line.startswith(DEAL):
        raise PlatformFault(f"A line of a table begins with {line[:20]!r}.")
    return b'{"deal":%d,' % deal + line[len(DEAL) :] + b"\n"
