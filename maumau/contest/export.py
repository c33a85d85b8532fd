"""The export of a finished tournament (design §6): everything that is needed to check its result.

`NAME.export.jsonl` has the sections spec, entries, matches (of each match its blocks, each followed by its
records, then its result), tables, measured, and last a line with the SHA-256 of each. The sections before
`measured` have no ids, times or uncounted blocks: two runs with one secret write the same bytes, given bots
that decide by `rng`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from maumau.contest.entrant import Entrant
from maumau.contest.format import Plan, advance
from maumau.contest.line import (
    SECTIONS,
    EndLine,
    EntryLine,
    Line,
    MeasuredLine,
    RecordLine,
    Section,
    block_line,
    encode,
    kind,
    result_line,
    spec_line,
    table_lines,
)
from maumau.contest.match import Verdict
from maumau.contest.score import SetScore
from maumau.contest.seed import deal_seed, entries_root
from maumau.contest.sequential import Sums
from maumau.contest.spec import Spec
from maumau.errors import BadResult, DiskFull, NotOver

Records = Callable[[str], Iterable[tuple[SetScore, str]]]
"""Gives the sets of a match (by label) in order, each with its record: its deals one after the other."""


def write(
    path: Path,
    spec: Spec,
    secret: str,
    entrants: Sequence[Entrant],
    results: Iterable[Verdict],
    records: Records,
    measured: Iterable[MeasuredLine] = (),
) -> None:
    """Write the export of a decided tournament, line by line, under a temporary name until it is complete.

    `records` may give more sets than count; the sets beyond are left out. `NotOver` if a match is open,
    `BadResult` if sets are missing or do not add up to the results; then no file is written.
    """
    plan = advance(spec, entrants, results)
    if not plan.done:
        raise NotOver(f"{spec.name} is not over: match {plan.matches[0].label} is still to be played.")
    lines = _lines(spec, secret, entrants, plan, records, measured)
    _write_whole(path, _with_end(lines))


def _lines(
    spec: Spec,
    secret: str,
    entrants: Sequence[Entrant],
    plan: Plan,
    records: Records,
    measured: Iterable[MeasuredLine],
) -> Iterator[Line]:
    yield spec_line(spec, secret, entrants)
    for entrant in entrants:
        yield EntryLine(*msgspec.structs.astuple(entrant))
    root = entries_root(entrants)
    for verdict in plan.verdicts:
        sets = _counted(verdict, records(verdict.label) if verdict.counted else ())
        yield from match_lines(spec, secret, root, verdict, sets)
    yield from table_lines(plan.tables)
    yield from measured


def match_lines(
    spec: Spec, secret: str, root: str, verdict: Verdict, sets: Iterable[tuple[SetScore, str]]
) -> Iterator[Line]:
    """A match: its counted blocks, each followed by its records, then its result."""
    sums = Sums(verdict.unit)
    counted = iter(sets)
    for number in range(verdict.counted // spec.match.block):
        block = list(islice(counted, spec.match.block))
        sums = sums.plus(score.half_points for score, _ in block)
        yield block_line(spec, verdict.label, number, sums)
        for score, record in block:
            seed = deal_seed(secret, root, verdict.label, score.number)
            yield RecordLine(verdict.label, score.number, seed, score.half_points, score.points, record)
    if sums != verdict.sums:
        raise BadResult(f"The sets of match {verdict.label} do not add up to its result.")
    yield result_line(verdict)


def _counted(verdict: Verdict, sets: Iterable[tuple[SetScore, str]]) -> Iterator[tuple[SetScore, str]]:
    """The sets that count, in order without a gap."""
    number = -1
    for number, (score, record) in zip(range(verdict.counted), sets, strict=False):
        if score.number != number:
            raise BadResult(f"Set {number} of match {verdict.label} is missing.")
        yield score, record
    if number + 1 != verdict.counted:
        raise BadResult(f"Set {number + 1} of match {verdict.label} is missing.")


class Digest:
    """Hashes the lines of an export by section, as they pass."""

    def __init__(self) -> None:
        self._hashes = {section: hashlib.sha256() for section in SECTIONS.values() if section != "end"}
        self._lines = dict.fromkeys(self._hashes, 0)
        self._compared = hashlib.sha256()

    def add(self, word: str, line: bytes) -> None:
        """Take in the bytes of a line of this kind."""
        section = SECTIONS[word]
        self._hashes[section].update(line)
        self._lines[section] += 1
        if section != "measured":
            self._compared.update(line)

    def end(self) -> EndLine:
        """The last line."""
        return EndLine(
            tuple(
                Section(name, self._lines[name], hashed.hexdigest()) for name, hashed in self._hashes.items()
            ),
            self._compared.hexdigest(),
        )


def _with_end(lines: Iterable[Line]) -> Iterator[bytes]:
    digest = Digest()
    for line in lines:
        data = encode(line)
        digest.add(kind(line), data)
        yield data
    yield encode(digest.end())


def _write_whole(path: Path, lines: Iterable[bytes]) -> None:
    """Write to a temporary name beside `path`, and take the name only when everything is on the disk."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(f"The disk is full; {path} was not written.") from None
        raise
    finally:
        part.unlink(missing_ok=True)
