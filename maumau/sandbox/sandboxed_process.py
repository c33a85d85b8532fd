"""One sandboxed program: its pipes, its clocks and its end."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from maumau.errors import PlatformFault
from maumau.protocol.limit import KIB, MIB
from maumau.sandbox.inside import landlock
from maumau.sandbox.inside.order import MAX_ORDER, ForkUse
from maumau.sandbox.kernel.cgroup import Group
from maumau.sandbox.kernel.host import first_thread, is_readable, used_by_children

LAST_WAIT = 60.0  # seconds until a killed program must be gone
LOOK = 0.2  # seconds between two looks at the CPU time of a program's children
EXEC_FAILED = b"bwrap: execvp "
MOST_WORDS = 200  # bytes of a command that cannot be run


class End(msgspec.Struct, frozen=True):
    """The end of a program in words; `ran`: it was started; `platform`: the sandbox itself broke.

    `killed`: SIGKILL ended it, whoever sent it.
    """

    words: str
    ran: bool = True
    platform: bool = False
    killed: bool = False


class SandboxedProcess:
    """A program's process, from its start to its end; `close` kills all that is left of it.

    `stdin`, `stdout` and `stderr` are the referee's ends of the pipes, non-blocking. `cpu()` is in seconds
    and never goes backwards. `status` is bubblewrap's report of the exit, -1 where there is no bubblewrap.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        pid: int,
        status: int = -1,
        group: Group | None = None,
        most_mib: int = 0,
    ) -> None:
        self.pid, self._process, self._status, self._group = pid, process, status, group
        self._pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in self._pipes)
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe, False)
        self._clock, self._last, self._most = (~pid << 3) | 2, 0.0, most_mib * MIB
        self.done: Callable[[], None] = lambda: None
        """Called when all is closed."""
        self._outer = os.pidfd_open(process.pid)
        self._init = os.pidfd_open(pid) if status >= 0 else -1
        self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC) if most_mib else -1
        self.watched = most_mib > 0
        """True if only the referee watches its memory."""
        self._children, self._looked = 0.0, time.monotonic()
        self._used: ForkUse | None = None
        self._killed = False
        self.cpu: Callable[[], float] = group.cpu if group else self._process_cpu
        self._first, self._report = pid, -1

    def switch_to(self, pid: int, report: int, group: Group | None) -> None:
        """Switch to another process in the same sandbox, whose parent reports its end.

        Its orphans are children of the first process, and end with that.
        """
        self.pid, self._report, self._group = pid, report, group
        self._clock = (~pid << 3) | 2
        self.cpu = group.cpu if group else self._process_cpu

    def peak_memory(self) -> float:
        """Return the peak memory so far, in MiB: of the whole group, else of the largest process."""
        if self._group:
            return self._group.peak_memory()
        if self._used:
            return self._used.peak / KIB
        try:
            text = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return 0.0
        lines = [line for line in text.splitlines() if line.startswith("VmHWM")]
        return int(lines[0].split()[1]) / KIB if lines else 0.0

    def is_over_memory(self) -> bool:
        """Return True if it exceeds its memory limit, according to the kernel or to its resident size."""
        if self._group:
            return self._group.was_killed_for_memory()
        if self._statm < 0:
            return False
        try:
            resident = int(os.pread(self._statm, 128, 0).split()[1])
        except (OSError, IndexError):
            return False
        return resident * mmap.PAGESIZE > self._most

    def was_killed_for_host(self) -> bool:
        """Return True if the kernel is known to have killed a process of it for the host's lack of memory."""
        return self._group is not None and self._group.was_killed_for_host()

    def delay(self) -> float:
        """Return the seconds that its first thread waited for a core; other threads and children not counted.

        All CPU time of the rest of the program is subtracted: a program that delegates its work may be
        waiting for itself, and must not be able to void a match.
        """
        ran, queued = first_thread(self.pid)
        used = self.cpu() + (0.0 if self._group else self._by_children())
        return max(0.0, queued - max(0.0, used - ran))

    def kill(self) -> None:
        """End the program and everything it started, as far as the wall reaches."""
        self._killed = True
        try:
            if self._init >= 0:
                signal.pidfd_send_signal(self._init, signal.SIGKILL)
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def wait(self, seconds: float) -> bool:
        """Return True if the program ends within this time; it is then gone with all it started."""
        if self._used is None and is_readable(self._outer, seconds):
            _, status, usage = os.wait4(self._process.pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self._used = self._read_used(ForkUse(usage.ru_utime + usage.ru_stime, usage.ru_maxrss))
            self._last = max(self._last, self._used.cpu)
            if self._init < 0:
                self.kill()  # processes left behind in its session
        return self._used is not None

    def _read_used(self, waited_for: ForkUse) -> ForkUse:
        """Return the program's use and exit code; without an exit code the sandbox broke."""
        if self._status < 0:
            return msgspec.structs.replace(waited_for, code=self._process.returncode)
        code = _exit_code(os.read(self._status, MAX_ORDER))
        if self._report < 0 or code is None:
            return msgspec.structs.replace(waited_for, code=code)
        said = os.read(self._report, MAX_ORDER) if is_readable(self._report, LAST_WAIT) else b""
        return msgspec.json.decode(said, type=ForkUse) if said else waited_for

    def end(self, log: bytes) -> End:
        """Kill the rest and return how it ended; `log` is the content of stderr."""
        killed = self._killed
        if not self.wait(0):
            self.kill()
            if not self.wait(LAST_WAIT):
                raise PlatformFault(f"A program (process {self.pid}) could not be ended in {LAST_WAIT:g} s.")
        assert self._used
        if self._used.code is None:
            return _not_run(log, killed)
        if self._used.code == landlock.NOT_RUN and log.startswith(landlock.MARK.encode()):
            return _not_found(log)
        code = self._used.code
        return End(_describe_exit(code), killed=_find_signal(code) == signal.SIGKILL)

    def close(self) -> None:
        """Release everything: processes, descriptors, group."""
        self.kill()
        try:
            if not self.wait(LAST_WAIT):
                raise PlatformFault(f"A program (process {self.pid}) could not be ended in {LAST_WAIT:g} s.")
        finally:
            for pipe in self._pipes:
                pipe.close()
            for descriptor in (self._outer, self._init, self._statm, self._status, self._report):
                if descriptor >= 0:
                    os.close(descriptor)
            self.done()

    def _process_cpu(self) -> float:
        """Return the first process's CPU time, to the nanosecond, with that of its children at intervals."""
        if self._used is None:
            try:
                own = time.clock_gettime(self._clock)
            except OSError:
                self.wait(0)
                return self._last
            now = time.monotonic()
            if now - self._looked > LOOK:
                self._looked, self._children = now, max(self._children, self._by_children())
            self._last = max(self._last, own + self._children)
        return self._last

    def _by_children(self) -> float:
        """Return the CPU time of its descendants: orphans belong to the first process."""
        return sum(map(used_by_children, {self.pid, self._first}))


def _exit_code(report: bytes) -> int | None:
    """Return the program's exit code, which bubblewrap reports if and only if the program was started."""
    mark = b'"exit-code":'
    return int(report.partition(mark)[2].split()[0]) if mark in report else None


def _not_run(log: bytes, killed: bool) -> End:  # noqa: FBT001  # a fact, not a mode
    """Return the end of a program that was not started, with bubblewrap's message from stderr."""
    if EXEC_FAILED in log:
        words = log.partition(EXEC_FAILED)[2].split(b"\n")[0].decode(errors="replace")
        return End(f"it could not be started: {words}", ran=False)
    if killed:
        return End("it was ended before it began", ran=False)
    return End(
        f"the sandbox broke: {log[-500:].decode(errors='replace').strip() or 'no word'}", platform=True
    )


def _not_found(log: bytes) -> End:
    """Return the end of a confined command that cannot be run; its message may be the program's own."""
    words = log[len(landlock.MARK) :].split(b"\n")[0][:MOST_WORDS].decode(errors="replace")
    return End(f"it could not be started: {''.join(filter(str.isprintable, words))}", ran=False)


def _describe_exit(code: int) -> str:
    """Return an exit code or signal in words; bubblewrap and shells report signal n as 128 + n.

    A program in the sandbox is process 1 there, for which the kernel ignores SIGABRT. Its `abort`, as after
    an uncaught exception in C++, goes on to an instruction that ends it with SIGSEGV.
    """
    number = _find_signal(code)
    if number == signal.SIGSEGV:
        return f"signal {number} (SIGSEGV, or SIGABRT of an abort)"
    if number in set(signal.Signals):
        return f"signal {number} ({signal.Signals(number).name})"
    return f"exit code {code}"


def _find_signal(code: int) -> int:
    """Return the number of the signal that an exit code stands for; of a usual exit code no signal's."""
    return -code if code < 0 else code - 128
