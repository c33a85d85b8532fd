"""Warm starts: the program is a fork of a fork server that enters a sandbox built by bubblewrap.

In the wall bubblewrap starts a shell that does nothing: the holder. The fork takes over its namespaces,
limits and filter, and before the program's first line the referee compares the two. If they differ in
anything, or if anything else goes wrong, the start is a cold one.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cached_property

import msgspec

from maumau.errors import PlatformFault, SandboxUnavailable
from maumau.sandbox.inside.order import GO, MAX_ORDER, READY, SPACES, Born, ForkOrder
from maumau.sandbox.kernel.cgroup import Group
from maumau.sandbox.kernel.host import coarse_timers, is_readable
from maumau.sandbox.launch import Launch, find_tool
from maumau.sandbox.sandboxed_process import SandboxedProcess

HOLDER = ["sh", "-c", "printf .; exec sleep infinity"]
RIGHTS = ("SYS_ADMIN", "SYS_CHROOT", "SETUID", "SETGID", "SETPCAP", "KILL")  # all dropped in the fork
WORDS = [word for right in RIGHTS for word in ("--cap-add", f"CAP_{right}")]
ALONE = ["--unshare-net", "--unshare-ipc", "--unshare-uts", "--new-session", *WORDS]
PLACE = ["--dir", "/bot", "--chdir", "/bot", "--remount-ro", "/", "--"]
BEGIN = "__import__('maumau.sandbox.inside.fork_server', fromlist=['main']).main({})"
ROOM = "-" * 1024  # the last word of its command; a fork writes its own over it
STREAMS = ["0", "1", "2"]
WAIT = 60.0  # seconds after which a step hangs
EXEC_WAIT, EXEC_POLL = 5.0, 0.0005  # seconds until a holder that is no `sleep` has failed; between two looks
SAME = [  # lines of /proc/PID/status
    *("Umask", "TracerPid", "Uid", "Gid", "Groups", "Kthread", "NoNewPrivs", "Seccomp", "Seccomp_filters"),
    *("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "Cpus_allowed", "Mems_allowed"),
    *("Speculation_Store_Bypass", "SpeculationIndirectBranch", "SigPnd", "ShdPnd", "SigBlk", "Threads"),
]
LINKS = ["root", "cwd", *(f"fd/{name}" for name in STREAMS)]
FILES = ["oom_score_adj", "coredump_filter", "timerslack_ns", "personality", "attr/current"]
NAMES = {*sys.stdlib_module_names, "maumau", "msgspec"}  # a program may bring its own, which comes first

logger = logging.getLogger(__name__)


Hold = Callable[[], SandboxedProcess]


class Warmth:
    """A fork server for this process, begun when first needed; `starts` counts how programs were started.

    `wall` are bubblewrap's words for what programs see, in which it lives, too. One that has ended
    is replaced; where more starts are refused than are warm the machine does not allow it.
    """

    def __init__(self, wall: list[str]) -> None:
        self.starts: Counter[str] = Counter()
        self.allowed = True
        """True if warm starts are allowed."""
        self._wall = wall
        self._fork_server: ForkServer | None = None
        self._lock = threading.Lock()

    def start(
        self, launch: Launch, order: ForkOrder, hold: Hold, group: Group | None
    ) -> SandboxedProcess | None:
        """Return the program, or None for a cold start. `hold` starts the holder in the program's sandbox."""
        if not self.allowed or not can_fork(launch) or self.starts["refused"] > self.starts["warm"]:
            self.starts["cold"] += 1
            return None
        with ExitStack() as failed:
            try:
                sandboxed = hold()
                failed.callback(sandboxed.close)
                self._replace_holder(sandboxed, order, group)
            except (OSError, msgspec.MsgspecError, PlatformFault, SandboxUnavailable) as error:
                self.starts["refused"] += 1
                words = self._fork_server.words() if self._fork_server else ""
                logger.warning("a warm start was refused, it is a cold one: %s %s", error, words)
                return None
            failed.pop_all()
        self.starts["warm"] += 1
        return sandboxed

    def begin(self) -> None:
        """Have a fork server ready for the first start."""
        self._own_server()

    def inside(self) -> list[str]:
        """Return the command prefix that enters the fork server's user namespace."""
        return [
            find_tool("nsenter"),
            f"--user=/proc/{self._own_server().pid}/ns/user",
            "--preserve-credentials",
            "--",
        ]

    def _replace_holder(self, sandboxed: SandboxedProcess, order: ForkOrder, group: Group | None) -> None:
        """Replace the holder by the fork, which is held until it proves equal to the holder."""
        _wait_until_ready(sandboxed)
        report = self._own_server().fork(order, sandboxed.pid)
        try:
            pid = msgspec.json.decode(_read_pipe(report), type=Born).pid
            if group:
                group.join(pid)  # the kernel takes its time, while the fork enters
            _wait_until_ready(sandboxed)
            wait_for_holder(sandboxed.pid)
            compare_walls(sandboxed.pid, pid)
        except BaseException:
            os.close(report)
            raise
        sandboxed.switch_to(pid, report, group)
        os.write(sandboxed.stdin, GO)

    def _own_server(self) -> ForkServer:
        with self._lock:
            if self._fork_server is None or not self._fork_server.lives():
                self._fork_server = ForkServer(self._wall)
            return self._fork_server


