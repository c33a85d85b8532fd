"""The build step of a program, in the same sandbox as its play: at home and in the arena the same code.

`build` runs in a copy of the submission, without network and with its own limits. Its result comes out as a
zip and is read like an upload: the referee opens no file that a program can write. A build is kept
in the artifact cache, named by the submission's content hash, so that it is made once on a machine. An arena
builds in validation alone and stores the build, which workers fetch.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import select
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from maumau.errors import (
    BadSubmission,
    BlockStopped,
    BuildFailed,
    MissingRuntime,
    PlatformFault,
    SandboxUnavailable,
)
from maumau.protocol.fault import decode_text
from maumau.protocol.limit import BUILD, BUILD_SECONDS, BUILT, MIB, RunLimits, UploadLimits
from maumau.protocol.manifest import NAME
from maumau.referee.place import Program
from maumau.sandbox.files import artifact_cache, offer
from maumau.sandbox.kernel.host import explain_stall, read_stolen_seconds
from maumau.sandbox.launch import Launch, Sandbox
from maumau.sandbox.sandboxed_process import SandboxedProcess
from maumau.submission import package, source
from maumau.submission.package import Package
from maumau.submission.source import Member

CHUNK = 65536
LOOK = 0.2  # seconds between two looks at the clocks
MOST_LEFT = 64  # chunks read after its end: more than its pipes hold
LAST_LINES = 3  # of the log, in the words of a failure
ERROR = re.compile(r"\berror(\[\w+\])?:", re.IGNORECASE)  # as compilers say it
WRAPPER = [
    "python3",
    "-P",
    "-m",
    "maumau.sandbox.inside.inner_build",
]  # without modules from the submission's folder


def prepare_program(
    program: Program,
    sandbox: Sandbox,
    stop: Callable[[], bool] | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Program:
    """Return the program ready to play: itself, or the built copy if it has a build step.

    MissingRuntime: not on this machine. BuildFailed has the log; PlatformFault and BlockStopped say nothing
    about the program.
    """
    words = offer.explain_missing(
        program.manifest.runtime, own_user=sandbox.isolated and artifact_cache.own_users()
    )
    if words:
        raise MissingRuntime(words)
    if not program.manifest.build or program.built:
        return program
    place = _get_build_path(program)
    if not artifact_cache.mark_used(place):
        say(f"building {program.name}")
        began = time.monotonic()
        members, log = _run_build(program, sandbox, stop)
        took = f"built in {time.monotonic() - began:.1f} s by {' '.join(program.manifest.build)}\n"
        _keep_build(place, members, took + log)
    return msgspec.structs.replace(program, folder=place, built=True)


def build_log(program: Program) -> str:
    """Return the output of the program's build step; empty if it has none."""
    if not program.manifest.build:
        return ""
    try:
        return _log_file(_get_build_path(program)).read_text()
    except FileNotFoundError:
        return ""


def _get_build_path(program: Program) -> Path:
    """Return the path of the built copy: other machines and Pythons build anew."""
    return artifact_cache.find_cache_folder() / f"built-{program.sha256[:40]}-{platform_tag()}"


def platform_tag() -> str:
    """Return the machine and the Python that a build is for, such as "x86_64-cpython-311"."""
    return f"{platform.machine()}-{sys.implementation.cache_tag}"


def pack_built(program: Program) -> Package:
    """Return the build that `ready` made here, as a package.

    BadSubmission: it is beyond the limits when packed.
    """
    limits = msgspec.structs.replace(
        BUILT, members=BUILT.members + 1, unpacked=BUILT.unpacked + MIB
    )  # the log
    place = _get_build_path(program)
    members = source.from_folder(place, limits)
    return package.pack_stored([each for each in members if place / each.path != _log_file(place)], BUILT)


def remove_built(program: Program) -> None:
    """Remove the built copy that `ready` made here, if there is one."""
    place = _get_build_path(program)
    doomed = place.with_name(f".{place.name}-{os.getpid()}")  # `clear` removes it, if this process cannot
    with contextlib.suppress(OSError):
        place.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def _log_file(place: Path) -> Path:
    return place / ".build.log"


def _run_build(
    program: Program, sandbox: Sandbox, stop: Callable[[], bool] | None
) -> tuple[list[Member], str]:
    """Build, and once more if the build was killed from outside; return the resulting files and the log.

    The first kill may be the host's doing, as in a game; the second one is the program's.
    """
    try:
        return _build_once(program, sandbox, stop)
    except BuildFailed as error:
        if not error.killed:
            raise
    try:
        return _build_once(program, sandbox, stop)
    except BuildFailed as error:
        if not error.killed:
            raise
        raise BuildFailed(f"{error}; it was the second time", error.log) from error


