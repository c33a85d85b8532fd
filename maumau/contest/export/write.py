"""The export of a finished tournament: all that is needed to check its result (docs/reference/verify.md).

`NAME.export.jsonl` has the sections spec, entries, matches (of each match its blocks, each followed by its
records, then its result), tables, measured, and last a line with the SHA-256 of each. The sections before
`measured` have no ids, times or uncounted blocks: two runs with one secret write the same bytes, given bots
that decide by `rng`. The chain is in `measured`, since the order in which blocks are booked depends on the
workers.

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

from maumau.contest.entrant import Entrant
from maumau.contest.export.carryover import find_carryover
from maumau.contest.export.chain import Booking, Chain, ChainJob, EventLink, Link, link_events, write_event
from maumau.contest.export.line import (
    BOOKING,
    LINK,
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
    encode_line,
    find_kind,
    race_lines,
    record_line,
    records_digest,
    result_line,
    root_of,
    spec_line,
    table_lines,
    terms_line,
)
from maumau.contest.format.match import Verdict
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.score import SetScore
from maumau.contest.seed import BOOKINGS_ALONE, VERSION, deal_seeds
from maumau.contest.spec.spec import Spec
from maumau.contest.statistics.sequential import Sums
from maumau.contest.terms import Terms
from maumau.errors import BadResult, DiskFull, NotOver

Records = Callable[[str], Iterable[tuple[SetScore, str]]]
"""Gives the sets of a match (by label) in order, each with its record: its deals one after the other."""


class JobPlayed(NamedTuple):
    """A job and its booked blocks.

    It has the numbers of its entrants by position, the sets that were asked for, and the blocks in order:
    their number and their sets, each with its record.
    """

    label: str
    entrants: tuple[int, ...]
    sets: int
    blocks: Iterable[tuple[int, Sequence[tuple[SetScore, str]]]]


Blocks = Callable[[str], Iterable[tuple[Sequence[SetScore], str]]]
"""Gives the blocks of a match (by label) in order: the scores of their sets, their digest."""


def write_export(
    path: Path,
    spec: Spec,
    secret: str,
    entrants: Sequence[Entrant],
    results: Iterable[Verdict],
    records: Records,
    measured: Iterable[MeasuredLine],
    chain: Chain,
) -> str:
    """Write the export of a decided tournament, line by line, under a temporary name until it is complete.

    `records` may give more sets than count; the sets beyond are left out. `NotOver` if a match is open,
    `BadResult` if sets are missing or do not add up to the results; then no file is written. Gives
    `compared` of its last line.
    """
    root = root_of(spec, entrants, chain.version)
    matches = partial(_list_recorded, spec, secret, root, records)
    compared = _list_compared(spec, secret, entrants, results, matches, chain.version)
    lines = chained(compared, measured, _chain_lines(root, chain))
    digest = Digest()
    _write_whole(path, _with_end(digest, lines))
    return digest.build_end().compared


def digest_compared(
    spec: Spec,
    secret: str,
    entrants: Sequence[Entrant],
    results: Iterable[Verdict],
    blocks: Blocks,
    version: int = VERSION,
) -> str:
    """Return `compared` of the export from the digests of the blocks alone: 64 hex digits."""
    digest = Digest()
    for line in _list_compared(
        spec, secret, entrants, results, partial(_frame_blocks, spec, blocks), version
    ):
        digest.add_line(find_kind(line), encode_line(line))
    return digest.build_end().compared


Matches = Callable[[Verdict], Iterator[Line]]


def _list_compared(
    spec: Spec,
    secret: str,
    entrants: Sequence[Entrant],
    results: Iterable[Verdict],
    matches: Matches,
    version: int,
) -> Iterator[Line]:
    """All lines but what was measured. matches: the lines of a match before its result."""
    plan = advance_schedule(spec, entrants, results, version)
    if not plan.done:
        raise NotOver(f"{spec.name} is not over: match {plan.matches[0].label} is still to be played.")
    yield spec_line(spec, secret, entrants, version)
    for entrant in entrants:
        yield EntryLine(*msgspec.structs.astuple(entrant))
    for verdict in plan.verdicts:
        yield from matches(verdict)
        yield result_line(verdict, version)
    yield from table_lines(plan.tables)
    yield from race_lines(plan.draws)
    root = root_of(spec, entrants, version)
    yield from carryover_lines(find_carryover(spec, secret, root, entrants, plan.verdicts))


def _list_recorded(spec: Spec, secret: str, root: str, records: Records, verdict: Verdict) -> Iterator[Line]:
    """Yield the counted blocks of a match, each followed by its records."""
    sums = Sums(verdict.unit)
    counted = _list_counted(verdict, records(verdict.label) if verdict.counted else ())
    size = _size_block(spec, verdict)
    for number in range(verdict.counted // size):
        block = list(islice(counted, size))
        sums = sums.add_scores(score.half_points for score, _ in block)
        lines = block_records(secret, root, verdict.label, verdict.players, block, verdict.seed_take)
        yield block_line(spec, verdict, number, sums, records_digest(map(encode_line, lines)))
        yield from lines
    if sums != verdict.sums:
        raise BadResult(f"The sets of match {verdict.label} do not add up to its result.")


def _size_block(spec: Spec, verdict: Verdict) -> int:
    return spec.choose_match(int(verdict.label.partition(".")[0])).block


def block_records(
    secret: str,
    root: str,
    label: str,
    entrants: Sequence[int],
    block: Iterable[tuple[SetScore, str]],
    seed_take: int = 0,
) -> list[RecordLine]:
    """Return the lines of a block's deal sets."""
    played = list(block)
    seeds = deal_seeds(secret, root, label, (score.number for score, _ in played), seed_take)
    return [record_line(entrants, label, seed, *one) for seed, one in zip(seeds, played, strict=True)]


