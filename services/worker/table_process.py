"""One process of a program that plays a seat at many live tables at once: each is a deal of its own to it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import msgspec

from maumau.bot.fault import Misplay
from maumau.bot.limit import RunLimits
from maumau.bot.message import BYE, read_ready
from maumau.bot.pace import Pace
from maumau.bot.player import Program
from maumau.bot.process import Process
from maumau.bot.sandbox import Launch, Sandbox
from maumau.errors import BlockStopped, PlatformFault
from services.shared import log

BANK: Final = 600.0  # seconds of CPU time that a process has: the clocks of the tables are what counts
WALL: Final = 10 * BANK  # seconds that it is waited for in all
DEALS: Final = 500  # deals after which a new process is started, without what voided tables left behind
IDLE: Final = 60.0  # seconds without a question after which a process ends
GRACE: Final = 0.5  # seconds to end after bye
DEAL: Final = b'{"deal":0,'  # how a line of a table begins

logger = log.get(__name__)


class _Asked:
    """A question, and what became of it."""

    def __init__(self, line: bytes) -> None:
        self.line, self.reply, self.failed = line, b"", ""
        self.done = threading.Event()


class TableProcess:
    """Started at the first question, ended when nobody asks any more, and anew after a fault.

    `hello`: the first table's; the process is told that it plays many. Threads may share it.
    """

    def __init__(
        self, program: Program, sandbox: Sandbox, hello: dict[str, Any], stopping: Callable[[], bool]
    ) -> None:
        self.program, self.sandbox, self.stopping = program, sandbox, stopping
        self.at_once = program.manifest.concurrent
        self.hello = msgspec.json.encode({**hello, "concurrent": self.at_once}) + b"\n"
        self._process: Process | None = None
        self._waiting: queue.Queue[_Asked | bytes] = queue.Queue()
        self._deals = self._begun = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self) -> int:
        """The number of a new deal."""
        with self._lock:
            self._deals += 1
            return self._deals

    def ask(self, deal: int, line: bytes) -> bytes:
        """The reply to a question of a table; Misplay if the program failed at it."""
        asked = _Asked(_numbered(line, deal))
        self._put(asked)
        asked.done.wait()
        if asked.failed:
            raise Misplay("crash", asked.failed)
        return asked.reply

    def tell(self, deal: int, line: bytes) -> None:
        """A line that wants no reply, such as a deal's end."""
        self._put(_numbered(line, deal))

    def _put(self, what: _Asked | bytes) -> None:
        with self._lock:
            self._waiting.put(what)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            batch = self._next_batch()
            if batch:
                self._answer(batch)
                continue
            with self._lock:
                if self._waiting.empty():
                    self._thread = None
                    self._end()
                    return

    def _next_batch(self) -> list[_Asked]:
        """Questions, as many as the program takes at once; none after a long silence or at the stop."""
        batch: list[_Asked] = []
        while len(batch) < self.at_once:
            try:
                what = self._waiting.get(timeout=0 if batch else IDLE)
            except queue.Empty:
                break
            if isinstance(what, _Asked):
                batch.append(what)
            elif self._process:
                with suppress(Misplay):
                    self._process.tell(what)
        return batch

    def _answer(self, batch: list[_Asked]) -> None:
        replies: list[bytes] = []
        failed = ""
        try:
            process = self._ready()
            process.ask([one.line for one in batch])
            process.hear(replies, len(batch), self._go_on)
        except (Misplay, PlatformFault, BlockStopped, OSError) as error:
            failed = getattr(error, "words", "") or str(error) or type(error).__name__
            logger.warning("a house bot failed", bot=self.program.name, words=failed)
            self._end()
        for number, one in enumerate(batch):
            if number < len(replies):
                one.reply = replies[number]
            else:
                one.failed = failed
            one.done.set()

    def _go_on(self) -> None:
        if self.stopping():
            raise BlockStopped

    def _ready(self) -> Process:
        """The process, another one if the present one has played or used enough."""
        process = self._process
        if process and (
            self._deals - self._begun > DEALS or process.left < BANK / 2 or process.wall < WALL / 2
        ):
            self._end()
        if self._process is None:
            self._process = self._start()
            self._begun = self._deals
        return self._process

    def _start(self) -> Process:
        limits, said, pace = RunLimits(), self.program.manifest, Pace()
        pace.begin_block()
        launch = Launch(
            self.program.folder, self.program.sha256, said.run, said.runtime, limits, round(BANK) + 60
        )
        process = Process(self.sandbox.start(launch), limits, pace)
        try:
            replies: list[bytes] = []
            process.ask([self.hello])
            process.hear(replies, 1, self._go_on)
            read_ready(replies[0])
        except BaseException:
            process.sandboxed.end(b"")
            raise
        process.grant(BANK, WALL)
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(Misplay, OSError):
            process.tell(BYE)
            process.flush()
            process.sandboxed.wait(GRACE)
        process.sandboxed.end(b"")


def _numbered(line: bytes, deal: int) -> bytes:
    """A table has one deal, 0; to a program that plays many each has a number of its own."""
    if not line.startswith(DEAL):
        raise PlatformFault(f"A line of a table begins with {line[:20]!r}.")
    return b'{"deal":%d,' % deal + line[len(DEAL) :] + b"\n"
