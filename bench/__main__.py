"""`make bench`: every number in one run, as a table, kept in docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from bench.row import Row

SUITES = ("game", "size", "table", "slot", "arena")
REPORT = Path("docs/benchmarks.md")


def main() -> None:
    """All suites, or those named; exit code 1 if a bound does not hold."""
    names = sys.argv[1:] or SUITES
    lines, broken = [], 0
    for name in names:
        for row in import_module(f"bench.{name}").rows():
            lines.append(line(row))
            broken += not row.held
            print(lines[-1], flush=True)
    if names == SUITES:
        REPORT.write_text(report(lines))
    sys.exit(1 if broken else 0)


def line(row: Row) -> str:
    """A line of the table."""
    sign = "at most" if row.most else "at least"
    unit = f" {row.unit}" if row.unit else ""
    verdict = "" if row.held else " **not reached**"
    return f"| {row.name} | {row.value:.2f}{unit}{verdict} | {sign} {row.bound:g}{unit} | {row.how} |"


def report(lines: Iterable[str]) -> str:
    """The page, with when and on what it was made."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    head = (
        "# Benchmarks\n\n"
        "`make bench` writes this page. All numbers come from one run; ratios are what counts.\n\n"
        f"{now}, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}, "
        f"load at the end {load}.\n\n| what | measured | bound | how |\n|---|---|---|---|\n"
    )
    why = "\nWhat a decision costs: [at the table](decisions/0009-table-speed.md), "
    why += "[in the engine](decisions/0017-engine-speed.md).\n"
    return head + "\n".join(lines) + "\n" + why


if __name__ == "__main__":
    main()
