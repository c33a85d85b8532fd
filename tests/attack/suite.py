"""Runs the attacks of attacks.toml behind a tier and says what came of each, as plain data.

The same code for pytest, and for `as_user.py`, which runs it as a user without rights.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

import msgspec

from maumau.bot import package, seccomp, shelf
from maumau.bot.sandbox import Sandbox
from maumau.bot.table import BlockOrder, BlockOutcome, Program, play_block
from maumau.errors import PlatformFault

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
WORLD = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/dev/mqueue")  # where a program might leave something
LONGER = 6  # times as many sets, where an attack takes several
LONG = os.environ.get("MAUMAU_ATTACK") == "long"


GROWTH = 20.0  # MiB that the referee may need for an attack


class Attack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One program: what it `tries`, in which `tiers`, the fault that is booked, and a line of its log.

    `fault` is empty where the program is not harmed by having tried; `process` and `ungrouped` are other
    faults in the process tier and in bwrap without control groups. `holds`: no line of the log may say that
    it could do anything. `both`: both seats are the attacker's. `build`: it is tried in a build step, too.
    """

    name: str
    tries: str
    log: str
    fault: str = ""
    process: str = ""
    ungrouped: str = ""
    tiers: tuple[str, ...] = ("bwrap",)
    holds: bool = True
    both: bool = False
    build: bool = False
    deal_ms: int = 3000
    sets: int = 1
    memory_mib: int = 256

    @property
    def source(self) -> Path:
        """The program's text."""
        return next(
            path for path in (PROGRAMS / f"{self.name}.py", PROGRAMS / f"{self.name}.c") if path.exists()
        )

    @property
    def compiled(self) -> bool:
        return self.source.suffix == ".c"

    def expected(self, tier: str, *, grouped: bool) -> str:
        """The kind of fault that must be booked."""
        if tier == "process" and self.process:
            return self.process
        return self.ungrouped if self.ungrouped and not grouped else self.fault


class Found(msgspec.Struct):
    """What was seen of one attack: kinds of fault by who made them, logs, and what was left of it."""

    kinds: list[str]
    innocent: list[str]
    logs: list[str]
    same: bool
    starts: list[int]
    living: list[str]
    left: list[str]
    reached: list[str]
    grown_mib: float
    peak_mib: float
    seconds: float


def wrong(attack: Attack, found: Found, tier: str, *, grouped: bool) -> list[str]:
    """What is not as it must be after an attack, in words; nothing if all is well."""
    text, fault = "".join(found.logs), attack.expected(tier, grouped=grouped)
    could = [line for line in text.splitlines() if line.startswith("could:")] if attack.holds else []
    checks = {
        f"faults booked {found.kinds}, not {fault or 'none'}": found.kinds == ([fault] if fault else []),
        f"faults booked to the innocent: {found.innocent}": not found.innocent,
        f"the log has no {attack.log!r}: {text[-2000:]}": re.search(attack.log, text),
        f"it could do something: {could}": not could,
        "what was played is not what harmless programs play": found.same,
        f"the peer was started {found.starts[1]} times": attack.both or found.starts[1] == 2,
        f"still running: {found.living}": not found.living,
        f"left behind: {found.left}": not found.left,
        f"reached: {found.reached}": not found.reached,
        f"the referee grew by {found.grown_mib:.1f} MiB, at most by {found.peak_mib:.1f}": (
            max(found.grown_mib, found.peak_mib) < GROWTH
        ),
    }
    return [words for words, fine in checks.items() if not fine]


class Upload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One upload: what it `tries`, and the error that refuses it; none: it is taken as what it is."""

    name: str
    tries: str
    error: str = ""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of attacks.toml."""

    attack: list[Attack]
    upload: list[Upload]


def table() -> Table:
    return msgspec.toml.decode((HERE / "attacks.toml").read_bytes(), type=Table)


def attacks() -> list[Attack]:
    """The programs of the table."""
    return table().attack


