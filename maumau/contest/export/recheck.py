"""The steps of `verify` (maumau/contest/export/verify.py): each builds on the results of earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from maumau.contest.entrant import Entrant, check_entrants
from maumau.contest.export.carryover import find_carryover
from maumau.contest.export.chain import ChainJob as AskedJob
from maumau.contest.export.chain import OfTournament
from maumau.contest.export.check import Checked, Job, Terms, check_records
from maumau.contest.export.difference import Difference, find_differences, shorten_value
from maumau.contest.export.line import (
    BlockLine,
    CarryoverLine,
    EntryLine,
    MeasuredLine,
    RaceLine,
    ResultLine,
    SpecLine,
    TableLine,
    block_line,
    carryover_lines,
    list_seatings,
    race_lines,
    result_line,
    spec_line,
    table_lines,
)
from maumau.contest.export.link_check import (
    History,
    Judged,
    check_decisions,
    check_departures,
    check_end,
    check_kinds,
    check_rounds,
    check_tables,
    check_walkovers,
    read_history,
)
from maumau.contest.export.measured import check_names
from maumau.contest.export.protest import check_protests, refuse_protests
from maumau.contest.export.sheet import RECORD, Item, Misread, Sheet, raw_lines
from maumau.contest.export.stated import check_order, find_turn, list_stated, name_drawn
from maumau.contest.format.draw import Draw
from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.judge import judge_match
from maumau.contest.mystery import check_open
from maumau.contest.schedule.advance import Plan, advance_schedule, find_walkover
from maumau.contest.score import SEATINGS, SetScore
from maumau.contest.seed import BOOKINGS_ALONE, GAMES, VERSION, compute_commitment, draw_lot
from maumau.contest.spec.spec import build_spec
from maumau.contest.statistics.sequential import Sums
from maumau.errors import MaumauError
from maumau.game.ruleset.variant import list_names

SECRETS = ("given", "drawn")
RECORDS_A_JOB = 20


Map = Callable[[Callable[[Job], list[Checked]], Iterable[Job]], Iterable[list[Checked]]]
"""The built-in `map`, or `imap` of a pool of processes: results in the order of the jobs."""


class Take(msgspec.Struct, frozen=True):
    """A take of a match in a measured line."""

    take: int
    reason: str


class Check:
    """The steps of a verification. Each builds on the results of earlier ones."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.found: list[Difference] = []
        self.checked: dict[int, Checked] = {}
        self.verdicts: list[Verdict] = []
        self.entrants: list[Entrant] = []
        self.truth: list[TableLine | RaceLine | CarryoverLine] = []
        self.blocks: list[tuple[Item, str, int]] = []
        self.judged: list[Judged] = []
        self.version = VERSION
        self.history = History()
        self.retaken: dict[str, int] = {}
        self.fresh: dict[str, int] = {}  # by match: the take that its seeds are of
        self.reasons: dict[str, tuple[str, ...]] = {}
        self.stated: list[MatchPlan] = []
        self.draws: tuple[Draw, ...] = ()
        self.secret = self.own_rules = self.sealed = ""
        self.labels: set[str] = set()  # of jobs
        self.jobs: list[tuple[int, AskedJob]] = []  # with their lines

    def spec(self) -> None:
        """Check spec, rules hash, commitment, entries and their root."""
        number, line = self.sheet.items["spec"][0]
        assert isinstance(line, SpecLine)
        self.version = line.version
        self.entrants = self._read_entrants()
        try:
            check_entrants(self.entrants)
            self.rules = build_spec({**line.spec, "secret": line.secret}, is_export=True)
            check_open(self.rules)
        except MaumauError as error:
            raise Misread(
                number, "spec", shorten_value(line.spec), f"one that can be played: {error}"
            ) from None
        truth = spec_line(self.rules, line.secret, self.entrants, self.version)
        self.found += find_differences(number, line, truth)
        self._check_lots(line.secret, truth.root)
        self.stated = list_stated(self.sheet, self.rules, self.entrants)
        self.sealed = self.rules.mystery.commitment or "" if self.rules.mystery else ""
        own = (self.rules.rules, self.rules.variant_toml or "")
        seats = SEATINGS if self.rules.most_seats == SEATINGS else 0  # a record's own, compared with its plan
        played = (self.rules.load_rules().hash, seats, self.rules.score)
        self.found += find_differences(number, line.version >= GAMES, self.rules.plays_games, "version")
        stages = enumerate(self.rules.list_stage_rules(), start=1)
        games = {str(stage): rules.hash for stage, rules in stages if rules.is_game}
        blocks = [item.line for item in self.sheet.items["matches"] if isinstance(item.line, BlockLine)]
        takes = {block.match: block.seed_take for block in reversed(blocks)}  # the first block has it
        self.fresh = {match: take for match, take in takes.items() if take}
        self.terms = Terms(*played, line.secret, truth.root, *own, self.fresh, games)
        self.own_rules = find_own_rules(self.terms)

    def _read_entrants(self) -> list[Entrant]:
        entrants = []
        for place, (number, line) in enumerate(self.sheet.items["entries"], start=1):
            assert isinstance(line, EntryLine)
            self.found += find_differences(number, line.number, place, "number")
            if line.nonce:
                self.found += find_differences(
                    number, line.commitment, compute_commitment(line.nonce), "commitment"
                )
            nonce = line.commitment, line.nonce
            said = Entrant(place, line.name, line.sha256, line.withdrawn, *nonce, line.disqualified)
            more = {"account": line.account, "lot": line.lot, "guest": line.guest}
            entrants.append(msgspec.structs.replace(said, **more))
        return entrants

    def _check_lots(self, secret: str, root: str) -> None:
        """Compare the lots by which seeds are drawn with those of the secret."""
        is_drawn = any(stage.seeds == "draw" for stage in self.rules.stages)
        for (number, _), entrant in zip(self.sheet.items["entries"], self.entrants, strict=True):
            lot = draw_lot(secret, root, entrant.number) if is_drawn else ""
            self.found += find_differences(number, entrant.lot, lot, "lot")

    def records(self, path: Path, map: Map) -> None:  # noqa: A002
        """Replay every record."""
        for results in map(check_records, _read_jobs(self.terms, path)):
            for checked in results:
                self.checked[checked.line] = checked
                self.found += checked.differences

    def matches(self) -> None:
        """Check pairings, blocks, scores and verdicts, match by match in the order of their labels."""
        known: list[MatchPlan] = []
        turn = (0, 0)
        fixed: set[int] = set()
        for index, run in enumerate(self._split_runs()):
            # a bye is known before its neighbour, and a round or stage too early where walkovers end another
            if index >= len(known) or known[index].bracket or find_turn(known[index], fixed) != turn:
                draws = self._build_plan().draws
                known = [plan for draw in draws for plan in draw.matches]
                fixed = {stage for stage, draw in enumerate(draws, start=1) if draw.fixed}
            if index >= len(known):
                raise Misread(
                    run[-1].number, "match", _read_label(run[-1]), "no further match: all is decided"
                )
            turn = find_turn(known[index], fixed)
            self._check_match(known[index], run)
        plan = self._build_plan()
        if not plan.done:
            last = self.sheet.items["tables"][0].number
            raise Misread(last, "kind", '"table"', f"the match {plan.matches[0].label}, which is not decided")
        self.draws = plan.draws
        self.truth = [*table_lines(plan.tables), *race_lines(plan.draws), *self._test_carryover(plan)]

    def _test_carryover(self, plan: Plan) -> list[CarryoverLine]:
        """Return the tests derived from the records, or as stated if a record cannot be replayed."""
        if all(checked.played for checked in self.checked.values()):
            terms = self.terms
            found = find_carryover(self.rules, terms.secret, terms.root, self.entrants, plan.verdicts)
            return carryover_lines(found)
        lines = (item.line for item in self.sheet.items["tables"])
        return [line for line in lines if isinstance(line, CarryoverLine)]

    def tables(self) -> None:
        """Check the tables of all stages, races and carryover tests, line by line."""
        said = self.sheet.items["tables"]
        if len(said) != len(self.truth):
            count = f"{len(self.truth)} lines"
            self.found.append(Difference(said[-1].number, "table", f"{len(said)} lines", count))
        for item, truth in zip(said, self.truth, strict=False):
            self.found += find_differences(item.number, item.line, truth)

    def measured(self) -> None:
        """Check names, and that the secret was given or drawn; note why matches were begun again."""
        self.found += check_names(self.sheet, len(self.entrants))
        for number, line in self.sheet.items["measured"]:
            if isinstance(line, MeasuredLine) and "takes" in line.values:
                self.reasons[line.of.removeprefix("match ")] = self._list_reasons(
                    number, line.values["takes"]
                )
            if isinstance(line, MeasuredLine) and "secret" in line.values:
                said = line.values["secret"]
                if said in SECRETS:
                    self.secret = said
                else:
                    words = " or ".join(map(shorten_value, SECRETS))
                    self.found.append(Difference(number, "values.secret", shorten_value(said), words))

    def _list_reasons(self, number: int, takes: Any) -> tuple[str, ...]:
        """Return the reasons of the takes from the second on; note a difference if a number is missing."""
        try:
            said = msgspec.convert(takes, list[Take])
        except msgspec.ValidationError as error:
            raise Misread(number, "values.takes", shorten_value(takes), f"takes: {error}") from None
        numbers = [take.take for take in said]
        self.found += find_differences(number, numbers, list(range(1, len(said) + 1)), "values.takes")
        return tuple(take.reason for take in said[1:])

    def chain(self) -> None:
        """Every link from the root on, and what their events say of blocks, matches and entrants."""
        self.history = read_history(self.sheet, self.terms.root, self.version)
        self.found += self.history.found
        takes = {one.plan.label: self.history.takes.get(one.plan.label, 1) for one in self.judged}
        again = {label: take for label, take in takes.items() if take > 1}
        self.retaken = {label: self.history.begun[label, take].place for label, take in again.items()}
        self._check_blocks()
        if self.version > BOOKINGS_ALONE:
            self._check_events()
        else:
            self.found += refuse_protests(self.sheet)

    def _check_events(self) -> None:
        lines = [item.number for item in self.sheet.items["entries"]]
        self.found += check_kinds(self.history, OfTournament, "a tournament")
        self.found += check_departures(self.history, self.entrants, lines)
        self.found += check_decisions(self.history, self.judged, self.version)
        self.found += check_walkovers(self.history, self.judged)
        self.found += check_tables(self.history, self.judged, name_drawn(self.draws))
        self.found += check_rounds(self.history, self.judged, self.rules, self.entrants, self.draws)
        self.found += check_protests(self.history, self.sheet, self.entrants)
        self.found += check_end(self.history, self.sheet.compared, self.sheet.lines)

    def _check_blocks(self) -> None:
        """In its match's last take, once, each block that counts."""
        for item, label, block in self.blocks:
            take = self.history.takes.get(label, 1)
            booked = self.history.events.get(f"{label} {take} {block}")
            said = booked.event.digest if booked else "no booking of this block"
            self.found += find_differences(
                item.number, said, self.sheet.digests.get(item.number, ""), "booking"
            )
            if label in self.fresh and not block and not 2 <= self.fresh[label] <= take:
                found = f"none, or one from 2 to {take}, the last in the chain"
                self.found.append(
                    Difference(item.number, "seed_take", shorten_value(self.fresh[label]), found)
                )

    def _build_plan(self) -> Plan:
        return advance_schedule(self.rules, self.entrants, self.verdicts, self.version, self.stated)

    def _split_runs(self) -> Iterator[list[Item]]:
        """Yield the lines of each match, up to its result."""
        run: list[Item] = []
        for item in self.sheet.items["matches"]:
            run.append(item)
            if item.kind == "result":
                yield run
                run = []
        if run:
            raise Misread(run[-1].number, "kind", shorten_value(run[-1].kind), "followed by a result")

    def _check_match(self, plan: MatchPlan, run: Sequence[Item]) -> None:
        """Compare the lines of a match with the values from its records."""
        size = self.rules.choose_match(plan.stage).block
        check_order(run, size)
        sets = self._check_sets(plan, [item for item in run if item.kind == "record"])
        verdict = self._check_verdict(plan, sets, run[-1])
        if verdict.counted < len(sets):
            beyond = run[verdict.counted // size * (size + 1)]
            raise Misread(beyond.number, "kind", shorten_value(beyond.kind), shorten_value("result"))
        sums = Sums(verdict.unit)
        for block, item in enumerate(run[: -1 : size + 1]):
            sums = sums.add_scores(score.half_points for score in sets[block * size : (block + 1) * size])
            truth = block_line(self.rules, verdict, block, sums, self.sheet.digests.get(item.number, ""))
            self.found += find_differences(item.number, item.line, truth)
            self.blocks.append((item, plan.label, block))
        self.found += find_differences(run[-1].number, run[-1].line, result_line(verdict, self.version))
        self.verdicts.append(verdict)
        self.judged.append(Judged(run[-1].number, plan, verdict))

    def _check_sets(self, plan: MatchPlan, items: Iterable[Item]) -> list[SetScore]:
        """Return the scores of a match's records; their position determines match and number."""
        sets: list[SetScore] = []
        for number, item in enumerate(items):
            checked = self.checked[item.number]
            if checked.score is None:
                raise Misread(*msgspec.structs.astuple(checked.differences[0]))
            if len(checked.score.points) != len(plan.players):
                raise Misread(
                    item.number,
                    "seats",
                    shorten_value(checked.seats),
                    shorten_value(list_seatings(*plan.players)),
                )
            self.found += find_differences(item.number, checked.match, plan.label, "match")
            self.found += find_differences(item.number, checked.set, number, "set")
            self.found += find_differences(item.number, checked.seats, list_seatings(*plan.players), "seats")
            sets.append(msgspec.structs.replace(checked.score, number=number))
        return sets

    def _check_verdict(self, plan: MatchPlan, sets: Sequence[SetScore], result: Item) -> Verdict:
        """Return the verdict of these sets, or the walkover: without sets, or of a disqualified entrant."""
        verdict = judge_match(self.rules, plan, sets, self.fresh.get(plan.label, 0))
        said = result.line.winner if isinstance(result.line, ResultLine) else None
        lost = find_walkover(self.rules, self.entrants, plan, said)
        if lost and (not sets or lost.rule == "disqualified"):
            verdict = lost
        if not verdict.decided:
            rule = result.line.rule if isinstance(result.line, ResultLine) else ""
            raise Misread(
                result.number, "rule", shorten_value(rule), f"open: {len(sets)} sets do not decide it"
            )
        return verdict


def find_own_rules(terms: Terms) -> str:
    """Return the hash of the rules, if they have a known variant's name and a text of their own."""
    return terms.rules_hash if terms.variant_toml and terms.rules in list_names() else ""


def _read_jobs(terms: Terms, path: Path) -> Iterator[Job]:
    """Yield the records of the file in portions."""
    records = ((raw.number, raw.data) for raw in raw_lines(path) if raw.data.startswith(RECORD))
    while lines := tuple(islice(records, RECORDS_A_JOB)):
        yield Job(terms, lines)


def _read_label(item: Item) -> str:
    return shorten_value(item.line.match) if isinstance(item.line, ResultLine) else ""