class ForkServer:
    """The process and the socket to it."""

    def __init__(self, wall: list[str]) -> None:
        self._owner = os.getpid()
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [*wall, *ALONE, *PLACE, "python3", "-c", BEGIN.format(theirs.fileno()), ROOM]
            pipe = subprocess.PIPE  # as its forks' streams will be
            with coarse_timers():
                self.process = subprocess.Popen(
                    command, cwd="/", env={}, stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=[theirs.fileno()]
                )

    @cached_property
    def pid(self) -> int:
        """Its process number, which it sends when it can serve."""
        return msgspec.json.decode(_read_pipe(self._line.fileno()), type=Born).pid

    def lives(self) -> bool:
        """Return True if it runs and belongs to this process: a fork of its referee must not use it."""
        return self._owner == os.getpid() and self.process.poll() is None

    def words(self) -> str:
        """Return the end of the error output of the server and its forks."""
        assert self.process.stderr
        os.set_blocking(self.process.stderr.fileno(), False)
        return (self.process.stderr.read(MAX_ORDER) or b"").decode(errors="replace")[-500:]

    def fork(self, order: ForkOrder, holder: int) -> int:
        """Order a fork into the holder's sandbox; return the pipe of its reports."""
        report, theirs = os.pipe()
        with ExitStack() as held:
            sent = [_open_namespace(f"/proc/{holder}/ns/{kind}", os.O_RDONLY, held) for kind in SPACES]
            for number, way in enumerate((os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)):
                sent.append(_open_namespace(f"/proc/{holder}/fd/{number}", way, held))
            sent += [os.pidfd_open(holder), theirs]
            for descriptor in sent[-2:]:
                held.callback(os.close, descriptor)
            try:
                socket.send_fds(self._line, [msgspec.json.encode(order)], sent)
            except BaseException:
                os.close(report)
                raise
        return report


def can_fork(launch: Launch) -> bool:
    """Return True if it is a plain `python3 FILE …` of the fork server's interpreter and its own modules."""
    python, file = (*launch.run, "", "")[:2]
    path = launch.folder / file
    if launch.runtime != "python" or python != "python3" or path.suffix != ".py" or not path.is_file():
        return False
    return NAMES.isdisjoint(found.name.partition(".")[0] for found in path.parent.iterdir())


def compare_walls(holder: int, fork: int) -> None:
    """Raise OSError if fork and holder differ in any restriction, or the fork has extra descriptors."""
    here, there = _read_process(holder), _read_process(fork)
    here["descriptors"], there["descriptors"] = set(STREAMS), set(os.listdir(f"/proc/{fork}/fd"))
    if here != there:
        keys = [key for key in here | there if here.get(key) != there.get(key)]
        words = ", ".join(f"{key} {there.get(key)!r}, not {here.get(key)!r}" for key in keys)
        raise PermissionError(f"the fork differs from the holder: {words}")


def wait_for_holder(pid: int) -> None:
    """Wait until the shell has become the `sleep`: in between it seems to have no environment."""
    until = time.monotonic() + EXEC_WAIT
    while time.monotonic() < until:
        if _read_file(f"/proc/{pid}/cmdline").startswith(b"sleep") and _read_file(f"/proc/{pid}/environ"):
            return
        time.sleep(EXEC_POLL)


def _read_process(pid: int) -> dict[str, object]:
    top = f"/proc/{pid}/"
    status = dict(line.partition(b":\t")[::2] for line in _read_file(top + "status").split(b"\n"))
    found: dict[str, object] = {name: status.get(name.encode()) for name in SAME}
    found |= {f"ns/{name}": os.readlink(f"{top}ns/{name}") for name in os.listdir(top + "ns")}
    found |= {name: os.readlink(top + name) for name in LINKS}
    found["environ"] = sorted(_read_file(top + "environ").split(b"\0"))
    found["limits"] = _read_file(top + "limits")
    found["priority"] = os.getpriority(os.PRIO_PROCESS, pid), os.sched_getscheduler(pid)
    for name in FILES:
        with suppress(OSError):  # not every kernel has them all
            found[name] = _read_file(top + name)
    return found


def _read_file(path: str) -> bytes:
    """Return a file of /proc."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, MAX_ORDER)
    finally:
        os.close(descriptor)


def _open_namespace(path: str, way: int, held: ExitStack) -> int:
    descriptor = os.open(path, way | os.O_CLOEXEC)
    held.callback(os.close, descriptor)
    return descriptor


def _wait_until_ready(sandboxed: SandboxedProcess) -> None:
    if _read_pipe(sandboxed.stdout, len(READY)) != READY:
        raise OSError("it did not come to its beginning")


def _read_pipe(descriptor: int, most: int = MAX_ORDER) -> bytes:
    """Return the next data in the pipe; raise OSError if none comes."""
    if not is_readable(descriptor, WAIT):
        raise TimeoutError(f"nothing came in {WAIT:g} s")
    return os.read(descriptor, most)