class World:
    """What an attacker would like to reach: an arena's files, its ports and sockets, its environment."""

    def __init__(self, room: Path) -> None:
        self.room, self.mark = room, f"attack-{uuid.uuid4().hex}"
        self.arena = room / "arena"
        self.reached: list[str] = []
        self._held = ExitStack()

    def __enter__(self) -> Self:
        self.arena.mkdir(mode=0o755)
        for name in ("arena.json", "registry.db"):
            (self.arena / name).write_text(f"secret-{self.mark}")
            (self.arena / name).chmod(0o666)  # only the wall keeps it
        self._lines = {
            "tcp": self._listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": self._listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "socket": self._listen(socket.AF_UNIX, socket.SOCK_STREAM, str(self.room / "broker.sock")),
            "abstract": self._listen(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.mark}"),
        }
        (self.room / "broker.sock").chmod(0o666)
        os.environ["MAUMAU_ADMIN_TOKEN"] = f"secret-{self.mark}"
        return self

    def __exit__(self, *_: object) -> None:
        del os.environ["MAUMAU_ADMIN_TOKEN"]
        self._held.close()

    def _listen(self, family: int, kind: int, address: object) -> socket.socket:
        line = self._held.enter_context(socket.socket(family, kind))
        line.bind(address)
        line.setblocking(False)
        if kind == socket.SOCK_STREAM:
            line.listen()
        return line

    def targets(self, other: Path) -> str:
        """What the attacker is told of all this."""
        named = {
            "mark": self.mark,
            "pid": os.getpid(),
            "tcp": self._lines["tcp"].getsockname()[1],
            "udp": self._lines["udp"].getsockname()[1],
            "socket": str(self.room / "broker.sock"),
            "abstract": self.mark,
            "arena": str(self.arena),
            "other": str(other),
            "source": str(HERE / "attacks.toml"),
        }
        return json.dumps(named)

    def visits(self) -> list[str]:
        """Which doors somebody has knocked at, and which files are not what they were."""
        found = []
        for name, line in self._lines.items():
            with suppress(BlockingIOError):
                line.recv(1) if name == "udp" else line.accept()
                found.append(name)
        changed = [p.name for p in self.arena.iterdir() if p.read_text() != f"secret-{self.mark}"]
        return found + changed


class Watched:
    """A sandbox that remembers the process namespaces it made, to find what still lives in them."""

    def __init__(self, inner: Sandbox) -> None:
        self.inner, self.spaces = inner, list[int]()
        self.name, self.isolated, self.says = inner.name, inner.isolated, inner.says

    def start(self, launch):
        cell = self.inner.start(launch)
        if self.isolated:
            with suppress(OSError):  # it has ended already
                # held open: the number of one that is gone would be given to a stranger's
                self.spaces.append(os.open(f"/proc/{cell.pid}/ns/pid", os.O_RDONLY | os.O_CLOEXEC))
        return cell

    def living(self, mark: str) -> list[str]:
        """Processes in these namespaces, or with this word on their command line; given a moment to go."""
        spaces = {os.fstat(space).st_ino for space in self.spaces}
        deadline = time.monotonic() + 3
        while (found := list(_living(mark, spaces))) and time.monotonic() < deadline:
            os.sched_yield()
        while self.spaces:
            os.close(self.spaces.pop())
        return found


def _living(mark: str, spaces: set[int]) -> Iterator[str]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
            space = (folder / "ns/pid").stat().st_ino if spaces else 0
        except OSError:
            continue
        if mark in line or space in spaces:
            yield f"{folder.name}: {line}"


