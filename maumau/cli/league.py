"""`maumau league`: a round robin of the bots in a folder, with ratings, for as long as one likes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game
from maumau.cli.output import Json, console, json_line, show
from maumau.cli.scratch import scratch
from maumau.errors import BadFile, BadSubmission, NoSubmission

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.bot.player import Program
    from maumau.bot.sandbox import Sandbox
    from maumau.game import Rules
    from maumau.home.league import League, Row
    from maumau.home.ledger import Head

FRESH = 2.0  # seconds between two tables on the screen
RESULTS, EARLIER = "league.jsonl", "ladder.jsonl"
"""The file of results, and what it was called before."""


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(league)


def league(  # noqa: PLR0913 - a flag for everything that may be chosen
    bots: Annotated[
        list[str],
        typer.Argument(help="Bots (folders, files or names of house bots), or folders full of bots."),
    ],
    *,
    hours: Annotated[
        float, typer.Option(min=0.0, help="How many hours to play; Ctrl-C stops at any time.")
    ] = 1.0,
    number: Annotated[int, typer.Option("-n", min=0, help="Mirrored deals per pair; 0 means unlimited.")] = 0,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    seed: game.Seed = None,
    results: Annotated[
        Path | None,
        typer.Option(help=f"The file of results to continue; by default {RESULTS} in the folder."),
    ] = None,
    jobs: game.Jobs = 0,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Rate bots against each other in mirrored deals. The next start continues where the last one stopped.

    Example: maumau league my-bots greedy rollout --hours 0.5
    """
    from maumau.bot.sandbox import choose_sandbox
    from maumau.home.crew import crew
    from maumau.home.league import League
    from maumau.home.ledger import ledger

    rules, sandbox = game.rules(variant, options), choose_sandbox(tier)
    path = results or _results(Path(bots[0]) if _is_folder_of_bots(Path(bots[0])) else Path())
    with scratch("run") as room, ledger(path, _head(rules, seed)) as book:
        if seed not in {None, book.head.seed}:
            raise BadFile(f"{path} has the seed {book.head.seed}; leave --seed out, or name another file")
        programs, names = _playable(_bots(bots), room, sandbox)
        table = League(book, programs, names, number)
        with crew(sandbox.name, jobs) as workers, _live() as watch:
            table.play(workers, time.monotonic() + 3600 * hours, watch)
        _tell_table(table, rules, book.head.seed, path, as_json=as_json)


def _tell_table(table: League, rules: Rules, seed: str, path: Path, *, as_json: bool) -> None:
    from maumau.bot.share import say_share

    rows = table.table()
    if as_json:
        json_line({"rules": rules.name, "options": rules.chosen, "seed": seed, "table": rows})
        return
    bank = [line for row in rows for line in say_share(row.name, row.bank)]
    show(_table(rows), "", *bank, f"{rules.name}, seed {seed}, {_counted(table)}; results in {path}")


def _results(folder: Path) -> Path:
    """The file to continue in this folder."""
    earlier = folder / EARLIER
    return earlier if earlier.exists() and not (folder / RESULTS).exists() else folder / RESULTS


def _bots(words: Sequence[str]) -> list[str]:
    """A folder that is no bot stands for the bots in it."""
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


def _playable(words: Sequence[str], room: Path, sandbox: Sandbox) -> tuple[list[Program], list[str]]:
    """All that can be played; of the others it is said why not, and the league goes on without them."""
    from maumau.home import entrant

    kept: list[str] = []
    programs: dict[str, Program] = {}
    for word in words:
        try:
            (program,) = entrant.prepared([word], room, sandbox, game.say)
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
    return found, entrant.names(kept, found)


def _head(rules: Rules, seed: str | None) -> Head:
    from maumau.home.ledger import FORMAT, Head

    return Head(FORMAT, rules.name, rules.chosen, rules.hash, game.seed(seed), rules.text)


@contextmanager
def _live() -> Iterator[Callable[[League], None]]:
    """A table that is kept up to date, only where stderr is a terminal."""
    from rich.console import Group
    from rich.live import Live

    err = console(stderr=True)
    if not err.is_terminal:
        yield lambda _: None
        return
    with Live(console=err, transient=True, auto_refresh=False) as live:
        shown = [0.0]

        def watch(league: League) -> None:
            if time.monotonic() - shown[0] > FRESH:
                shown[0] = time.monotonic()
                live.update(Group(_table(league.table()), _counted(league)), refresh=True)

        yield watch


def _counted(league: League) -> str:
    sets = sum(league.ledger.sums(pair).sets for pair in league.pairs)
    return f"{sets:,} mirrored deals of {len(league.pairs)} pairs"


def _table(rows: Sequence[Row]) -> Table:
    from rich.text import Text

    from maumau.cli.table import rating_cells, table

    made = table(">#", "bot", ">rating", ">95 %", ">score", ">deals", ">faults")
    for row in rows:
        rating = row.rating
        made.add_row(
            str(row.place), Text(row.name), *rating_cells(rating.elo, rating.low, rating.high, row.sets),
            f"{row.score:.3f}", f"{row.sets:,}", str(row.faults),
        )  # fmt: skip
    return made
