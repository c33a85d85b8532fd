"""Validation: a program plays deals in each of its rule sets, in the sandbox, before it may be entered."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator

import msgspec

from maumau.errors import BlockStopped, BuildFailed, MissingRuntime
from maumau.game import Rules, load, variants
from maumau.protocol.fault import Fault, find_cause
from maumau.protocol.manifest import Manifest
from maumau.protocol.words import clean_line
from maumau.referee.block import BlockOrder, DealOutcome, play_block
from maumau.referee.pace import Pace
from maumau.referee.place import Program
from maumau.referee.second_run import find_provisional_faults
from maumau.referee.share import BankShare, bank_share, warn_of_share
from maumau.sandbox.launch import Sandbox
from maumau.submission.build import build_log, prepare_program

DEALS = 20  # in each rule set, at each number of seats
RULES = ("mau_mau", "prsi", "pesten", "app")  # for programs that name none: the first three there are
SEATS = (2, 3, 4)  # for programs that name none
MOST_OF_CAUSE = 300  # characters of an error in the first line of a log


class ValidationReport(msgspec.Struct, frozen=True):
    """The result of a validation.

    It has the reason in words, the log, what the program may be entered for (empty: all), and the share of
    its bank that it used in each rule set at each number of seats.
    """

    ok: bool
    words: str
    log: str
    rules: list[str]
    seats: list[int]
    bank: list[BankShare] = []


class TrialOrder(msgspec.Struct, frozen=True):
    """Variants to play in place of those that a program names, at these numbers of seats."""

    rules: list[Rules]
    seats: list[int]
    deal_ms: int
    memory_mib: int


def validate_program(
    program: Program,
    sandbox: Sandbox,
    stop: Callable[[], bool] | None = None,
    pace: Pace | None = None,
    tell: Callable[[str], None] = lambda _: None,
    only: Rules | None = None,
    trial: TrialOrder | None = None,
) -> ValidationReport:
    """Build the program and play the validation deals, mirrored, against random players.

    A program that cannot be built, or makes a fault, is refused; one that runs out of time plays those deals
    once more, which the log mentions. PlatformFault and BlockStopped (`stop()` was true) say nothing about
    the program. `tell` gets the progress after each deal: "prsi at 3 seats, deal 12 of 126". `only`: rules
    to play instead of those that it names; `trial`: for one contest, with its seats and limits, too.
    """
    named = trial.rules if trial else [only] if only else None
    chosen = named or [load(name) for name in _choose_rules(program.manifest)]
    rules = [each.name for each in chosen]
    seats = trial.seats if trial else program.manifest.seats or list(SEATS)
    refused = _explain_unplayable(chosen, seats)
    if refused:
        return ValidationReport(ok=False, words=refused, log="", rules=[], seats=[])
    tell("start and build")
    try:
        program = prepare_program(program, sandbox, stop)
    except (MissingRuntime, BuildFailed) as error:
        log = error.log if isinstance(error, BuildFailed) else ""
        return ValidationReport(ok=False, words=str(error), log=log, rules=rules, seats=seats)
    orders = [_limit_order(order, trial) for order in _list_orders(chosen, seats)]
    played = _Validation(program, sandbox, stop, pace or Pace(), tell, orders)
    if refusal := played.play_all():
        order, fault = refusal
        words, log = _explain_refusal(order, fault), _write_bundle(fault)
        return ValidationReport(ok=False, words=words, log=log, rules=rules, seats=seats, bank=played.bank)
    words = _describe_success(rules, seats, played.bank)
    rules, seats = program.manifest.rules or [], program.manifest.seats or []
    return ValidationReport(
        ok=True, words=words, log=played.report_log(), rules=rules, seats=seats, bank=played.bank
    )


class _Validation:
    """A program's validation deals, a block for each order; `bank` is its use of its banks."""

    def __init__(
        self,
        program: Program,
        sandbox: Sandbox,
        stop: Callable[[], bool] | None,
        pace: Pace,
        tell: Callable[[str], None],
        orders: list[BlockOrder],
    ) -> None:
        self.bank: list[BankShare] = []
        self._program, self._sandbox, self._stop, self._pace = program, sandbox, stop, pace
        self._tell, self._orders = tell, orders
        self._late: list[str] = []
        self._log = ""

    def play_all(self) -> tuple[BlockOrder, Fault] | None:
        """Return the fault for which the program is refused, and its block; None if there is none."""
        total, played = sum(map(_count_deals, self._orders)), 0
        for order in self._orders:
            progress = f"{order.rules} at {order.seats} seats, deal {{}} of {total}"
            faults = self._play(order, progress, played)
            if provisional := find_provisional_faults(faults, is_second=False):
                where = f"in {order.rules} at {order.seats} seats"
                self._late.append(f"{where}: {provisional[0].words}, but not when played again")
                faults = self._play(order, progress, played)
            if faults:
                return order, faults[0]
            played += _count_deals(order)
        return None

    def _play(self, order: BlockOrder, progress: str, played: int) -> list[Fault]:
        """Play one block against the referee's random play, up to the first fault; return the faults."""
        faults: list[Fault] = []

        def on_deal(_number: int, _seating: int, outcome: DealOutcome) -> None:
            nonlocal played
            played += 1
            self._tell(progress.format(played))
            faults.extend(outcome.faults)

        def enough() -> bool:
            return bool(faults) or bool(self._stop and self._stop())

        try:
            programs = [self._program, *[None] * (order.seats - 1)]
            outcome = play_block(order, programs, self._sandbox, on_deal, enough, pace=self._pace)
        except BlockStopped:
            if not faults:
                raise
            return faults
        if share := bank_share(order, outcome.measured):
            self.bank.append(share)
        self._log = outcome.measured.uses[0].log
        return faults

    def report_log(self) -> str:
        """Return the log: the build's output, second runs, use of the banks, the program's last output."""
        parts = (build_log(self._program), *self._late, *map(str, self.bank), self._log)
        return "".join(f"{part.rstrip()}\n" for part in parts if part.strip())