class Suite:
    """Attacks behind one sandbox, in one world."""

    def __init__(self, sandbox: Sandbox, world: World, long: bool = LONG) -> None:
        self.sandbox, self.world, self.long = Watched(sandbox), world, long
        self.peer = self._submission(PROGRAMS / "peer.py", world.room)
        self._harmless: dict[int, list[list[str]]] = {}

    def run(self, attack: Attack) -> Found:
        """One attack against the harmless peer, or against itself."""
        attacker = self._submission(attack.source, self.peer.folder)
        programs = [attacker, attacker if attack.both else self.peer]
        before = [_contents(program.folder) for program in programs]
        resident = _start_of_peak()
        outcome, seconds = self._play(programs, attack)
        grown, peak = _status("VmRSS") - resident, _status("VmHWM") - resident
        booked = [fault for one in outcome.sets for deal in one.deals for fault in deal.faults]
        guilty = {0, 1} if attack.both else {0}
        changed = [p.name for p, was in zip(programs, before, strict=True) if _contents(p.folder) != was]
        uses = outcome.measured.uses
        return Found(
            kinds=sorted({fault.kind for fault in booked if fault.entrant in guilty}),
            innocent=[f"{fault.kind}: {fault.words}" for fault in booked if fault.entrant not in guilty],
            logs=[fault.stderr for fault in booked] + [use.log for use in uses],
            same=self._events(outcome) == self._as_it_would_be(attack.sets),
            starts=[use.starts for use in uses],
            living=self.sandbox.living(self.world.mark),
            left=changed + left_behind(self.world.mark, self.world.room),
            reached=self.world.visits(),
            grown_mib=grown,
            peak_mib=peak,
            seconds=seconds,
        )

    def _play(self, programs: list[Program], attack: Attack) -> tuple[BlockOutcome, float]:
        """As the arena does it: what the host is to blame for is played again, from the same seeds."""
        sizes = {"deal_ms": attack.deal_ms, "memory_mib": attack.memory_mib}
        sets = attack.sets * (LONGER if self.long and attack.sets > 1 else 1)
        seeds = [f"{number:064x}" for number in range(sets)]
        order, began = BlockOrder("mau_mau", 2, seeds, cpu=_core(), **sizes), time.monotonic()
        for _ in range(2):
            with suppress(PlatformFault):
                return play_block(order, programs, self.sandbox), time.monotonic() - began
        return play_block(order, programs, self.sandbox), time.monotonic() - began

    def _as_it_would_be(self, sets: int) -> list[list[str]]:
        """What two harmless programs play."""
        if sets not in self._harmless:
            harmless = Attack("peer", "", "", sets=sets)
            self._harmless[sets] = self._events(self._play([self.peer, self.peer], harmless)[0])
        return self._harmless[sets]

    def _events(self, outcome: BlockOutcome) -> list[list[str]]:
        """What was played in each deal; a stand-in plays as the peer does, so a fault changes no card."""
        return [
            [line for line in deal.record.splitlines() if not line.startswith(("forfeit", "result"))]
            for one in outcome.sets for deal in one.deals
        ]  # fmt: skip

    def _submission(self, source: Path, other: Path) -> Program:
        """The program packed and unpacked as the arena does it."""
        files = self.files(source, other)
        words = ["./bot"] if source.suffix == ".c" else ["python3", "bot.py"]
        words += [self.world.mark, *["long"] * self.long, *["plain"] * (not self.sandbox.isolated)]
        toml = f'name = "{source.stem}"\nrun = {json.dumps(words)}\n'
        files["bot.toml"] = (
            toml + f'runtime = "{"native" if source.suffix == ".c" else "python"}"\n'
        ).encode()
        return self.submit(source.stem, files)

    def files(self, source: Path, other: Path) -> dict[str, bytes]:
        """The program and what lies beside it."""
        targets = {"targets.json": self.world.targets(other).encode()}
        if source.suffix == ".c":
            return targets | {"bot": compiled(source), "calls.txt": calls().encode()}
        return targets | {"bot.py": source.read_bytes(), "wall.py": (PROGRAMS / "wall.py").read_bytes()}

    def submit(self, name: str, files: dict[str, bytes]) -> Program:
        """Files packed and unpacked as the arena does it."""
        folder, target = self.world.room / uuid.uuid4().hex, self.world.room / uuid.uuid4().hex
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        for path in folder.rglob("bot"):
            path.chmod(0o755)
        packed = package.unpack(package.pack(folder).archive, target)
        shutil.rmtree(folder)
        return Program(target, packed.manifest, packed.sha256, name)


def calls() -> str:
    """The names and numbers of the system calls that the filter refuses whatever their arguments."""
    return "".join(f"{name} {number}\n" for name, number in sorted(seccomp.refused().items()))


def compiled(source: Path) -> bytes:
    """The program, by the machine's compiler."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "bot")
        command = [
            "gcc",
            "-O1",
            "-D_GNU_SOURCE",
            "-Wall",
            "-Werror",
            "-Wno-unused-function",
            "-o",
            target,
            source,
        ]
        subprocess.run(command, check=True, capture_output=True)
        return target.read_bytes()


def left_behind(mark: str, room: Path) -> list[str]:
    """Files with the mark in their name, or of a seat's user, wherever a program might have written."""
    seats = range(shelf.SEATS + 1, shelf.SEATS + 1001)
    found = []
    for top in filter(os.path.isdir, (*WORLD, room)):
        for entry in os.scandir(top):
            with suppress(OSError):
                if mark in entry.name or entry.stat(follow_symlinks=False).st_uid in seats:
                    found.append(entry.path)
    for kind in ("shm", "sem", "msg"):
        with suppress(OSError):
            rows = Path("/proc/sysvipc", kind).read_text().splitlines()[1:]
            found += [f"{kind} {row}" for row in rows if str(0x4D61754D) in row.split()]
    return found


def _core() -> int:
    """A slot is a core; the workers of a test run take different ones."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % len(cores)]


def _contents(folder: Path) -> str:
    """A hash over names, modes and bytes of everything in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path}\0{path.lstat().st_mode}\0".encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def _start_of_peak() -> float:
    """The resident memory now, in MiB; the kernel counts its peak anew from here."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


@contextmanager
def opened_room() -> Iterator[Path]:
    """A folder that every user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="maumau-attack-") as name:
        Path(name).chmod(0o755)
        yield Path(name)
