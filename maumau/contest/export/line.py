"""The lines of an export (docs/reference/verify.md): JSON objects, kind first and check sum last.

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
from maumau.contest.claim import WALKOVER_RULES, Claim, claim_of
from maumau.contest.entrant import Entrant, Hash, Sha256
from maumau.contest.export.carryover import Carryover
from maumau.contest.format.draw import Draw
from maumau.contest.format.match import Rule, Verdict
from maumau.contest.schedule.ranking import Row
from maumau.contest.score import SetScore
from maumau.contest.spec.spec import Spec
from maumau.contest.statistics.evidence import weigh_evidence
from maumau.contest.statistics.sequential import Sums
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
    "race": "tables",
    "carryover": "tables",
    "measured": "measured",
    "end": "end",
}
"""The section each kind of line stands in; sections follow each other in this order."""

BOOKING, LINK, PROTEST = "booking", "link", "protest"
"""Prefixes of names among measured lines: of links in version 3 and from version 4 on, of protests."""

Count = Annotated[int, Meta(ge=0)]
Version = Annotated[int, Meta(ge=seed.VERSIONS[0], le=seed.VERSIONS[-1])]


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """A line; its tag is its kind."""


class SpecLine(_Line, frozen=True, tag="spec"):
    """The contest. spec: as in its TOML, without `secret` and `[entries]`. root: of spec and entries."""

    version: Version
    spec: dict[str, Any]
    rules_hash: str
    commitment: Sha256
    secret: str
    root: Sha256


class TermsLine(_Line, frozen=True, tag="terms"):
    """The first line of a contest of jobs. terms: as `Terms` has them, and bound by the root."""

    version: Version
    terms: dict[str, Any]
    rules_hash: str
    commitment: Sha256
    secret: str
    root: Sha256


class EntryLine(_Line, frozen=True, tag="entry", omit_defaults=True):
    """An entrant. commitment, nonce: omitted if none was drawn; nonce also if it was not revealed.

    disqualified: why; left out where it was not. account, lot, guest: left out unless the spec asks for them.
    """

    number: Annotated[int, Meta(ge=1)]
    name: str
    sha256: Sha256
    withdrawn: bool
    commitment: Hash = ""
    nonce: Hash = ""
    disqualified: str = ""
    account: str = ""
    lot: Hash = ""
    guest: bool = False


class BlockLine(_Line, frozen=True, tag="block", omit_defaults=True):
    """A block that counts, before its records. total: the first's score in the match after it.

    llr: of the match after it, 0 at a table of more than two. digest: of its records.

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


