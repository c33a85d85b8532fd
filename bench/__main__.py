"""`make bench`: every number in one run, as a table, kept in docs/reference/benchmarks.md."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from bench.results.pace import measure_pace
from bench.results.report import format_page, format_part, format_row, parts_of, put_part, read_values
from bench.results.row import ResultRow

SUITES = {
    "game": "bench.play.game",
    "playout": "bench.play.playout",
    "question": "bench.play.question",
    "size": "bench.play.size",
    "env": "bench.play.env",
    "table": "bench.play.table",
    "slot": "bench.play.slot",
    "arena": "bench.platform.arena",
    "live": "bench.services.live",
    "idle": "bench.platform.idle",
    "restart": "bench.platform.restart",
    "page": "bench.web.page",
    "players": "bench.web.players",
    "core": "bench.services.core",
    "webhooks": "bench.services.webhooks",
    "ranking": "bench.statistics.ranking",
    "fields": "bench.statistics.ranking_field",
    "time": "bench.play.time",
}
ALL = ["game", "playout", "question", "size", "table", "slot", "arena", "live"]
"""The suites of one run without names."""
CORE = """`make bench-core` writes this part: what the services carry, on SQLite / on PostgreSQL. The deals
that are reported are invented, so none is played again (decision 38)."""
RANKING = """`make bench-ranking` writes this part: the games that a ranking needs until it is right. Sixteen
invented players of known strength: the best one wins 57.5 % of its games, against the second 52.1 %. The
peers play single games or mirrored sets (240 runs each); the [ladder](../explanation/ladder.md) plays
mirrored sets, whose two games count as two (correlation -0.44, as between close pairs of real bots), with its
own pairing and ratings (960 runs each). Mirrored deals are worth half of what it gains on the right winner.
Top-two sampling with other ratings finds the winner as soon, but not the order of the field; for that,
neighbours in the ranking are the better pairing."""
FIELDS = """`make bench-fields` writes this part: the ladder and its closest peers on three fields whose
sixteen strengths are drawn at random; no other was looked at. Measured are the games to the right winner; in
brackets is how often the best one beats the second. All play mirrored sets, 240 runs each, peers 50,000 games
at most, the ladder in its three modes 20,000 (`final`: 10,000). A tuned peer knows the spread of the field;
the ladder does not."""
PAGE = """`make bench-page` writes this part: the page in the browser. Weights are what goes over the
wire. A page's time is its server's CPU time, the mean of five readers for whom nothing is kept. Watchers are
streams that the benchmark reads. Of what the page takes for them, a third is the kernel's sending, a fifth
the look at open connections, and a quarter the same however many watch: asking the services and rendering.
Play before them shares the two cores with three others: the page (4 % of a core), the readers, who are
elsewhere with real browsers (2 %), and the tournament service, which tells the page (3 to 4 %). So 0.95 to
0.97 of play alone can be left; 0.98 would leave 4 % of a core for all three."""
PLAYERS = """`make bench-players` writes this part: people who play in browsers, 200 tables at once, on
the host of the arena."""
ENV = """`make bench-env` writes this part: environments for learners ([env.md](env.md)), random play by the
mask."""
IDLE = """`make bench-idle` writes this part: an arena at rest, with the usual settings."""
RESTART = """`make bench-restart` writes this part: `maumau up` on a data folder that exists."""
WEBHOOKS = """`make bench-webhooks` writes this part: from the opening of a contest until the last of its
followers has been told ([webhooks.md](webhooks.md))."""
PARTS = {
    "env": ("Environments", ENV),
    "idle": ("At rest", IDLE),
    "restart": ("Restart", RESTART),
    "page": ("The page", PAGE),
    "players": ("People at the page", PLAYERS),
    "core": ("The core", CORE),
    "webhooks": ("Webhooks", WEBHOOKS),
    "ranking": ("Ranking", RANKING),
    "fields": ("Ranking of random fields", FIELDS),
}
REPORT = Path("docs/reference/benchmarks.md")


def main() -> None:
    """Run all suites, or those named; exit with code 1 if a bound does not hold.

    A part of the page that has a suite of its own is written when only that one is named.
    """
    names = sys.argv[1:] or ALL
    page = REPORT.read_text() if REPORT.exists() else ""
    before = read_values(page)
    rows: list[ResultRow] = []
    for name in names:
        last = measure_pace()
        for row in import_module(SUITES[name]).measure_rows():
            now = measure_pace()
            rows.append(row._replace(pace=(last + now) / 2))
            last = now
            print(format_row(rows[-1]), flush=True)
    if names == ALL:
        REPORT.write_text(format_page(rows, before) + parts_of(page))
    for name, (title, words) in PARTS.items():
        if names == [name]:
            REPORT.write_text(put_part(page, format_part(title, words, rows)))
    sys.exit(0 if all(row.held for row in rows) else 1)


if __name__ == "__main__":
    main()
