"""A league's results on disk: a line a block, added when it is finished, so that nothing is lost but a block.

The first line has the rules. Programs are identified by their content hash: a changed bot is a new one, and
results of its old version stay in the file and count again if that comes back.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from maumau.contest.score import UNITS
from maumau.contest.statistics.sequential import Sums
from maumau.errors import BadFile
from maumau.referee.share import BankTally

UNIT = UNITS["win"]
FORMAT = 1


class LeagueHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The head of a league's file: the rules with their hash, and the seed of its deals.

    `variant_toml` is the text of a custom variant; the file has none of a known one.
    """

    ladder: int
    rules: str
    options: dict[str, Any]
    hash: str
    seed: str
    variant_toml: str = ""


class LedgerBlock(msgspec.Struct, frozen=True):
    """A finished block of a pair, the smaller hash first; `total` and `squares` are the first's sums.

    `banks` has a tally for each of the two; blocks written before there were any have none.
    """

    first: str
    second: str
    block: int
    sets: int
    total: int
    squares: int
    faults: tuple[int, int] = (0, 0)
    names: tuple[str, str] = ("", "")
    banks: list[BankTally] = []


class Ledger:
    """An open file of results: the `blocks` of every pair by number, the `bank_tallies` of every program."""

    def __init__(self, file: int, path: Path, head: LeagueHead) -> None:
        self._file, self.path = file, path
        self.blocks: dict[tuple[str, str], dict[int, LedgerBlock]] = {}
        self.bank_tallies: defaultdict[str, BankTally] = defaultdict(BankTally)
        self.head = self._read_file(head)

    def add(self, block: LedgerBlock) -> None:
        """Add a block and write it to the file."""
        self._book_block(block)
        self._write_line(block)

    def sums(self, pair: tuple[str, str]) -> Sums:
        """Return the sums of a pair's sets."""
        found = self.blocks.get(pair, {}).values()
        return Sums(
            UNIT,
            sum(block.sets for block in found),
            sum(block.total for block in found),
            sum(block.squares for block in found),
        )

    def faults(self, sha256: str) -> int:
        """Return the number of a program's faults."""
        return sum(
            block.faults[pair.index(sha256)]
            for pair, found in self.blocks.items()
            if sha256 in pair
            for block in found.values()
        )

    def _read_file(self, head: LeagueHead) -> LeagueHead:
        """Read the file, except a last line cut off by a crash; write the head of a new file."""
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if not content:
            self._write_line(head)
            return head
        try:
            found = msgspec.json.decode(lines[0] if lines else content, type=LeagueHead)
            for line in lines[1:]:
                self._book_block(msgspec.json.decode(line, type=LedgerBlock))
        except msgspec.MsgspecError as error:
            raise BadFile(f"{self.path} is not a file of a league's results: {error}") from None
        if (found.ladder, found.rules, found.options, found.hash) != (
            head.ladder,
            head.rules,
            head.options,
            head.hash,
        ):
            raise BadFile(
                f"{self.path} is a league of {found.rules} {_options_text(found.options)}, and these are"
                " other rules or of another version; name another file with --results"
            )
        os.ftruncate(self._file, len(whole))
        return found

    def _book_block(self, block: LedgerBlock) -> None:
        self.blocks.setdefault((block.first, block.second), {})[block.block] = block
        for sha256, tally in zip((block.first, block.second), block.banks, strict=False):
            self.bank_tallies[sha256].add(tally)

    def _write_line(self, line: LeagueHead | LedgerBlock) -> None:
        os.write(self._file, msgspec.json.encode(line) + b"\n")
        os.fsync(self._file)


def _options_text(options: dict[str, Any]) -> str:
    return msgspec.json.encode(options).decode() if options else "with its usual options"


@contextmanager
def open_ledger(path: Path, head: LeagueHead) -> Iterator[Ledger]:
    """Yield the results at this path, new or old, locked for this process."""
    import fcntl  # not on Windows, where no bot can be played either

    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Ledger(file, path, head)
    except BlockingIOError:
        raise BadFile(f"{path} is being written by another league") from None
    finally:
        os.close(file)
