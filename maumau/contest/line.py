"""The lines of an export (docs/verify.md): one JSON object each, with its kind first and its check sum last.

The sum is the first 16 hex digits of SHA-256 over the bytes of the line before `,"sum"`: it tells which line
was damaged. That the lines are true is proved by playing them again, not by sums.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from maumau.contest import seed
from maumau.contest.carryover import Carryover
from maumau.contest.claim import Claim
from maumau.contest.entrant import Entrant, Hash, Sha256
from maumau.contest.match import Rule, Verdict
from maumau.contest.ranking import Row
from maumau.contest.score import SetScore
from maumau.contest.sequential import Sums
from maumau.contest.spec import Spec, exact
from maumau.contest.terms import Terms

SUM = 16
TAIL = len(b',"sum":"') + SUM + len(b'"}')
"""Bytes of a line after its body, without the line feed."""

SECTIONS = {
    "spec": "spec",
    "terms": "spec",
    "entry": "entries",
    "block": "matches",
    "job": "matches",
    "part": "matches",
    "record": "matches",
    "result": "matches",
    "table": "tables",
    "carryover": "tables",
    "measured": "measured",
    "end": "end",
}
"""The section each kind of line stands in; sections follow each other in this order."""

BOOKING = "booking"
"""How the name of a measured line begins that is a link of the chain."""

Count = Annotated[int, Meta(ge=0)]


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """A line; its tag is its kind."""


class SpecLine(_Line, frozen=True, tag="spec"):
    """What was played. spec: as in its TOML, without `secret` and `[entries]`. root: of spec and entries."""

    version: Annotated[int, Meta(ge=seed.VERSION, le=seed.VERSION)]
    spec: dict[str, Any]
    rules_hash: str
    commitment: Sha256
    secret: str
    root: Sha256


class TermsLine(_Line, frozen=True, tag="terms"):
    """What was played in a contest of jobs. terms: as `Terms` has them, and bound by the root."""

    version: Annotated[int, Meta(ge=seed.VERSION, le=seed.VERSION)]
    terms: dict[str, Any]
    rules_hash: str
    commitment: Sha256
    secret: str
    root: Sha256


class EntryLine(_Line, frozen=True, tag="entry", omit_defaults=True):
    """An entrant. commitment, nonce: left out where nobody drew one; nonce also where it was not opened.

    disqualified: why; left out where it was not.
    """

    number: Annotated[int, Meta(ge=1)]
    name: str
    sha256: Sha256
    withdrawn: bool
    commitment: Hash = ""
    nonce: Hash = ""
    disqualified: str = ""


class BlockLine(_Line, frozen=True, tag="block", omit_defaults=True):
    """A block that counts, before its records. total, llr: of the match after it. digest: of its records.

    seed_take: the take whose fresh seeds the match has; 0, and then left out, if it has the first ones.
    """

    match: str
    block: Count
    first_set: Count
    sets: Count
    total: Count
    llr: float
    digest: Sha256
    seed_take: Count = 0


class JobLine(_Line, frozen=True, tag="job"):
    """A job of a contest, before its parts. entrants: their numbers, by position. sets: asked for."""

    label: str
    entrants: tuple[Annotated[int, Meta(ge=1)], ...]
    sets: Count


class PartLine(_Line, frozen=True, tag="part"):
    """A block of a job that was booked, before its records. digest: of them."""

    job: str
    block: Count
    first_set: Count
    sets: Annotated[int, Meta(ge=1)]
    digest: Sha256


class RecordLine(_Line, frozen=True, tag="record", omit_defaults=True):
    """A deal set: its seed, the first's score h, the points by entrant, its deals in order.

    seats: for each deal the entrants by seat. scores: by entrant, left out at two seats.
    """

    match: str
    set: Count
    seed: Sha256
    score: Count
    points: tuple[int, ...]
    seats: tuple[tuple[int, ...], ...]
    record: str
    scores: tuple[Count, ...] = ()


class ResultLine(_Line, frozen=True, tag="result"):
    """A verdict, after the match's blocks. claim: whether the winner is better, or only leads."""

    match: str
    first: int
    second: int
    winner: int | None
    rule: Rule
    counted: Count
    unit: Count
    total: Count
    squares: Count
    points: tuple[int, int]
    estimate: float
    interval: tuple[float, float]
    claim: Claim
    llr: float


class TableLine(_Line, frozen=True, tag="table"):
    """A line of the table after a stage."""

    stage: int
    place: int
    entrant: int
    name: str
    rating: float
    low: float
    high: float
    sets: Count
    won: Count
    lost: Count
    level: Count
    rule: str


