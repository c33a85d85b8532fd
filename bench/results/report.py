"""The page of all benchmarks, with changes since the last run."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bench.results.row import ResultRow

HEAD = """# Benchmarks

`make bench` writes this page. A bound in **bold** was not reached. Ratios count most: both sides of one are
measured within the same minute. Read absolute numbers beside the pace of the host: at pace 2 everything takes
twice the CPU time of the [reference](../explanation/time.md). Rows against OpenSpiel and RLCard are random
play, in decisions a second of CPU time, medians of twelve rounds.

"""
COLUMNS = "| what | measured | bound | how |\n|---|---|---|---|\n"
WHY = (
    "\nWhat a decision costs in the referee and in the engine: "
    "[Where the time goes](../explanation/costs.md).\n"
)
LINE = re.compile(r"^\| (?P<name>[^|]+) \| (?P<value>-?[\d.]+)")
DATABASES = ("sqlite", "postgresql")
CHANGE = 0.1
"""The relative change of a ratio from which it is reported."""


def read_values(page: str) -> dict[str, float]:
    """Return the numbers of an earlier page by name."""
    found = (LINE.match(line) for line in page.splitlines())
    return {match["name"]: float(match["value"]) for match in found if match}


def format_row(row: ResultRow) -> str:
    """Return a line of the table."""
    sign = "≤" if row.most else "≥"
    unit = f" {row.unit}" if row.unit else ""
    bound = f"{sign} {row.bound:g}{unit}" if row.bound or row.most else ""
    value = f"{row.value:.0f}" if abs(row.value) >= 1000 else f"{row.value:.2f}".removesuffix(".00")
    return f"| {row.name} | {value}{unit} | {bound if row.held else f'**{bound}**'} | {row.how} |"


def format_rows(rows: Sequence[ResultRow]) -> str:
    """Return the lines of the table; what was measured on both databases shares a line."""
    by_name = {row.name: row for row in rows}
    lines = []
    for row in rows:
        stem, comma, database = row.name.rpartition(", ")
        pair = [by_name.get(f"{stem}, {name}") for name in DATABASES] if database in DATABASES else []
        if comma and len(pair) == len(DATABASES) and None not in pair:
            if database == DATABASES[0]:
                lines.append(_join_rows(stem, [each for each in pair if each]))
        else:
            lines.append(format_row(row))
    return "".join(f"{line}\n" for line in lines)


def _join_rows(stem: str, pair: Sequence[ResultRow]) -> str:
    """Return one line for the same measurement on each database."""
    cells = [[cell.strip() for cell in format_row(row).split("|")[2:5]] for row in pair]
    values, bounds, hows = (list(dict.fromkeys(column)) for column in zip(*cells, strict=True))
    bound = max(bounds, key=len)  # bold if one of them was missed
    return f"| {stem} | {' / '.join(values)} | {bound} | {' / '.join(hows)} |"


def format_part(title: str, words: str, rows: Sequence[ResultRow]) -> str:
    """Return a part of the page that is measured separately, such as the core."""
    paces = [row.pace for row in rows]
    return f"## {title}\n\n{words} {_describe_host(paces)}\n{COLUMNS}{format_rows(rows)}"


def put_part(page: str, part: str) -> str:
    """Return the page with this part in place of the one of that title, or at its end."""
    title = part.partition("\n")[0] + "\n"
    before, found, after = page.partition(title)
    rest = after[after.find("\n## ") + 1 :] if found and "\n## " in after else ""
    return f"{before.rstrip()}\n\n{part}" + (f"\n{rest}" if rest else "")


def parts_of(page: str) -> str:
    """Return the parts that are measured separately."""
    start = page.find("\n## ")
    return page[start:] if start >= 0 else ""


def find_changed(rows: Sequence[ResultRow], before: Mapping[str, float]) -> list[str]:
    """Return a sentence for each ratio that differs by more than a tenth from the last run."""
    return [
        f"{row.name}: {row.value:.2f}, before {before[row.name]:.2f}."
        for row in rows
        if not row.unit and row.name in before and abs(row.value / before[row.name] - 1) > CHANGE
    ]


def format_page(rows: Sequence[ResultRow], before: Mapping[str, float]) -> str:
    """Return the page, with its date and host."""
    host = _describe_host([row.pace for row in rows]) + "\n"
    changed = "".join(f"- {sentence}\n" for sentence in find_changed(rows, before))
    news = f"\nRatios that differ by more than a tenth from the run before:\n\n{changed}" if changed else ""
    return HEAD + host + COLUMNS + format_rows(rows) + news + WHY


def _describe_host(paces: Sequence[float]) -> str:
    """Return date and host of the measurement."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    host = f"{now}, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}, "
    return host + f"pace {min(paces):.2f} to {max(paces):.2f}, load at the end {load}.\n"
