"""The steps of a verification (maumau/contest/verify.py): what one finds to be true the next build on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from maumau.contest.carryover import find_carryover
from maumau.contest.chain import Link, add_link
from maumau.contest.check import Checked, Job, Terms, check_records
from maumau.contest.difference import Difference, differences, shown
from maumau.contest.entrant import Entrant, check_entrants
from maumau.contest.format import Plan, advance, find_walkover
from maumau.contest.line import (
    BOOKING,
    BlockLine,
    CarryoverLine,
    EntryLine,
    JobLine,
    MeasuredLine,
    PartLine,
    ResultLine,
    SpecLine,
    TableLine,
    TermsLine,
    block_line,
    carryover_lines,
    result_line,
    seated,
    spec_line,
    table_lines,
    terms_line,
)
from maumau.contest.match import MatchPlan, Verdict, judge
from maumau.contest.score import SetScore
from maumau.contest.seed import commitment
from maumau.contest.sequential import Sums
from maumau.contest.sheet import RECORD, Item, Misread, Sheet, raw_lines
from maumau.contest.spec import build_spec
from maumau.contest.terms import build_terms
from maumau.errors import MaumauError

SECRETS = ("given", "drawn")
RECORDS_A_JOB = 20


Map = Callable[[Callable[[Job], list[Checked]], Iterable[Job]], Iterable[list[Checked]]]
"""The built-in `map`, or `imap` of a pool of processes: results in the order of the jobs."""


class Take(msgspec.Struct, frozen=True):
    """What a measured line says of a take of a match."""

    take: int
    reason: str


class Check:
    """The steps of a verification. What one step finds to be true the next ones build on."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.found: list[Difference] = []
        self.checked: dict[int, Checked] = {}
        self.verdicts: list[Verdict] = []
        self.entrants: list[Entrant] = []
        self.truth: list[TableLine | CarryoverLine] = []
        self.blocks: list[tuple[Item, str, int]] = []
        self.links: list[str] = []
        self.retaken: dict[str, int] = {}
        self.fresh: dict[str, int] = {}  # by match: the take that its seeds are of
        self.reasons: dict[str, tuple[str, ...]] = {}
        self.secret = ""
        self.labels: set[str] = set()  # of jobs
        self.booked: dict[tuple[str, int, int], str] = {}

    def spec(self) -> None:
        """Spec, rules hash, commitment, entries and their root."""
        number, line = self.sheet.items["spec"][0]
        assert isinstance(line, SpecLine)
        self.entrants = self._entrants()
        try:
            check_entrants(self.entrants)
            self.rules = build_spec({**line.spec, "secret": line.secret})
        except MaumauError as error:
            raise Misread(number, "spec", shown(line.spec), f"one that can be played: {error}") from None
        truth = spec_line(self.rules, line.secret, self.entrants)
        self.found += differences(number, line, truth)
        own = (self.rules.rules, self.rules.variant_toml or "")
        played = (truth.rules_hash, self.rules.seats, self.rules.score)
        blocks = [item.line for item in self.sheet.items["matches"] if isinstance(item.line, BlockLine)]
        takes = {block.match: block.seed_take for block in reversed(blocks)}  # as its first block says
        self.fresh = {match: take for match, take in takes.items() if take}
        self.terms = Terms(*played, line.secret, truth.root, *own, self.fresh)

    def _entrants(self) -> list[Entrant]:
        entrants = []
        for place, (number, line) in enumerate(self.sheet.items["entries"], start=1):
            assert isinstance(line, EntryLine)
            self.found += differences(number, line.number, place, "number")
            if line.nonce:
                self.found += differences(number, line.commitment, commitment(line.nonce), "commitment")
            nonce = line.commitment, line.nonce
            entrants.append(Entrant(place, line.name, line.sha256, line.withdrawn, *nonce, line.disqualified))
        return entrants

    def records(self, path: Path, map: Map) -> None:  # noqa: A002
        """Play every record again."""
        for results in map(check_records, _jobs(self.terms, path)):
            for checked in results:
                self.checked[checked.line] = checked
                self.found += checked.differences

    def matches(self) -> None:
        """Pairings, blocks, scores and verdicts, match by match in the order of their labels."""
        known: list[MatchPlan] = []
        stage = 0
        for index, run in enumerate(self._runs()):
            # a bye is known before its neighbour, and a stage too early where walkovers end the one before
            if index >= len(known) or known[index].bracket or known[index].stage != stage:
                known = [plan for draw in self._plan().draws for plan in draw.matches]
            stage = known[index].stage if index < len(known) else stage
            if index >= len(known):
                raise Misread(run[-1].number, "match", _label(run[-1]), "no further match: all is decided")
            self._match(known[index], run)
        plan = self._plan()
        if not plan.done:
            last = self.sheet.items["tables"][0].number
            raise Misread(last, "kind", '"table"', f"the match {plan.matches[0].label}, which is not decided")
        self.truth = [*table_lines(plan.tables), *self._carryover(plan)]

    def _carryover(self, plan: Plan) -> list[CarryoverLine]:
        """As it follows from the records; as it is said where one cannot be played."""
        if all(checked.played for checked in self.checked.values()):
            terms = self.terms
            found = find_carryover(self.rules, terms.secret, terms.root, self.entrants, plan.verdicts)
            return carryover_lines(found)
        lines = (item.line for item in self.sheet.items["tables"])
        return [line for line in lines if isinstance(line, CarryoverLine)]

    def tables(self) -> None:
        """The tables of all stages and what was carried over, line by line."""
        said = self.sheet.items["tables"]
        if len(said) != len(self.truth):
            count = f"{len(self.truth)} lines"
            self.found.append(Difference(said[-1].number, "table", f"{len(said)} lines", count))
        for item, truth in zip(said, self.truth, strict=False):
            self.found += differences(item.number, item.line, truth)

    def measured(self) -> None:
        """Whether the secret was given or drawn: compared with nothing, but one of these words.

        And why matches were begun again.
        """
        for number, line in self.sheet.items["measured"]:
            if isinstance(line, MeasuredLine) and "takes" in line.values:
                self.reasons[line.of.removeprefix("match ")] = self._reasons(number, line.values["takes"])
            if isinstance(line, MeasuredLine) and "secret" in line.values:
                said = line.values["secret"]
                if said in SECRETS:
                    self.secret = said
                else:
                    words = " or ".join(map(shown, SECRETS))
                    self.found.append(Difference(number, "values.secret", shown(said), words))

    def _reasons(self, number: int, takes: Any) -> tuple[str, ...]:
        """Of the takes from the second on; a difference if they do not run 1, 2, 3 …"""
        try:
            said = msgspec.convert(takes, list[Take])
        except msgspec.ValidationError as error:
            raise Misread(number, "values.takes", shown(takes), f"takes: {error}") from None
        numbers = [take.take for take in said]
        self.found += differences(number, numbers, list(range(1, len(said) + 1)), "values.takes")
        return tuple(take.reason for take in said[1:])

    def chain(self) -> None:
        """Every link from the root on; in its match's last take, once, each block that counts."""
        booked = self.booked
        takes: dict[str, tuple[int, int]] = {}  # by match: its last take, and the first link of it
        for place, (number, line) in enumerate(self._bookings(), start=1):
            link = self._link(number, line, f"{BOOKING} {place}")
            truth = add_link(self.links[-1] if self.links else self.terms.root, link.booking)
            self.found += differences(number, link.chain, truth, "values.chain")
            self.links.append(truth)
            key = (link.match, link.take, link.block)
            if key in booked:
                self.found.append(Difference(number, "values", shown(key), "a block that is booked once"))
            booked.setdefault(key, link.digest)
            if link.take > takes.get(link.match, (0, 0))[0]:
                takes[link.match] = link.take, place
        for item, label, block in self.blocks:
            take, since = takes.get(label, (1, 1))
            said = booked.get((label, take, block), "no booking of this block")
            self.found += differences(item.number, said, self.sheet.digests.get(item.number, ""), "booking")
            if take > 1:
                self.retaken[label] = since
            if label in self.fresh and not block and not 2 <= self.fresh[label] <= take:
                found = f"none, or one from 2 to {take}, the last in the chain"
                self.found.append(Difference(item.number, "seed_take", shown(self.fresh[label]), found))

    def _bookings(self) -> Iterator[tuple[int, MeasuredLine]]:
        for number, line in self.sheet.items["measured"]:
            if isinstance(line, MeasuredLine) and line.of.startswith(BOOKING):
                yield number, line

    def _link(self, number: int, line: MeasuredLine, name: str) -> Link:
        self.found += differences(number, line.of, name, "of")
        try:
            return msgspec.convert(line.values, Link)
        except msgspec.ValidationError as error:
            raise Misread(number, "values", shown(line.values), f"a link of the chain: {error}") from None

    def _plan(self) -> Plan:
        return advance(self.rules, self.entrants, self.verdicts)

    def _runs(self) -> Iterator[list[Item]]:
        """The lines of each match, up to its result."""
        run: list[Item] = []
        for item in self.sheet.items["matches"]:
            run.append(item)
            if item.kind == "result":
                yield run
                run = []
        if run:
            raise Misread(run[-1].number, "kind", shown(run[-1].kind), "followed by a result")

    def _match(self, plan: MatchPlan, run: Sequence[Item]) -> None:
        """Compare the lines of a match with what its records give."""
        size = self.rules.match.block
        _check_order(run, size)
        sets = self._sets(plan, [item for item in run if item.kind == "record"])
        verdict = self._verdict(plan, sets, run[-1])
        if verdict.counted < len(sets):
            beyond = run[verdict.counted // size * (size + 1)]
            raise Misread(beyond.number, "kind", shown(beyond.kind), shown("result"))
        sums = Sums(verdict.unit)
        for block, item in enumerate(run[: -1 : size + 1]):
            sums = sums.plus(score.half_points for score in sets[block * size : (block + 1) * size])
            truth = block_line(self.rules, verdict, block, sums, self.sheet.digests.get(item.number, ""))
            self.found += differences(item.number, item.line, truth)
            self.blocks.append((item, plan.label, block))
        self.found += differences(run[-1].number, run[-1].line, result_line(verdict))
        self.verdicts.append(verdict)

    def _sets(self, plan: MatchPlan, items: Iterable[Item]) -> list[SetScore]:
        """The scores found in a match's records; match and number follow from where a record stands."""
        sets: list[SetScore] = []
        for number, item in enumerate(items):
            checked = self.checked[item.number]
            if checked.score is None:
                raise Misread(*msgspec.structs.astuple(checked.differences[0]))
            self.found += differences(item.number, checked.match, plan.label, "match")
            self.found += differences(item.number, checked.set, number, "set")
            self.found += differences(item.number, checked.seats, seated(plan.first, plan.second), "seats")
            sets.append(msgspec.structs.replace(checked.score, number=number))
        return sets

    def _verdict(self, plan: MatchPlan, sets: Sequence[SetScore], result: Item) -> Verdict:
        """The verdict of these sets, or the walkover: without sets, or of who was disqualified."""
        verdict = judge(self.rules, plan, sets, self.fresh.get(plan.label, 0))
        said = result.line.winner if isinstance(result.line, ResultLine) else None
        lost = find_walkover(self.rules, self.entrants, plan, said)
        if lost and (not sets or lost.rule == "disqualified"):
            verdict = lost
        if not verdict.decided:
            rule = result.line.rule if isinstance(result.line, ResultLine) else ""
            raise Misread(result.number, "rule", shown(rule), f"open: {len(sets)} sets do not decide it")
        return verdict


class JobCheck(Check):
    """Of a contest of jobs: who plays whom follows from nothing there, and nothing is judged."""

    def spec(self) -> None:
        """Terms, rules hash, commitment, root; the entries' numbers."""
        number, line = self.sheet.items["spec"][0]
        assert isinstance(line, TermsLine)
        self.entrants = self._entrants()
        try:
            terms = build_terms(line.terms)
        except MaumauError as error:
            raise Misread(number, "terms", shown(line.terms), f"those that can be played: {error}") from None
        truth = terms_line(terms, line.secret)
        self.found += differences(number, line, truth)
        played = (truth.rules_hash, terms.seats, terms.score)
        self.terms = Terms(*played, line.secret, truth.root, terms.rules, terms.variant_toml)

    def matches(self) -> None:
        """Each job once, of entrants that are known; of each of its blocks all sets."""
        job, left, due = JobLine("", (), 0), 0, range(0)  # left: the first set that no part had; due: records
        for item in self.sheet.items["matches"]:
            if (item.kind == "record") != bool(due):
                raise Misread(item.number, "kind", shown(item.kind), shown("record" if due else "part"))
            if isinstance(item.line, JobLine):
                job, left = self._job(item.number, item.line), 0
            elif isinstance(item.line, PartLine):
                due = self._part(item, item.line, job, left)
                left = due.stop
            elif item.kind == "record":
                self._record(item.number, job, due[0])
                due = due[1:]
            else:
                raise Misread(item.number, "kind", shown(item.kind), "a line of a contest of jobs")
        if due:
            raise Misread(self.sheet.lines, "kind", shown("end"), shown("record"))

    def _job(self, number: int, line: JobLine) -> JobLine:
        known = {entrant.number for entrant in self.entrants}
        if len(set(line.entrants) & known) != self.terms.seats or len(line.entrants) != self.terms.seats:
            words = f"{self.terms.seats} different ones of the entries"
            raise Misread(number, "entrants", shown(line.entrants), words)
        if line.label in self.labels:
            raise Misread(number, "label", shown(line.label), "a job that is there once")
        self.labels.add(line.label)
        return line

    def _part(self, item: Item, line: PartLine, job: JobLine, left: int) -> range:
        """The sets of a block: further ones of the job, and not more than it has."""
        self.found += differences(item.number, line.job, job.label, "job")
        sets = range(line.first_set, line.first_set + line.sets)
        if sets.start < left or sets.stop > job.sets:
            raise Misread(item.number, "first_set", shown(line.first_set), f"sets from {left} to {job.sets}")
        digest = self.sheet.digests.get(item.number, "")
        self.found += differences(item.number, line.digest, digest, "digest")
        self.blocks.append((item, job.label, line.block))
        return sets

    def _record(self, number: int, job: JobLine, expected: int) -> None:
        checked = self.checked[number]
        if checked.score is None:
            raise Misread(*msgspec.structs.astuple(checked.differences[0]))
        self.found += differences(number, checked.match, job.label, "match")
        self.found += differences(number, checked.set, expected, "set")
        self.found += differences(number, checked.seats, seated(*job.entrants), "seats")

    def chain(self) -> None:
        """Nothing that was booked is left out."""
        super().chain()
        there = {(label, block) for _, label, block in self.blocks}
        for label, _, block in self.booked:
            if (label, block) not in there:
                words = f"block {block} of job {label}"
                self.found.append(Difference(self.sheet.lines, "part", "left out", words))


def _check_order(run: Sequence[Item], size: int) -> None:
    """The lines of a match are blocks, each followed by its records, and a result."""
    for place, item in enumerate(run):
        right = "record" if place % (size + 1) else "block"
        if item.kind != right and (item is not run[-1] or right == "record"):
            raise Misread(item.number, "kind", shown(item.kind), shown(right))


def _jobs(terms: Terms, path: Path) -> Iterator[Job]:
    """The records of the file, some at a time."""
    records = ((raw.number, raw.data) for raw in raw_lines(path) if raw.data.startswith(RECORD))
    while lines := tuple(islice(records, RECORDS_A_JOB)):
        yield Job(terms, lines)


def _label(item: Item) -> str:
    return shown(item.line.match) if isinstance(item.line, ResultLine) else ""
