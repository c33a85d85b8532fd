"""`maumau league`: an open-ended round robin of the bots in a folder, with ratings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import game
from maumau.errors import BadFile, BadSubmission, NoSubmission
from maumau.process.scratch import scratch
from maumau.screen.output import LOG_SECONDS, Json, ProgressLines, console, json_line, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.game import Rules
    from maumau.home.league import League, LeagueRow
    from maumau.home.ledger import LeagueHead
    from maumau.referee.place import Program
    from maumau.sandbox.launch import Sandbox

FRESH = 2.0  # seconds between two tables on the screen
RESULTS, EARLIER = "league.jsonl", "ladder.jsonl"
"""The file of results, and its former name."""

Bots = Annotated[
    list[str],
    typer.Argument(help="Bots (folders, files or names of house bots), or folders full of bots."),
]
Hours = Annotated[float, typer.Option(min=0.0, help="How many hours to play; Ctrl-C stops at any time.")]
SetCount = Annotated[
    int, typer.Option("--sets", "-n", min=0, help="Mirrored sets per pair; 0 means unlimited.")
]
ResultsFile = Annotated[
    Path | None,
    typer.Option(help=f"The file of results to continue; by default {RESULTS} in the folder."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("league")(rate_bots)


def rate_bots(  # noqa: PLR0913 - a flag for everything that may be chosen
    bots: Bots,
    *,
    hours: Hours = 1.0,
    number: SetCount = 0,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    seed: game.Seed = None,
    results: ResultsFile = None,
    jobs: game.Jobs = 0,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Rate bots against each other in mirrored deals. The next start continues where the last one stopped.

    Example: maumau league my-bots greedy rollout --hours 0.5
    """
    from maumau.home.crew import start_crew
    from maumau.home.league import League
    from maumau.home.ledger import open_ledger
    from maumau.sandbox.launch import choose_sandbox

    rules, sandbox = game.load_rules(variant, options), choose_sandbox(tier)
    path = results or _find_results(Path(bots[0]) if _is_folder_of_bots(Path(bots[0])) else Path())
    with scratch("run") as room, open_ledger(path, _results_head(rules, seed)) as book:
        if seed not in {None, book.head.seed}:
            raise BadFile(f"{path} has the seed {book.head.seed}; leave --seed out, or name another file")
        programs, names = _unpack_playable(_list_bots(bots), room, sandbox)
        table = League(book, programs, names, number)
        with start_crew(sandbox.name, jobs) as workers, _update_table() as watch:
            table.play(workers, time.monotonic() + 3600 * hours, watch)
        _tell_table(table, rules, book.head.seed, path, as_json=as_json)


def _tell_table(table: League, rules: Rules, seed: str, path: Path, *, as_json: bool) -> None:
    from maumau.referee.share import say_share

    rows = table.table()
    if as_json:
        json_line({"rules": rules.name, "options": rules.chosen, "seed": seed, "table": rows})
        return
    bank = [line for row in rows for line in say_share(row.name, row.bank)]
    show(
        _tabulate_ratings(rows),
        "",
        *bank,
        f"{rules.name}, seed {seed}, {_describe_counts(table)}; results in {path}",
    )


def _find_results(folder: Path) -> Path:
    """Return the file to continue in this folder."""
    earlier = folder / EARLIER
    return earlier if earlier.exists() and not (folder / RESULTS).exists() else folder / RESULTS


def _list_bots(words: Sequence[str]) -> list[str]:
    """Return the bots; a folder that is not a bot stands for the bots in it."""
    found: list[str] = []
    for word in words:
        path = Path(word)
        if not _is_folder_of_bots(path):
            found.append(word)
            continue
        inside = sorted(each for each in path.iterdir() if not each.name.startswith((".", "__")))
        found += [str(each) for each in inside if each.is_dir() or each.suffix in {".py", ".zip"}]
    return found


def _is_folder_of_bots(path: Path) -> bool:
    return path.is_dir() and not (path / "bot.toml").exists()


def _unpack_playable(words: Sequence[str], room: Path, sandbox: Sandbox) -> tuple[list[Program], list[str]]:
    """Return all playable programs; the others are reported, and the league continues without them."""
    from maumau.home import entrant

    kept: list[str] = []
    programs: dict[str, Program] = {}
    for word in words:
        try:
            (program,) = entrant.prepare_programs([word], room, sandbox, game.say_progress)
        except BadSubmission as error:
            show(f"left out: {word}: {error}")
            continue
        if program.sha256 in programs:
            show(f"left out: {word}: it is the same program as {programs[program.sha256].name}")
            continue
        programs[program.sha256] = program
        kept.append(word)
    if len(kept) < 2:
        raise NoSubmission(f"A league needs at least two bots that can be played, and has {len(kept)}.")
    found = list(programs.values())
    return found, entrant.display_names(kept, found)


def _results_head(rules: Rules, seed: str | None) -> LeagueHead:
    from maumau.home.ledger import FORMAT, LeagueHead

    return LeagueHead(FORMAT, rules.name, rules.chosen, rules.hash, game.choose_seed(seed), rules.text)


@contextmanager
def _update_table() -> Iterator[Callable[[League], None]]:
    """Yield a function that updates a table, or prints a line now and then if stderr is not a terminal."""
    from rich.console import Group
    from rich.live import Live

    err = console(stderr=True)
    if not err.is_terminal:
        lines = ProgressLines("league", LOG_SECONDS, late=True)
        yield lambda league: lines.tell(_describe_counts(league))
        return
    with Live(console=err, transient=True, auto_refresh=False) as live:
        shown = [0.0]

        def show_progress(league: League) -> None:
            if time.monotonic() - shown[0] > FRESH:
                shown[0] = time.monotonic()
                live.update(Group(_tabulate_ratings(league.table()), _describe_counts(league)), refresh=True)

        yield show_progress


def _describe_counts(league: League) -> str:
    sets = sum(league.ledger.sums(pair).sets for pair in league.pairs)
    return f"{sets:,} mirrored sets of {len(league.pairs)} pairs"


def _tabulate_ratings(rows: Sequence[LeagueRow]) -> Table:
    from rich.text import Text

    from maumau.screen.table import rating_cells, table

    made = table(">#", "bot", ">rating", ">95 %", ">score", ">sets", ">faults")
    for row in rows:
        rating = row.rating
        made.add_row(
            str(row.place),
            Text(row.name),
            *rating_cells(rating.elo, rating.low, rating.high, row.sets),
            f"{row.score:.3f}",
            f"{row.sets:,}",
            str(row.faults),
        )
    return made