class CarryoverLine(_Line, frozen=True, tag="carryover"):
    """Whether an entrant plays better in the seating that is played second, after the tables."""

    entrant: int
    name: str
    sets: Count
    estimate: float
    low: float
    high: float
    p: float
    suspicious: bool


class MeasuredLine(_Line, frozen=True, tag="measured"):
    """What was only measured, by name. of: "tournament", "entry 1", "match 1.1.1", "block 1.1.1 0",
    "booking 1", or "first run 1.1.1 0" of a block that was played a second time."""

    of: str
    values: dict[str, Any]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lines of a section and SHA-256 over their bytes, line feeds included."""

    name: str
    lines: Count
    sha256: Sha256


class EndLine(_Line, frozen=True, tag="end"):
    """The last line. compared: SHA-256 over the lines before the measured section, without the records.

    Each block's line has the digest of its records, so that it binds them all the same.
    """

    sections: tuple[Section, ...]
    compared: Sha256


Played = (
    SpecLine
    | TermsLine
    | EntryLine
    | BlockLine
    | JobLine
    | PartLine
    | RecordLine
    | ResultLine
    | TableLine
    | CarryoverLine
)
Line = Played | MeasuredLine | EndLine
AnyLine: Any = Line
"""`Line` as a value that decoders take."""


def kind(line: Line) -> str:
    """The word a line begins with."""
    return str(line.__struct_config__.tag)


def encode(line: Line) -> bytes:
    """The bytes of a line, with its sum and line feed."""
    body = msgspec.json.encode(line)[:-1]
    return body + b',"sum":"' + check_sum(body) + b'"}\n'


def check_sum(body: bytes) -> bytes:
    """The first 16 hex digits of SHA-256."""
    return hashlib.sha256(body).hexdigest()[:SUM].encode()


def spec_line(spec: Spec, secret: str, entrants: Sequence[Entrant]) -> SpecLine:
    """The first line. The canonical rules and options are in the spec, their hash beside it."""
    return SpecLine(
        version=seed.VERSION,
        spec=spec.shown,
        rules_hash=spec.rules_hash,
        commitment=seed.commitment(secret),
        secret=secret,
        root=root_of(spec, entrants),
    )


def terms_line(terms: Terms, secret: str) -> TermsLine:
    """The first line of a contest of jobs."""
    return TermsLine(
        version=seed.VERSION,
        terms=msgspec.to_builtins(terms),
        rules_hash=terms.load_rules().hash,
        commitment=seed.commitment(secret),
        secret=secret,
        root=terms.root,
    )


def root_of(spec: Spec, entrants: Iterable[Entrant]) -> str:
    """The root of a tournament, 64 hex digits: fixed when its entries close."""
    return seed.contest_root(spec.shown, spec.rules_hash, entrants)


def seated(*entrants: int) -> tuple[tuple[int, ...], ...]:
    """The entrants by seat in each deal of a set."""
    return tuple((*entrants[seating:], *entrants[:seating]) for seating in range(len(entrants)))


def record_line(entrants: Sequence[int], label: str, seed_: str, score: SetScore, record: str) -> RecordLine:
    """A deal set of the match `label` between these entrants."""
    half, points = score.half_points, score.points
    return RecordLine(label, score.number, seed_, half, points, seated(*entrants), record, score.scores)


def records_digest(lines: Iterable[bytes]) -> str:
    """SHA-256 over the record lines of a block, line feeds included: 64 hex digits."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
    return digest.hexdigest()


def block_line(spec: Spec, verdict: Verdict, number: int, sums: Sums, digest: str) -> BlockLine:
    """Block `number` of a match; sums: of the match after it; digest: of its records."""
    size, label = spec.match.block, verdict.label
    llr = round(float(sums.llr(exact(spec.match.delta))), 4)
    return BlockLine(label, number, number * size, size, sums.total, llr, digest, verdict.seed_take)


def result_line(verdict: Verdict) -> ResultLine:
    """The line of a decided match."""
    fields = [name for name in ResultLine.__struct_fields__ if name != "match"]
    return ResultLine(match=verdict.label, **{name: getattr(verdict, name) for name in fields})


def table_lines(tables: Sequence[Sequence[Row]]) -> list[TableLine]:
    """The tables of all stages, stage by stage."""
    return [
        TableLine(stage, *msgspec.structs.astuple(row))
        for stage, rows in enumerate(tables, start=1)
        for row in rows
    ]


def carryover_lines(found: Iterable[Carryover]) -> list[CarryoverLine]:
    """What was found of each entrant."""
    return [CarryoverLine(*msgspec.structs.astuple(one)) for one in found]
