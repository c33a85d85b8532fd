"""The attacks of attacks.toml: what each tries, what must come of it, and what was found of it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
GROWTH = 20.0  # MiB that the referee may need for an attack


class Attack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One attack program: its aim (`tries`), the `tiers`, the fault that is booked, and a line of its log.

    `fault` is a pattern of all kinds booked, empty where the program is not harmed by having tried; `process`
    and `ungrouped` are other faults in the process tier and in bwrap without control groups. `holds`: no line
    of the log may say that it could do anything. `both`: both seats are the attacker's. `build`: it is tried
    in a build step, too. `later`: as a program in the long form only.
    """

    name: str
    tries: str
    log: str
    fault: str = ""
    process: str = ""
    ungrouped: str = ""
    tiers: tuple[str, ...] = ("bwrap",)
    holds: bool = True
    both: bool = False
    build: bool = False
    later: bool = False
    deal_ms: int = 3000
    sets: int = 1
    memory_mib: int = 256

    @property
    def source(self) -> Path:
        """The program's file."""
        return next(
            path for path in (PROGRAMS / f"{self.name}.py", PROGRAMS / f"{self.name}.c") if path.exists()
        )

    @property
    def compiled(self) -> bool:
        return self.source.suffix == ".c"

    def expected(self, tier: str, *, grouped: bool) -> str:
        """Return the kind of fault that must be booked."""
        if tier == "process" and self.process:
            return self.process
        return self.ungrouped if self.ungrouped and not grouped else self.fault


class Found(msgspec.Struct):
    """Observations of one attack: kinds of fault by who made them, logs, and remains."""

    kinds: list[str]
    innocent: list[str]
    words: list[str]
    logs: list[str]
    same: bool
    starts: list[int]
    living: list[str]
    left: list[str]
    reached: list[str]
    grown_mib: float
    peak_mib: float
    seconds: float


def wrong(attack: Attack, found: Found, tier: str, *, grouped: bool) -> list[str]:
    """Return the deviations after an attack, in words; none if all is well."""
    text, fault = "".join(found.logs), attack.expected(tier, grouped=grouped)
    could = [line for line in text.splitlines() if line.startswith("could:")] if attack.holds else []
    checks = {
        f"faults booked {found.kinds}, not {fault or 'none'}": re.fullmatch(fault, " ".join(found.kinds)),
        f"faults booked to the innocent: {found.innocent}": not found.innocent,
        f"words that steer or cannot be stored: {found.words}": all(map(str.isprintable, found.words)),
        f"the log has no {attack.log!r}: {text[-2000:]}": re.search(attack.log, text),
        f"it could do something: {could}": not could,
        "what was played is not what harmless programs play": found.same,
        f"the peer was started {found.starts[1]} times": attack.both or found.starts[1] == 2,
        f"still running: {found.living}": not found.living,
        f"left behind: {found.left}": not found.left,
        f"reached: {found.reached}": not found.reached,
        f"the referee grew by {found.grown_mib:.1f} MiB, at most by {found.peak_mib:.1f}": (
            max(found.grown_mib, found.peak_mib) < GROWTH
        ),
    }
    return [words for words, fine in checks.items() if not fine]


class Upload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One upload: its aim (`tries`), and the error that refuses it; none: it is accepted as what it is."""

    name: str
    tries: str
    error: str = ""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of attacks.toml."""

    attack: list[Attack]
    upload: list[Upload]


def table() -> Table:
    return msgspec.toml.decode((HERE / "attacks.toml").read_bytes(), type=Table)


def attacks() -> list[Attack]:
    """Return the programs of the table."""
    return table().attack