class ResultLine(_Line, frozen=True, tag="result", omit_defaults=True):
    """A verdict, after the match's blocks. claim: how the winner won.

    Version 3 says of a walkover that its winner leads. The fields from others to level are left out at two
    seats, wins and reached where no number of wins decides.
    """

    match: str
    first: int
    second: int
    winner: int | None
    rule: Rule
    counted: Count
    unit: Count
    total: Count
    squares: Count
    points: tuple[int, ...]
    estimate: float
    interval: tuple[float, float]
    claim: Claim
    llr: float
    others: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    totals: tuple[Count, ...] = ()
    products: tuple[Count, ...] = ()
    level: tuple[tuple[int, int], ...] = ()
    through: Count = 0
    wins: tuple[Count, ...] = ()
    reached: Count = 0

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of all players that met."""
        return self.first, self.second, *self.others


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


class RaceLine(_Line, frozen=True, tag="race"):
    """The state of a race after a batch, after the tables: chances to be the best, by seed in the stage.

    sets: that count so far. leader: an entrant, which has won with this chance if it is the last batch.
    """

    stage: int
    batch: int
    sets: Count
    leader: int
    chance: float
    chances: tuple[float, ...]


class CarryoverLine(_Line, frozen=True, tag="carryover"):
    """The test whether an entrant plays better in the seating that is played second, after the tables."""

    entrant: int
    name: str
    sets: Count
    estimate: float
    low: float
    high: float
    p: float
    suspicious: bool


class MeasuredLine(_Line, frozen=True, tag="measured"):
    """Measurements by name.

    of: "tournament", "entry 1", "match 1.1.1", "block 1.1.1 0", "protest 1", "link 1" ("booking 1" in
    version 3), or "first run 1.1.1 0" of a block that was played a second time.
    """

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
    | RaceLine
    | CarryoverLine
)
Line = Played | MeasuredLine | EndLine
AnyLine: Any = Line
"""`Line` as a value that decoders take."""


def find_kind(line: Line) -> str:
    """Return the word a line begins with."""
    return str(line.__struct_config__.tag)


def encode_line(line: Line) -> bytes:
    """Return the bytes of a line, with its sum and line feed."""
    body = msgspec.json.encode(line)[:-1]
    return body + b',"sum":"' + check_sum(body) + b'"}\n'


def check_sum(body: bytes) -> bytes:
    """Return the first 16 hex digits of SHA-256."""
    return hashlib.sha256(body).hexdigest()[:SUM].encode()


def spec_line(spec: Spec, secret: str, entrants: Sequence[Entrant], version: int = seed.VERSION) -> SpecLine:
    """Return the first line. The canonical rules and options are in the spec, their hash beside it."""
    return SpecLine(
        version=version,
        spec=spec.shown,
        rules_hash=spec.rules_hash,
        commitment=seed.compute_commitment(secret),
        secret=secret,
        root=root_of(spec, entrants, version),
    )


def terms_line(terms: Terms, secret: str, version: int = seed.VERSION) -> TermsLine:
    """Return the first line of a contest of jobs."""
    return TermsLine(
        version=version,
        terms=msgspec.to_builtins(terms),
        rules_hash=terms.load_rules().hash,
        commitment=seed.compute_commitment(secret),
        secret=secret,
        root=terms.hash_root(version),
    )


def root_of(spec: Spec, entrants: Iterable[Entrant], version: int = seed.VERSION) -> str:
    """Return the root of a tournament, 64 hex digits: fixed when its entries close."""
    return seed.contest_root(spec.shown, spec.rules_hash, entrants, version)


def list_seatings(*entrants: int) -> tuple[tuple[int, ...], ...]:
    """Return the entrants by seat in each deal of a set."""
    return tuple((*entrants[seating:], *entrants[:seating]) for seating in range(len(entrants)))


def record_line(entrants: Sequence[int], label: str, seed_: str, score: SetScore, record: str) -> RecordLine:
    """Return the line of a deal set of the match `label` between these entrants."""
    half, points = score.half_points, score.points
    return RecordLine(
        label, score.number, seed_, half, points, list_seatings(*entrants), record, score.scores
    )


def records_digest(lines: Iterable[bytes]) -> str:
    """Return the SHA-256 over the record lines of a block, line feeds included: 64 hex digits."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
    return digest.hexdigest()


def block_line(spec: Spec, verdict: Verdict, number: int, sums: Sums, digest: str) -> BlockLine:
    """Return the line of block `number`; sums: of the match after it; digest: of its records."""
    match, label = spec.choose_match(int(verdict.label.partition(".")[0])), verdict.label
    size = match.block
    llr = 0.0 if verdict.others else round(float(weigh_evidence(match, sums)), 4) + 0.0
    return BlockLine(label, number, number * size, size, sums.total, llr, digest, verdict.seed_take)


def result_line(verdict: Verdict, version: int = seed.VERSION) -> ResultLine:
    """Return the line of a decided match."""
    fields = [name for name in ResultLine.__struct_fields__ if name not in {"match", "claim"}]
    said = {name: getattr(verdict, name) for name in fields}
    return ResultLine(match=verdict.label, claim=_build_claim(verdict, version), **said)


def _build_claim(verdict: Verdict, version: int) -> Claim:
    """Return what is said of the winner, or "" if nobody won by a lead."""
    rule: str = verdict.rule
    if rule in WALKOVER_RULES:
        if version > seed.BOOKINGS_ALONE:
            return "walkover"
        rule = "sequential"  # version 3 says that the winner leads, and `compared` holds it to that
    if verdict.others:
        return "leads" if verdict.winner else ""
    won = None if verdict.winner is None else verdict.winner == verdict.first
    return claim_of(won_by_first=won, rule=rule, low=verdict.interval[0], high=verdict.interval[1])


def result_digest(verdict: Verdict, version: int = seed.VERSION) -> str:
    """SHA-256 over the result line, line feed included: 64 hex digits."""
    return hashlib.sha256(encode_line(result_line(verdict, version))).hexdigest()


def table_lines(tables: Sequence[Sequence[Row]]) -> list[TableLine]:
    """Return the tables of all stages, stage by stage."""
    return [
        TableLine(stage, *msgspec.structs.astuple(row))
        for stage, rows in enumerate(tables, start=1)
        for row in rows
    ]


def race_lines(draws: Sequence[Draw]) -> list[RaceLine]:
    """Return the batches of all races, stage by stage."""
    return [
        RaceLine(stage, *msgspec.structs.astuple(step))
        for stage, draw in enumerate(draws, start=1)
        for step in draw.race
    ]


def carryover_lines(found: Iterable[Carryover]) -> list[CarryoverLine]:
    """Return the lines of the carryover tests."""
    return [CarryoverLine(*msgspec.structs.astuple(one)) for one in found]
