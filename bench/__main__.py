"""`make bench`: every number in one run, as a table, kept in docs/benchmarks.md."""

from __future__ import annotations

import statistics
import sys
from importlib import import_module
from pathlib import Path

from bench.report import format_page, format_part, format_row, parts_of, put_part, read_values
from bench.row import Row
from maumau.bot.pace import REFERENCE
from maumau.bot.probe import run_probe

SUITES = ("game", "size", "table", "slot", "arena", "live")
CORE = """`make bench-core` writes this part: what the services carry. The deals that are reported are
invented, so none is played again (decision 38)."""
RANKING = """`make bench-ranking` writes this part: how many games a ranking needs until it is right. Sixteen
invented players of known strength: the best one wins 57.5 % of its games, against the second 52.1 %. The
peers play single games; the ladder plays mirrored sets, whose two games count as two (correlation -0.44, as
between close pairs of real bots), with its own pairing and ratings ([ladder.md](ladder.md)). The ladder's
numbers are from 960 runs each, the peers' from 240. Peers have no bound: theirs are there to compare with."""
PAGE = """`make bench-page` writes this part: the page in the browser. Weights are what goes over the
wire. A page's time is that of its server, for a reader who comes when nothing is kept. Watchers are streams
that the benchmark reads."""
PARTS = {"page": ("The page", PAGE), "core": ("The core", CORE), "ranking": ("Ranking", RANKING)}
REPORT = Path("docs/benchmarks.md")
PROBES = 21


def main() -> None:
    """All suites, or those named; exit code 1 if a bound does not hold.

    A part of the page that has a suite of its own is written when only that one is named.
    """
    names = sys.argv[1:] or SUITES
    page = REPORT.read_text() if REPORT.exists() else ""
    before = read_values(page)
    rows: list[Row] = []
    for name in names:
        last = measure_pace()
        for row in import_module(f"bench.{name}").rows():
            now = measure_pace()
            rows.append(row._replace(pace=(last + now) / 2))
            last = now
            print(format_row(rows[-1], before), flush=True)
    if names == SUITES:
        REPORT.write_text(format_page(rows, before) + parts_of(page))
    for name, (title, words) in PARTS.items():
        if names == [name]:
            REPORT.write_text(put_part(page, format_part(title, words, rows, before)))
    sys.exit(0 if all(row.held for row in rows) else 1)


def measure_pace() -> float:
    """The host's pace now: the median of some probes."""
    return statistics.median(run_probe() for _ in range(PROBES)) / REFERENCE


if __name__ == "__main__":
    main()
