"""Validation: a program plays deals in each rule set it names, behind the wall, before it may be entered."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator

import msgspec

from maumau.bot.build import build_log, prepare_program
from maumau.bot.fault import Fault
from maumau.bot.manifest import Manifest
from maumau.bot.pace import Pace
from maumau.bot.player import Program
from maumau.bot.referee import BlockOrder, DealOutcome, play_block
from maumau.bot.sandbox import Sandbox
from maumau.bot.second_run import find_overruns
from maumau.bot.share import BankShare, bank_share, warn_of_share
from maumau.errors import BlockStopped, BuildFailed, MissingRuntime
from maumau.game import Rules, load, variants

DEALS = 20  # in each rule set, at each number of seats
RULES = ("mau_mau", "prsi", "pesten", "app")  # for programs that name none: the first three there are
SEATS = (2, 3, 4)  # for programs that name none


class Report(msgspec.Struct, frozen=True):
    """What came of it: the reason in words, the log, what it may be entered for (empty: all), and what it
    used of its bank in each rule set at each number of seats."""

    ok: bool
    words: str
    log: str
    rules: list[str]
    seats: list[int]
    bank: list[BankShare] = []


def validate_program(
    program: Program,
    sandbox: Sandbox,
    stop: Callable[[], bool] | None = None,
    pace: Pace | None = None,
    tell: Callable[[str], None] = lambda _: None,
    only: Rules | None = None,
) -> Report:
    """Build the program and play the validation deals, mirrored, against players at random.

    What cannot be built, or plays a fault, is refused; who runs out of time plays those deals once more, and
    the log says so. PlatformFault and BlockStopped (`stop()` was true) say nothing about the program.
    `tell` hears after each deal how far it is: "prsi at 3 seats, deal 12 of 126". `only`: play these rules,
    and not those it names.
    """
    chosen = [only] if only else [load(name) for name in _choose_rules(program.manifest)]
    rules, seats = [each.name for each in chosen], program.manifest.seats or list(SEATS)
    refused = _explain_unplayable(chosen, seats)
    if refused:
        return Report(ok=False, words=refused, log="", rules=[], seats=[])
    tell("start and build")
    try:
        program = prepare_program(program, sandbox, stop)
    except (MissingRuntime, BuildFailed) as error:
        log = error.log if isinstance(error, BuildFailed) else ""
        return Report(ok=False, words=str(error), log=log, rules=rules, seats=seats)
    trial = _Trial(program, sandbox, stop, pace or Pace(), tell, list(_list_orders(chosen, seats)))
    if refusal := trial.play_all():
        order, fault = refusal
        words, log = _explain_refusal(order, fault), _write_bundle(fault)
        return Report(ok=False, words=words, log=log, rules=rules, seats=seats, bank=trial.bank)
    words = f"played {DEALS} deals in each of {', '.join(rules)} at {', '.join(map(str, seats))} seats"
    words = "; ".join(filter(None, (words, warn_of_share(trial.bank))))
    said = program.manifest
    return Report(
        ok=True, words=words, log=trial.report_log(), rules=said.rules or [], seats=said.seats or [],
        bank=trial.bank,
    )  # fmt: skip


class _Trial:
    """A program's validation deals, a block for each order; `bank` is what it used of its banks."""

    def __init__(
        self, program: Program, sandbox: Sandbox, stop: Callable[[], bool] | None, pace: Pace,
        tell: Callable[[str], None], orders: list[BlockOrder],
    ) -> None:  # fmt: skip
        self.bank: list[BankShare] = []
        self._program, self._sandbox, self._stop, self._pace = program, sandbox, stop, pace
        self._tell, self._orders = tell, orders
        self._late: list[str] = []
        self._log = ""

    def play_all(self) -> tuple[BlockOrder, Fault] | None:
        """The fault for which the program is refused, and in which block; None if there is none."""
        total, played = sum(map(_count_deals, self._orders)), 0
        for order in self._orders:
            progress = f"{order.rules} at {order.seats} seats, deal {{}} of {total}"
            faults = self._play(order, progress, played)
            if overran := find_overruns(faults, is_second=False):
                where = f"in {order.rules} at {order.seats} seats"
                self._late.append(f"{where}: {overran[0].words}, but not when played again")
                faults = self._play(order, progress, played)
            if faults:
                return order, faults[0]
            played += _count_deals(order)
        return None

    def _play(self, order: BlockOrder, progress: str, played: int) -> list[Fault]:
        """One block against the referee's random play, to the first fault."""
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
        """What the build said, second runs, what was used of the banks, and what the program last said."""
        parts = (build_log(self._program), *self._late, *map(str, self.bank), self._log)
        return "".join(f"{part.rstrip()}\n" for part in parts if part.strip())


def _count_deals(order: BlockOrder) -> int:
    return len(order.seeds) * order.seats


def _explain_refusal(order: BlockOrder, fault: Fault) -> str:
    """Where the fault was made, and what it was; of time, in which seating and set as well."""
    where = f"in {order.rules} at {order.seats} seats"
    if fault.kind == "time":
        where += f", seating {fault.seating}, set {fault.deal}"
    return f"{where}: {fault.kind}: {fault.words}"


def _choose_rules(manifest: Manifest) -> list[str]:
    """What the program names, else three of those that differ most."""
    return manifest.rules or [name for name in RULES if name in variants()][:3]


def _explain_unplayable(rules: list[Rules], seats: list[int]) -> str:
    """Why it cannot be played at all, in words."""
    for each in rules:
        fewest, most = each.seats
        if not any(fewest <= number <= most for number in seats):
            named = ", ".join(map(str, seats))
            return f"{each.name} is played at {fewest} to {most} seats, and it names {named}"
    return ""


def _list_orders(rules: list[Rules], seats: list[int]) -> Iterator[BlockOrder]:
    """At least DEALS deals, in whole sets, for each rule set and each number of seats it can be played at."""
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


def _write_bundle(fault: Fault) -> str:
    """The fault as the author reads it."""
    head = f"{fault.kind}: {fault.words}\nended: {fault.exit or 'no, it was still running'}\n"
    used = f"CPU {fault.cpu_ms:.0f} ms, waited {fault.wall_ms:.0f} ms, memory {fault.memory_mib:.0f} MiB\n"
    lines = "".join(f"{line}\n" for line in fault.lines)
    return f"{head}{used}asked: {fault.ask}\nlast lines:\n{lines}stderr:\n{fault.stderr}"