def _describe_success(rules: list[str], seats: list[int], bank: list[BankShare]) -> str:
    words = f"played {DEALS} deals in each of {', '.join(rules)} at {', '.join(map(str, seats))} seats"
    return "; ".join(filter(None, (words, warn_of_share(bank))))


def _count_deals(order: BlockOrder) -> int:
    return len(order.seeds) * order.seats


def _explain_refusal(order: BlockOrder, fault: Fault) -> str:
    """Return place and kind of the fault; of a time fault, with seating and set.

    Everybody may read it, so that nothing of the program's log is in it.
    """
    where = f"in {order.rules} at {order.seats} seats"
    if fault.kind == "time":
        where += f", seating {fault.seating}, set {fault.deal}"
    return f"{where}: {fault.kind}: {fault.words}"


def _choose_rules(manifest: Manifest) -> list[str]:
    """Return the program's own rule sets, else three that differ most."""
    return manifest.rules or [name for name in RULES if name in variants()][:3]


def _explain_unplayable(rules: list[Rules], seats: list[int]) -> str:
    """Return why the program cannot be played at all; empty if it can."""
    for each in rules:
        fewest, most = each.seats
        if not any(fewest <= number <= most for number in seats):
            named = ", ".join(map(str, seats))
            return f"{each.name} is played at {fewest} to {most} seats, and it names {named}"
    return ""


def _list_orders(rules: list[Rules], seats: list[int]) -> Iterator[BlockOrder]:
    """Yield orders of at least DEALS deals, in whole sets, for each rule set and playable number of seats."""
    for each in rules:
        name, (fewest, most) = each.name, each.seats
        for number in seats:
            if fewest <= number <= most:
                sets = math.ceil(DEALS / number)
                seeds = [
                    hashlib.sha256(f"validation {name} {number} {k}".encode()).hexdigest()
                    for k in range(sets)
                ]
                yield BlockOrder(name, number, seeds, each.chosen, variant_toml=each.text)


def _limit_order(order: BlockOrder, trial: TrialOrder | None) -> BlockOrder:
    """Return the order with the limits of a trial, if it is one."""
    if trial is None:
        return order
    return msgspec.structs.replace(order, deal_ms=trial.deal_ms, memory_mib=trial.memory_mib)


def _write_bundle(fault: Fault) -> str:
    """Return the fault as text for its author: the program's own words before what it was asked."""
    cause = clean_line(find_cause(fault)[:MOST_OF_CAUSE])
    head = f"{fault.kind}: {fault.words}{f': {cause}' if cause else ''}\n"
    head += f"ended: {fault.exit or 'no, it was still running'}\n"
    used = f"CPU {fault.cpu_ms:.0f} ms, waited {fault.wall_ms:.0f} ms, memory {fault.memory_mib:.0f} MiB\n"
    lines = "".join(f"{line}\n" for line in fault.lines)
    said = f"stderr:\n{fault.stderr.rstrip()}\n" if fault.stderr.strip() else ""
    return f"{head}{used}{said}asked: {fault.ask}\nlast lines:\n{lines}"
