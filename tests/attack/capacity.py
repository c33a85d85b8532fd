"""The number of bits that pass between programs through the kernel's data about memory that they share.

`python -m tests.attack.capacity VIEW WARM` measures as a user without rights, started by root in a mount
namespace of its own (VIEW: an empty folder of its), or by that user, and prints bits by store as JSON.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from maumau.protocol.limit import RunLimits
from maumau.sandbox.files.artifact_cache import own_users
from maumau.sandbox.files.program_file import PLACE
from maumau.sandbox.files.runtime import find_runtime, interpreter_files
from maumau.sandbox.kernel.host import is_readable
from maumau.sandbox.launch import Launch, Sandbox, choose_sandbox
from tests.support.host.nobody import become_nobody, bind_paths

ROOT = Path(__file__).resolve().parents[2]
TRIES, BITS, FEW = 4, 64, 16  # words of each store; bits of one; bits that take a thread or a start each
OWN = f"{PLACE}/pages.bin"
PAGE, AROUND = 4096, 16  # bytes; pages that a fault maps at once
SIZE = (BITS * AROUND + 1) * PAGE
PLAIN = {".py", ".whl"}
WAIT = 60.0  # seconds
CHANCE = 20.0  # of a G-test with one degree of freedom: one measurement in 100,000 exceeds it by chance


class Stage:
    """A sandbox and two programs of one author; `file` is the one they share."""

    def __init__(self, sandbox: Sandbox, room: Path, file: str = OWN) -> None:
        self.sandbox, self.file = sandbox, file
        self.folders = [room / "carries", room / "fills"]
        for folder, pages in zip(self.folders, (SIZE, SIZE // 2), strict=True):
            folder.mkdir()
            shutil.copy(Path(__file__).with_name("carry_pages.py"), folder / "bot.py")
            (folder / "pages.bin").write_bytes(bytes(pages))

    def run(self, store: str, way: str, bits: str, number: int = 0) -> str:
        """Return the output of a start that has ended."""
        with self._start(store, way, bits, number) as sandboxed:
            if not sandboxed.wait(WAIT):
                raise TimeoutError(f"{store} {way} has not ended")
            return read_all(sandboxed.stdout)

    @contextmanager
    def hold(self, store: str, bits: str) -> Iterator[None]:
        """Have a program write these bits, and live meanwhile."""
        with self._start(store, "hold", bits, 0) as sandboxed:
            if not is_readable(sandboxed.stdout, WAIT) or read_all(sandboxed.stdout) != "held":
                raise TimeoutError(f"{store} is not held: {read_all(sandboxed.stderr)}")
            yield

    @contextmanager
    def _start(self, store: str, way: str, bits: str, number: int):
        run = ["python3", "bot.py", store, way, self.file, bits]
        with closing(
            self.sandbox.start(Launch(self.folders[number], "", run, "python", RunLimits(), 60))
        ) as found:
            yield found


def read_all(descriptor: int) -> str:
    try:
        return os.read(descriptor, 1 << 16).decode().strip()
    except BlockingIOError:
        return ""


def carry_flags(stage: Stage) -> float:
    """Measure the flow between lives: a flag of a page has changed if it was read in between."""

    def tell(bits: str) -> str:
        before = stage.run("flags", "read", bits)
        stage.run("flags", "write", bits)
        return compare_reads(before, stage.run("flags", "read", bits))

    return count_bits(tell, BITS)


def carry_maps(stage: Stage) -> float:
    """Measure the flow between two live programs: who maps a page."""

    def tell(bits: str) -> str:
        with stage.hold("mapped", bits):
            return stage.run("mapped", "read", bits)

    pages = SIZE // PAGE if stage.file == OWN else Path(stage.file).stat().st_size // PAGE
    return count_bits(tell, min(BITS, pages // AROUND))


def carry_futexes(stage: Stage) -> float:
    """Measure the flow between two live programs: who waits at a page."""

    def tell(bits: str) -> str:
        with stage.hold("futex", bits):
            return stage.run("futex", "read", bits)

    return count_bits(tell, FEW)


def carry_numbers(stage: Stage) -> float:
    """Measure the flow between lives: which numbers change if another program was started in between."""

    def read(bit: str) -> list[int]:
        return list(map(int, stage.run("numbers", "read", bit).split()))

    def tell_one(bit: str) -> str:
        first, second = read(bit), read(bit)
        if bit == "1":
            stage.run("numbers", "read", bit, 1)
        return "01"[_subtract(read(bit), second) != _subtract(second, first)]

    return count_bits(lambda bits: "".join(map(tell_one, bits)), FEW // 2)


def _subtract(later: list[int], before: list[int]) -> list[int]:
    return [one - other for one, other in zip(later, before, strict=True)]


STORES: dict[str, Callable[[Stage], float]] = {
    "flags": carry_flags,
    "mapped": carry_maps,
    "futex": carry_futexes,
    "numbers": carry_numbers,
}


SHARED = ("flags", "mapped")
"""Stores of files that all programs have; futexes are open there (docs/explanation/security.md)."""


def compare_reads(before: str, after: str) -> str:
    if before.startswith("refused"):
        return before
    return "".join("01"[one != other] for one, other in zip(before, after, strict=True))


def count_bits(tell: Callable[[str], str], bits: int) -> float:
    """Return the information, in bits of a word, that the bits read have about the bits written.

    None if it is no more than what pages that others on the host read in between show by chance.
    """
    pairs = Counter[tuple[str, str]]()
    for _ in range(TRIES):
        word = "".join(random.choices("01", k=bits))
        read = tell(word)
        pairs.update(zip(word, "0" * bits if read.startswith("refused") else read, strict=True))
    information = find_information(pairs)
    return bits * information if 2 * math.log(2) * pairs.total() * information > CHANCE else 0.0


def find_information(pairs: Counter[tuple[str, str]]) -> float:
    """Return the mutual information of both letters of a pair, in bits."""
    whole = pairs.total()
    first, second = Counter[str](), Counter[str]()
    for (one, other), number in pairs.items():
        first[one] += number
        second[other] += number
    return sum(
        number / whole * math.log2(number * whole / (first[one] * second[other]))
        for (one, other), number in pairs.items()
    )


def measure(
    sandbox: Sandbox, *, file: str = OWN, stores: tuple[str, ...] = tuple(STORES)
) -> dict[str, float]:
    """Return the bits of a word that each store carries by this file."""
    with tempfile.TemporaryDirectory(prefix="maumau-") as room:
        Path(room).chmod(0o755)
        stage = Stage(sandbox, Path(room), file)
        return {name: round(STORES[name](stage), 1) for name in stores}


def find_shared() -> str:
    """Return a file of the image shared by all programs of a machine that none of them needs to map."""
    files = interpreter_files(find_runtime(own_user=own_users()).prefix)
    return max(
        (path for _, path in files if path.suffix in PLAIN), key=lambda path: path.stat().st_size
    ).as_posix()


def main(view: str, warm: str) -> None:
    """Give up all rights, then measure."""
    if os.geteuid() == 0:
        bind_paths([Path(sys.base_prefix), ROOT, Path(sys.prefix)], Path(view))
        words = ("-m", "tests.attack.capacity", view, warm)
        become_nobody(*words, PYTHONPATH=str(ROOT), PYTHONDONTWRITEBYTECODE="1")
    sandbox = choose_sandbox("bwrap")
    sandbox.warmth.allowed = warm == "warm"
    found = {"own": measure(sandbox), "shared": measure(sandbox, file=find_shared(), stores=SHARED)}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
