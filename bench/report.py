"""The page of all benchmarks, and what has changed since the last one."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bench.row import Row

HEAD = """# Benchmarks

`make bench` writes this page. All numbers come from one run. Ratios are what counts: both sides of one are
measured within the same minute. Absolute numbers must be read beside the pace that the host had while they
were measured: at pace 2 everything takes twice the CPU time of the [reference](time.md). "Before" is the last
run.

"""
COLUMNS = "| what | measured | before | bound | pace | how |\n|---|---|---|---|---|---|\n"
WHY = (
    "\nWhat a decision costs: [in the referee](decisions/0009-table-speed.md), "
    "[in the engine](decisions/0017-engine-speed.md).\n"
)
LINE = re.compile(r"^\| (?P<name>[^|]+) \| (?P<value>-?[\d.]+)")
CHANGE = 0.1
"""A ratio that differs by more than this share from the last run is named."""


def read_values(page: str) -> dict[str, float]:
    """The numbers of an earlier page by name."""
    found = (LINE.match(line) for line in page.splitlines())
    return {match["name"]: float(match["value"]) for match in found if match}


def format_row(row: Row, before: Mapping[str, float]) -> str:
    """A line of the table."""
    sign = "at most" if row.most else "at least"
    unit = f" {row.unit}" if row.unit else ""
    verdict = "" if row.held else " **not reached**"
    last = f"{before[row.name]:.2f}" if row.name in before else ""
    return (
        f"| {row.name} | {row.value:.2f}{unit}{verdict} | {last} | {sign} {row.bound:g}{unit}"
        f" | {row.pace:.2f} | {row.how} |"
    )


def format_part(title: str, words: str, rows: Sequence[Row], before: Mapping[str, float]) -> str:
    """A part of the page that is measured by itself, such as the core."""
    paces = [row.pace for row in rows]
    table = "".join(f"{format_row(row, before)}\n" for row in rows)
    return f"## {title}\n\n{words} {_host(paces)}\n{COLUMNS}{table}"


def put_part(page: str, part: str) -> str:
    """The page with this part in place of the one of that title, or at its end."""
    title = part.partition("\n")[0] + "\n"
    before, found, after = page.partition(title)
    rest = after[after.find("\n## ") + 1 :] if found and "\n## " in after else ""
    return f"{before.rstrip()}\n\n{part}" + (f"\n{rest}" if rest else "")


def parts_of(page: str) -> str:
    """The parts that are measured by themselves."""
    start = page.find("\n## ")
    return page[start:] if start >= 0 else ""


def find_changed(rows: Sequence[Row], before: Mapping[str, float]) -> list[str]:
    """A sentence for each ratio that differs by more than a tenth from the last run."""
    return [
        f"{row.name}: {row.value:.2f}, before {before[row.name]:.2f}."
        for row in rows
        if not row.unit and row.name in before and abs(row.value / before[row.name] - 1) > CHANGE
    ]


def format_page(rows: Sequence[Row], before: Mapping[str, float]) -> str:
    """The page, with when and on what it was made."""
    host = _host([row.pace for row in rows]) + "\n"
    changed = "".join(f"- {sentence}\n" for sentence in find_changed(rows, before))
    news = f"\nRatios that differ by more than a tenth from the run before:\n\n{changed}" if changed else ""
    return HEAD + host + COLUMNS + "".join(f"{format_row(row, before)}\n" for row in rows) + news + WHY


def _host(paces: Sequence[float]) -> str:
    """When and on what it was measured."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    host = f"{now}, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}, "
    return host + f"pace {min(paces):.2f} to {max(paces):.2f}, load at the end {load}.\n"
