"""Validation: a program plays deals in each rule set it names, behind the wall, before it may be entered."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator

import msgspec

from maumau.bot.build import build_log, ready
from maumau.bot.fault import Fault
from maumau.bot.manifest import Manifest
from maumau.bot.player import Program
from maumau.bot.sandbox import Sandbox
from maumau.bot.table import BlockOrder, DealOutcome, play_block
from maumau.errors import BlockStopped, BuildFailed, MissingRuntime
from maumau.game import load, variants

DEALS = 20  # in each rule set, at each number of seats
RULES = ("mau_mau", "prsi", "pesten", "app")  # for programs that name none: the first three there are
SEATS = (2, 3, 4)  # for programs that name none


class Report(msgspec.Struct, frozen=True):
    """What came of it: the reason in words, the log, and what it may be entered for (empty: all)."""

    ok: bool
    words: str
    log: str
    rules: list[str]
    seats: list[int]


def validate(program: Program, sandbox: Sandbox, stop: Callable[[], bool] | None = None) -> Report:
    """Build the program and play the validation deals, mirrored, against players at random.

    What cannot be built, or plays a fault, is refused. PlatformFault and BlockStopped (`stop()` was true)
    say nothing about the program.
    """
    rules, seats = _rules(program.manifest), program.manifest.seats or list(SEATS)
    refused = _unplayable(rules, seats)
    if refused:
        return Report(ok=False, words=refused, log="", rules=[], seats=[])
    try:
        program = ready(program, sandbox, stop)
    except (MissingRuntime, BuildFailed) as error:
        log = error.log if isinstance(error, BuildFailed) else ""
        return Report(ok=False, words=str(error), log=log, rules=rules, seats=seats)
    log = ""
    for order in _orders(rules, seats):
        faults, log = _play(order, program, sandbox, stop)
        if faults:
            words = f"in {order.rules} at {order.seats} seats: {faults[0].kind}: {faults[0].words}"
            return Report(ok=False, words=words, log=_bundle(faults[0]), rules=rules, seats=seats)
    log = "".join(f"{part.rstrip()}\n" for part in (build_log(program), log) if part.strip())
    words = f"played {DEALS} deals in each of {', '.join(rules)} at {', '.join(map(str, seats))} seats"
    said = program.manifest
    return Report(ok=True, words=words, log=log, rules=said.rules or [], seats=said.seats or [])


def _rules(manifest: Manifest) -> list[str]:
    """What the program names, else three of those that differ most."""
    return manifest.rules or [name for name in RULES if name in variants()][:3]


def _unplayable(rules: list[str], seats: list[int]) -> str:
    """Why it cannot be played at all, in words."""
    for name in rules:
        fewest, most = load(name).seats
        if not any(fewest <= number <= most for number in seats):
            return f"{name} is played at {fewest} to {most} seats, and it names {', '.join(map(str, seats))}"
    return ""


def _orders(rules: list[str], seats: list[int]) -> Iterator[BlockOrder]:
    """At least DEALS deals, in whole sets, for each rule set and each number of seats it can be played at."""
    for name in rules:
        fewest, most = load(name).seats
        for number in seats:
            if fewest <= number <= most:
                sets = math.ceil(DEALS / number)
                seeds = [
                    hashlib.sha256(f"validation {name} {number} {k}".encode()).hexdigest()
                    for k in range(sets)
                ]
                yield BlockOrder(name, number, seeds)


def _play(
    order: BlockOrder, program: Program, sandbox: Sandbox, stop: Callable[[], bool] | None
) -> tuple[list[Fault], str]:
    """One block against the referee's random play; it ends with the first fault."""
    faults: list[Fault] = []

    def on_deal(_number: int, _seating: int, outcome: DealOutcome) -> None:
        faults.extend(outcome.faults)

    def enough() -> bool:
        return bool(faults) or bool(stop and stop())

    try:
        outcome = play_block(order, [program] + [None] * (order.seats - 1), sandbox, on_deal, enough)
    except BlockStopped:
        if not faults:
            raise
        return faults, ""
    return faults, outcome.measured.uses[0].log


def _bundle(fault: Fault) -> str:
    """The fault as the author reads it."""
    head = f"{fault.kind}: {fault.words}\nended: {fault.exit or 'no, it lives'}\n"
    used = f"CPU {fault.cpu_ms:.0f} ms, waited {fault.wall_ms:.0f} ms, memory {fault.memory_mib:.0f} MiB\n"
    lines = "".join(f"{line}\n" for line in fault.lines)
    return f"{head}{used}asked: {fault.ask}\nlast lines:\n{lines}stderr:\n{fault.stderr}"
