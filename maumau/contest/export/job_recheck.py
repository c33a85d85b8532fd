"""The steps of `verify` for contests of jobs: ladders and practice."""

from __future__ import annotations

import msgspec

from maumau.contest.export.chain import Booking, OfJobs
from maumau.contest.export.chain import ChainJob as AskedJob
from maumau.contest.export.check import Terms
from maumau.contest.export.difference import Difference, find_differences, shorten_value
from maumau.contest.export.line import JobLine, PartLine, TermsLine, list_seatings, terms_line
from maumau.contest.export.link_check import check_askings, check_end, check_kinds
from maumau.contest.export.protest import refuse_protests
from maumau.contest.export.recheck import Check, find_own_rules
from maumau.contest.export.sheet import Item, Misread
from maumau.contest.terms import build_terms
from maumau.errors import MaumauError


class JobCheck(Check):
    """The steps for a contest of jobs, whose pairings follow from nothing in the export, without verdicts."""

    def spec(self) -> None:
        """Check terms, rules hash, commitment, root; the entries' numbers."""
        number, line = self.sheet.items["spec"][0]
        assert isinstance(line, TermsLine)
        self.version = line.version
        self.entrants = self._read_entrants()
        try:
            terms = build_terms(line.terms)
        except MaumauError as error:
            raise Misread(
                number, "terms", shorten_value(line.terms), f"those that can be played: {error}"
            ) from None
        truth = terms_line(terms, line.secret, self.version)
        self.found += find_differences(number, line, truth)
        played = (truth.rules_hash, terms.seats, terms.score)
        self.terms = Terms(*played, line.secret, truth.root, terms.rules, terms.variant_toml)
        self.own_rules = find_own_rules(self.terms)

    def matches(self) -> None:
        """Check that each job occurs once, with known entrants, and each of its blocks with all sets."""
        job, left, due = JobLine("", (), 0), 0, range(0)  # left: the first set that no part had; due: records
        for item in self.sheet.items["matches"]:
            if (item.kind == "record") != bool(due):
                raise Misread(
                    item.number, "kind", shorten_value(item.kind), shorten_value("record" if due else "part")
                )
            if isinstance(item.line, JobLine):
                job, left = self._check_job(item.number, item.line), 0
            elif isinstance(item.line, PartLine):
                due = self._check_part(item, item.line, job, left)
                left = due.stop
            elif item.kind == "record":
                self._check_record(item.number, job, due[0])
                due = due[1:]
            else:
                raise Misread(item.number, "kind", shorten_value(item.kind), "a line of a contest of jobs")
        if due:
            raise Misread(self.sheet.lines, "kind", shorten_value("end"), shorten_value("record"))

    def _check_job(self, number: int, line: JobLine) -> JobLine:
        known = {entrant.number for entrant in self.entrants}
        if len(set(line.entrants) & known) != self.terms.seats or len(line.entrants) != self.terms.seats:
            words = f"{self.terms.seats} different ones of the entries"
            raise Misread(number, "entrants", shorten_value(line.entrants), words)
        if line.label in self.labels:
            raise Misread(number, "label", shorten_value(line.label), "a job that is there once")
        self.labels.add(line.label)
        self.jobs.append((number, AskedJob(line.label, line.entrants, line.sets)))
        return line

    def _check_part(self, item: Item, line: PartLine, job: JobLine, left: int) -> range:
        """Return the sets of a block, which must follow those before and be the job's."""
        self.found += find_differences(item.number, line.job, job.label, "job")
        sets = range(line.first_set, line.first_set + line.sets)
        if sets.start < left or sets.stop > job.sets:
            raise Misread(
                item.number, "first_set", shorten_value(line.first_set), f"sets from {left} to {job.sets}"
            )
        digest = self.sheet.digests.get(item.number, "")
        self.found += find_differences(item.number, line.digest, digest, "digest")
        self.blocks.append((item, job.label, line.block))
        return sets

    def _check_record(self, number: int, job: JobLine, expected: int) -> None:
        checked = self.checked[number]
        if checked.score is None:
            raise Misread(*msgspec.structs.astuple(checked.differences[0]))
        self.found += find_differences(number, checked.match, job.label, "match")
        self.found += find_differences(number, checked.set, expected, "set")
        self.found += find_differences(number, checked.seats, list_seatings(*job.entrants), "seats")

    def _check_events(self) -> None:
        numbers = [item.number for item in self.sheet.items["entries"]]
        entrants = list(zip(numbers, self.entrants, strict=True))
        self.found += check_kinds(self.history, OfJobs, "a contest of jobs")
        self.found += check_askings(self.history, entrants, self.jobs, self.sheet.lines)
        self.found += refuse_protests(self.sheet)
        self.found += check_end(self.history, self.sheet.compared, self.sheet.lines)

    def chain(self) -> None:
        """Check the chain, and that no booked block is left out or booked a second time."""
        super().chain()
        for key, placed in self.history.events.items():
            if isinstance(placed.event, Booking) and placed.event.take != 1:  # only matches are taken back
                self.found.append(
                    Difference(placed.line, "take", shorten_value(key), "take 1: no job is retaken")
                )
        there = {(label, block) for _, label, block in self.blocks}
        for label, bookings in self.history.bookings.items():
            for block in (one.event.block for one in bookings if isinstance(one.event, Booking)):
                if (label, block) in there:
                    continue
                words = f"block {block} of job {label}"
                self.found.append(Difference(self.sheet.lines, "part", "left out", words))
