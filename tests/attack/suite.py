"""Runs the attacks of attacks.toml behind a tier and says what came of each, as plain data.

The same code for pytest, and for `as_user.py`, which runs it as a user without rights.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path

import msgspec

from maumau.errors import PlatformFault
from maumau.game import drop_mark
from maumau.referee.block import BlockOrder, BlockOutcome, Program, play_block
from maumau.sandbox.kernel import seccomp
from maumau.sandbox.launch import Sandbox
from maumau.submission import package
from tests.attack.table import PROGRAMS, Attack, Found
from tests.attack.world import Watched, World, left_behind

LONGER = 6  # times as many sets, where an attack takes several
LONG = os.environ.get("MAUMAU_ATTACK") == "long"


class Suite:
    """Attacks behind one sandbox, in one world."""

    def __init__(self, sandbox: Sandbox, world: World, long: bool = LONG) -> None:
        self.sandbox, self.world, self.long = Watched(sandbox), world, long
        self.peer = self.submission(PROGRAMS / "peer.py", world.room)
        self.harmless = Attack("peer", "", "")
        self._harmless: dict[int, list[list[str]]] = {}

    def run(self, attack: Attack) -> Found:
        """Run one attack against the harmless peer, or against itself."""
        attacker = self.submission(attack.source, self.peer.folder)
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
            words=[fault.words for fault in booked],
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

    def charge(self, victim: Path, attack: Attack) -> float:
        """Milliseconds of CPU time booked to the victim beside this attack."""
        innocent = self.submission(victim, self.world.room)
        attacker = self.submission(attack.source, innocent.folder)
        outcome, _ = self._play([attacker, innocent], attack)
        return outcome.measured.uses[1].cpu_ms

    def _play(self, programs: list[Program], attack: Attack) -> tuple[BlockOutcome, float]:
        """Play as the arena does: after a fault of the host again, from the same seeds."""
        sizes = {"deal_ms": attack.deal_ms, "memory_mib": attack.memory_mib}
        sets = attack.sets * (LONGER if self.long and attack.sets > 1 else 1)
        seeds = [f"{number:064x}" for number in range(sets)]
        order, began = BlockOrder("mau_mau", 2, seeds, cpu=choose_core(), **sizes), time.monotonic()
        for _ in range(2):
            with suppress(PlatformFault):
                return play_block(order, programs, self.sandbox), time.monotonic() - began
        return play_block(order, programs, self.sandbox), time.monotonic() - began

    def _as_it_would_be(self, sets: int) -> list[list[str]]:
        """Return the deals of two harmless programs."""
        if sets not in self._harmless:
            harmless = msgspec.structs.replace(self.harmless, sets=sets)
            self._harmless[sets] = self._events(self._play([self.peer, self.peer], harmless)[0])
        return self._harmless[sets]

    def _events(self, outcome: BlockOutcome) -> list[list[str]]:
        """Return the events of each deal; stand-ins play like the peer, so that faults change no card."""
        return [
            [line for line in record.splitlines() if not line.startswith(("forfeit", "result"))]
            for one in outcome.sets for record in (drop_mark(deal.record) for deal in one.deals)
        ]  # fmt: skip

    def submission(self, source: Path, other: Path) -> Program:
        """Return the program packed and unpacked as in the arena."""
        files = self.files(source, other)
        words = ["./bot"] if source.suffix == ".c" else ["python3", "bot.py"]
        words += [self.world.mark, *["long"] * self.long, *["plain"] * (not self.sandbox.isolated)]
        toml = f'name = "{source.stem}"\nrun = {json.dumps(words)}\n'
        files["bot.toml"] = (
            toml + f'runtime = "{"native" if source.suffix == ".c" else "python"}"\n'
        ).encode()
        return self.submit(source.stem, files)

    def files(self, source: Path, other: Path) -> dict[str, bytes]:
        """Return the program's files."""
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
        packed = package.unpack_archive(package.pack_submission(folder).archive, target)
        shutil.rmtree(folder)
        return Program(target, packed.manifest, packed.sha256, name)


def calls() -> str:
    """Return the names and numbers of the system calls that the filter refuses with any arguments."""
    return "".join(f"{name} {number}\n" for name, number in sorted(seccomp.list_refused_calls().items()))


def compiled(source: Path) -> bytes:
    """Return the program compiled by the machine's compiler."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "bot")
        command = [
            "gcc",
            "-O1",
            "-D_GNU_SOURCE",
            "-Wall",
            "-Werror",
            "-Wno-unused-function",
            "-Wno-unused-variable",
            "-pthread",
            "-o",
            target,
            source,
        ]
        subprocess.run(command, check=True, capture_output=True)
        return target.read_bytes()


def choose_core() -> int:
    """Return a core for this test worker: slots are cores, and workers use different ones."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % len(cores)]


def _contents(folder: Path) -> str:
    """Return a hash over names, modes and bytes of everything in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path}\0{path.lstat().st_mode}\0".encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def _start_of_peak() -> float:
    """Return the present resident memory, in MiB, and let the kernel restart its peak."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))