def _frame_blocks(spec: Spec, blocks: Blocks, verdict: Verdict) -> Iterator[Line]:
    """Yield the counted blocks of a match without their records."""
    sums, played = Sums(verdict.unit), iter(blocks(verdict.label) if verdict.counted else ())
    for number in range(verdict.counted // _size_block(spec, verdict)):
        scores, digest = next(played, ((), ""))
        sums = sums.add_scores(score.half_points for score in scores)
        yield block_line(spec, verdict, number, sums, digest)
    if sums != verdict.sums:
        raise BadResult(f"The blocks of match {verdict.label} do not add up to its result.")


def _chain_lines(root: str, chain: Chain) -> Iterator[MeasuredLine]:
    for number, (event, link) in enumerate(link_events(root, chain.events), start=1):
        if chain.version > BOOKINGS_ALONE:
            values = msgspec.structs.asdict(EventLink(write_event(event), link))
            yield MeasuredLine(f"{LINK} {number}", values)
        elif isinstance(event, Booking):
            booked = Link(event.match, event.take, event.block, event.digest, link)
            yield MeasuredLine(f"{BOOKING} {number}", msgspec.structs.asdict(booked))
        else:
            raise BadResult(f"A chain of version {chain.version} has no link for {event.key!r}.")


def _list_counted(verdict: Verdict, sets: Iterable[tuple[SetScore, str]]) -> Iterator[tuple[SetScore, str]]:
    """Yield the sets that count, in order; raise BadResult on a gap."""
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

    def add_line(self, word: str, line: bytes) -> None:
        """Take in the bytes of a line of this kind."""
        section = SECTIONS[word]
        self._hashes[section].update(line)
        self._lines[section] += 1
        if word not in {"measured", "record"}:
            self._compared.update(line)

    def build_end(self) -> EndLine:
        """Return the last line."""
        return EndLine(
            tuple(
                Section(name, self._lines[name], hashed.hexdigest()) for name, hashed in self._hashes.items()
            ),
            self._compared.hexdigest(),
        )


def _with_end(digest: Digest, lines: Iterable[Line]) -> Iterator[bytes]:
    for line in lines:
        data = encode_line(line)
        digest.add_line(find_kind(line), data)
        yield data
    yield encode_line(digest.build_end())


def write_jobs(
    path: Path,
    terms: Terms,
    secret: str,
    entrants: Sequence[Entrant],
    jobs: Iterable[JobPlayed],
    chain: Chain,
    measured: Iterable[MeasuredLine] = (),
) -> str:
    """Write the export of a contest of jobs that is over, as `write_export` does.

    Gives `compared` of its last line.
    """
    digest, root = Digest(), terms.hash_root(chain.version)
    head = _job_head(terms, secret, entrants, chain.version)
    lines = (line for job in jobs for line in _job_lines(secret, root, job))
    linked = _chain_lines(root, chain)
    _write_whole(path, _with_end(digest, chained(head, lines, measured, linked)))
    return digest.build_end().compared


def compare_jobs(
    terms: Terms,
    secret: str,
    entrants: Sequence[Entrant],
    jobs: Iterable[tuple[ChainJob, Iterable[PartLine]]],
    version: int = VERSION,
) -> str:
    """Return what the last line of the export of a contest of jobs will say, made of digests alone."""
    digest = Digest()
    framed = (chained[Line]([JobLine(*job)], parts) for job, parts in jobs)
    for line in chained(_job_head(terms, secret, entrants, version), *framed):
        digest.add_line(find_kind(line), encode_line(line))
    return digest.build_end().compared


def _job_head(terms: Terms, secret: str, entrants: Sequence[Entrant], version: int) -> Iterator[Line]:
    yield terms_line(terms, secret, version)
    for entrant in entrants:
        yield EntryLine(*msgspec.structs.astuple(entrant))


def _job_lines(secret: str, root: str, job: JobPlayed) -> Iterator[Line]:
    yield JobLine(job.label, job.entrants, job.sets)
    for number, played in job.blocks:
        records = block_records(secret, root, job.label, job.entrants, played)
        digest = records_digest(map(encode_line, records))
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
