"""The export of a finished tournament (docs/verify.md): everything that is needed to check its result.

`NAME.export.jsonl` has the sections spec, entries, matches (of each match its blocks, each followed by its
records, then its result), tables, measured, and last a line with the SHA-256 of each. The sections before
`measured` have no ids, times or uncounted blocks: two runs with one secret write the same bytes, given bots
that decide by `rng`. The chain stands in `measured`, for in which order blocks are booked is the workers'
doing.

The export of a contest of jobs (a ladder's epoch, practice, an audit) has its terms in place of the spec, and
of each job its blocks with their records; nothing is judged, so it has no results and tables.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain as chained
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from maumau.contest.carryover import find_carryover
from maumau.contest.chain import Booking, links
from maumau.contest.entrant import Entrant
from maumau.contest.format import advance
from maumau.contest.line import (
    BOOKING,
    SECTIONS,
    EndLine,
    EntryLine,
    JobLine,
    Line,
    MeasuredLine,
    PartLine,
    RecordLine,
    Section,
    block_line,
    carryover_lines,
    encode,
    kind,
    record_line,
    records_digest,
    result_line,
    root_of,
    spec_line,
    table_lines,
    terms_line,
)
from maumau.contest.match import Verdict
from maumau.contest.score import SetScore
from maumau.contest.seed import deal_seeds
from maumau.contest.sequential import Sums
from maumau.contest.spec import Spec
from maumau.contest.terms import Terms
from maumau.errors import BadResult, DiskFull, NotOver

Records = Callable[[str], Iterable[tuple[SetScore, str]]]
"""Gives the sets of a match (by label) in order, each with its record: its deals one after the other."""


class JobPlayed(NamedTuple):
    """A job: the numbers of its entrants by position, the sets that were asked for, and its booked blocks in
    order: their number and their sets, each with its record.
    """

    label: str
    entrants: tuple[int, ...]
    sets: int
    blocks: Iterable[tuple[int, Sequence[tuple[SetScore, str]]]]


Blocks = Callable[[str], Iterable[tuple[Sequence[SetScore], str]]]
"""Gives the blocks of a match (by label) in order: the scores of their sets, their digest."""


def write(
    path: Path,
    spec: Spec,
    secret: str,
    entrants: Sequence[Entrant],
    results: Iterable[Verdict],
    records: Records,
    measured: Iterable[MeasuredLine] = (),
    bookings: Iterable[Booking] = (),
) -> str:
    """Write the export of a decided tournament, line by line, under a temporary name until it is complete.

    `records` may give more sets than count; the sets beyond are left out. `bookings`: all blocks in the order
    in which they were booked. `NotOver` if a match is open, `BadResult` if sets are missing or do not add up
    to the results; then no file is written. Gives `compared` of its last line.
    """
    matches = partial(_recorded, spec, secret, root_of(spec, entrants), records)
    chain = _chain(root_of(spec, entrants), bookings)
    lines = chained(_compared(spec, secret, entrants, results, matches), measured, chain)
    digest = Digest()
    _write_whole(path, _with_end(digest, lines))
    return digest.end().compared


def compared(
    spec: Spec, secret: str, entrants: Sequence[Entrant], results: Iterable[Verdict], blocks: Blocks
) -> str:
    """What the last line of the export will say, made of the digests of the blocks alone: 64 hex digits."""
    digest = Digest()
    for line in _compared(spec, secret, entrants, results, partial(_framed, spec, blocks)):
        digest.add(kind(line), encode(line))
    return digest.end().compared


Matches = Callable[[Verdict], Iterator[Line]]


def _compared(
    spec: Spec, secret: str, entrants: Sequence[Entrant], results: Iterable[Verdict], matches: Matches
) -> Iterator[Line]:
    """All lines but what was measured. matches: the lines of a match before its result."""
    plan = advance(spec, entrants, results)
    if not plan.done:
        raise NotOver(f"{spec.name} is not over: match {plan.matches[0].label} is still to be played.")
    yield spec_line(spec, secret, entrants)
    for entrant in entrants:
        yield EntryLine(*msgspec.structs.astuple(entrant))
    for verdict in plan.verdicts:
        yield from matches(verdict)
        yield result_line(verdict)
    yield from table_lines(plan.tables)
    root = root_of(spec, entrants)
    yield from carryover_lines(find_carryover(spec, secret, root, entrants, plan.verdicts))


def _recorded(spec: Spec, secret: str, root: str, records: Records, verdict: Verdict) -> Iterator[Line]:
    """The counted blocks of a match, each followed by its records."""
    sums, pair = Sums(verdict.unit), (verdict.first, verdict.second)
    counted = _counted(verdict, records(verdict.label) if verdict.counted else ())
    for number in range(verdict.counted // spec.match.block):
        block = list(islice(counted, spec.match.block))
        sums = sums.plus(score.half_points for score, _ in block)
        lines = block_records(secret, root, verdict.label, pair, block, verdict.seed_take)
        yield block_line(spec, verdict, number, sums, records_digest(map(encode, lines)))
        yield from lines
    if sums != verdict.sums:
        raise BadResult(f"The sets of match {verdict.label} do not add up to its result.")


def block_records(
    secret: str,
    root: str,
    label: str,
    entrants: Sequence[int],
    block: Iterable[tuple[SetScore, str]],
    seed_take: int = 0,
) -> list[RecordLine]:
    """The lines of a block's deal sets."""
    played = list(block)
    seeds = deal_seeds(secret, root, label, (score.number for score, _ in played), seed_take)
    return [record_line(entrants, label, seed, *one) for seed, one in zip(seeds, played, strict=True)]