def _build_once(
    program: Program, sandbox: Sandbox, stop: Callable[[], bool] | None
) -> tuple[list[Member], str]:
    """Build in the sandbox; return the resulting files and the log."""
    run = [*WRAPPER, *program.manifest.build]
    kind, seconds = program.manifest.runtime, int(BUILD_SECONDS)
    launch = Launch(program.folder, program.sha256, run, kind, BUILD, seconds, charged=False)
    build = _Build(sandbox.start(launch), BUILD, BUILT)
    with contextlib.closing(build.sandboxed):
        words = build.watch(stop or (lambda: False))
        log = decode_text(build.log, BUILD.stderr)
        if words:
            words = f"the build step failed: {words}{_shorten_log(log)}"
            raise BuildFailed(words, log, killed=build.was_killed)
        try:
            return _with_manifest(source.from_zip(bytes(build.output), BUILT), program), log
        except BadSubmission as error:
            raise BuildFailed(f"what the build step left behind is refused: {error}", log) from error


def _with_manifest(members: list[Member], program: Program) -> list[Member]:
    """Return the members with the submission's own manifest, even if the build step changed it."""
    own = Member(NAME, executable=False, content=(program.folder / NAME).read_bytes())
    return [*(member for member in members if member.path != NAME), own]


def _shorten_log(log: str) -> str:
    """Return the first error line of a compiler's log, or the last lines of another log."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    if error := next((line for line in lines if ERROR.search(line)), ""):
        return f"; its log says: {error}"
    return f"; its log ends: {' / '.join(lines[-LAST_LINES:])}" if lines else ""


class _Build:
    """A running build: its output and the end of its log are read as they come, within their limits.

    was_killed: it has ended because something outside killed it or a process of it, and for none of its
    limits.
    """

    def __init__(self, sandboxed: SandboxedProcess, limits: RunLimits, most: UploadLimits) -> None:
        self.sandboxed, self.limits, self.most = sandboxed, limits, most
        self.output, self.log = bytearray(), b""
        self._open = {sandboxed.stdout, sandboxed.stderr}
        self._began, self._stolen = time.monotonic(), read_stolen_seconds()
        self.was_killed = False

    def watch(self, stop: Callable[[], bool]) -> str:
        """Wait for the end of the build; return the reason of a failure, or an empty string."""
        poll = select.poll()
        for descriptor in self._open:
            poll.register(descriptor, select.POLLIN)
        while not self.sandboxed.wait(0):
            for descriptor, _ in poll.poll(LOOK * 1000) if self._open else ():
                self._read(descriptor)
                if descriptor not in self._open:
                    poll.unregister(descriptor)
            if not self._open:
                self.sandboxed.wait(LOOK)
            if stop():
                raise BlockStopped
            words = self._beyond()
            if words:
                return words
        for _ in range(MOST_LEFT):
            read = [self._read(descriptor) for descriptor in list(self._open)]
            if not any(read):
                break
        return self._end()

    def _read(self, descriptor: int) -> bool:
        """Read a chunk; return False if there is none for now or at all."""
        try:
            chunk = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._open.discard(descriptor)
        elif descriptor == self.sandboxed.stderr:
            self.log = (self.log + chunk)[-self.limits.stderr :]
        elif len(self.output) <= self.most.packed:
            self.output += chunk
        return bool(chunk)

    def _beyond(self) -> str:
        """Return the limit that the build exceeded, or an empty string."""
        if len(self.output) > self.most.packed:
            return f"it left more than {self.most.packed:,} bytes behind"
        if self.sandboxed.is_over_memory():
            return f"it used more than {self.limits.memory_mib} MiB of memory"
        if self.sandboxed.cpu() > self.limits.init_cpu:
            return f"it used more than {self.limits.init_cpu:g} s of CPU time"
        waited = time.monotonic() - self._began
        if waited <= self.limits.init_wall:
            return ""
        if host := explain_stall(waited, self.sandboxed.delay(), read_stolen_seconds() - self._stolen):
            raise PlatformFault(f"The host stalled: {host}.")
        return f"it was not done after {self.limits.init_wall:g} s"

    def _end(self) -> str:
        burst = self.sandboxed.is_over_memory()
        end = self.sandboxed.end(self.log)
        if end.platform:
            raise PlatformFault(f"The build was lost: {end.words}.")
        if burst:
            return f"it used more than {self.limits.memory_mib} MiB of memory"
        if end.words == "exit code 0":
            return ""
        if self.sandboxed.cpu() > self.limits.init_cpu:
            return f"it used more than {self.limits.init_cpu:g} s of CPU time"
        self.was_killed = end.killed or self.sandboxed.was_killed_for_host()
        return f"it ended with {end.words}"


def _keep_build(place: Path, members: list[Member], log: str) -> None:
    """Store the build in the artifact cache, atomically; a concurrent build gives the same result."""
    artifact_cache.remove_unused("built")
    draft = Path(tempfile.mkdtemp(prefix=".built-", dir=place.parent))
    try:
        for member in members:
            target = draft / member.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(member.content)
            target.chmod(0o700 if member.executable else 0o600)
        _log_file(draft).write_text(log)
        artifact_cache.open_to_seats(draft)
        draft.rename(place)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        if not place.is_dir():
            raise SandboxUnavailable(f"What was built cannot be kept in {place.parent}: {error}.") from error