def _framed(spec: Spec, blocks: Blocks, verdict: Verdict) -> Iterator[Line]:
    """The counted blocks of a match without their records."""
    sums, played = Sums(verdict.unit), iter(blocks(verdict.label) if verdict.counted else ())
    for number in range(verdict.counted // spec.match.block):
        scores, digest = next(played, ((), ""))
        sums = sums.plus(score.half_points for score in scores)
        yield block_line(spec, verdict, number, sums, digest)
    if sums != verdict.sums:
        raise BadResult(f"The blocks of match {verdict.label} do not add up to its result.")


def _chain(root: str, bookings: Iterable[Booking]) -> Iterator[MeasuredLine]:
    for number, link in enumerate(links(root, bookings), start=1):
        yield MeasuredLine(f"{BOOKING} {number}", msgspec.structs.asdict(link))


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
        if word not in {"measured", "record"}:
            self._compared.update(line)

    def end(self) -> EndLine:
        """The last line."""
        return EndLine(
            tuple(
                Section(name, self._lines[name], hashed.hexdigest()) for name, hashed in self._hashes.items()
            ),
            self._compared.hexdigest(),
        )


def _with_end(digest: Digest, lines: Iterable[Line]) -> Iterator[bytes]:
    for line in lines:
        data = encode(line)
        digest.add(kind(line), data)
        yield data
    yield encode(digest.end())


def write_jobs(
    path: Path,
    terms: Terms,
    secret: str,
    entrants: Sequence[Entrant],
    jobs: Iterable[JobPlayed],
    bookings: Iterable[Booking],
    measured: Iterable[MeasuredLine] = (),
) -> str:
    """Write the export of a contest of jobs that is over, as `write` does.

    Gives `compared` of its last line.
    """
    digest = Digest()
    lines = _job_lines(terms, secret, entrants, jobs)
    _write_whole(path, _with_end(digest, chained(lines, measured, _chain(terms.root, bookings))))
    return digest.end().compared


def _job_lines(
    terms: Terms, secret: str, entrants: Sequence[Entrant], jobs: Iterable[JobPlayed]
) -> Iterator[Line]:
    yield terms_line(terms, secret)
    for entrant in entrants:
        yield EntryLine(*msgspec.structs.astuple(entrant))
    root = terms.root
    for job in jobs:
        yield JobLine(job.label, job.entrants, job.sets)
        for number, played in job.blocks:
            records = block_records(secret, root, job.label, job.entrants, played)
            digest = records_digest(map(encode, records))
            yield PartLine(job.label, number, records[0].set, len(records), digest)
            yield from records


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
