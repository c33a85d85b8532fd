"""`maumau ladder`: the ladders of an arena."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game, ladder_history, place
from maumau.cli.output import Json, Where, console, has_pictures, json_line, plain, show
from maumau.cli.question import count_things
from maumau.errors import NotOver

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.answer import Epoch, GetLeaderboardResponse, Ladder, LeaderboardLine, Pairing
    from maumau.cli.table import Fitted

TWO = 2  # seats of an ordinary table
FRESH = 1.0  # seconds between two tables on the screen
PINNED_MARK = "⚓"
PINNED_LEGEND = f"{PINNED_MARK} marks the bots that fix the scale: the mean of their ratings is 0."

app = typer.Typer(
    help="Ladders: bots that have joined are paired and rated continuously.", no_args_is_help=True
)

LadderName = Annotated[str, typer.Argument(metavar="LADDER", help="The ladder's name.")]
BotName = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name in the arena.")]


app.command("history")(ladder_history.history)


@app.command("list")
def list_ladders(*, arena: Where = None, as_json: Json = False) -> None:
    """List the ladders.

    Example: maumau ladder list
    """
    with place.matchmaking(arena) as link:
        found = link.ladders()
    if as_json:
        json_line(found)
        return
    from maumau.cli.table import table

    made = table("ladder", "rules", ">seats", ">bots", ">deal sets", ">epoch")
    for one in found:
        counts = str(one.seats), str(one.members), f"{one.sets:,}", str(one.epoch)
        made.add_row(one.name, _rules(one), *counts)
    show(made if found else "there is no ladder; an admin makes one with `maumau ladder create`")


@app.command("show")
def show_ladder(ladder: LadderName, *, arena: Where = None, as_json: Json = False) -> None:
    """Show the table of a ladder.

    Example: maumau ladder show prsi
    """
    with place.matchmaking(arena) as link:
        found = link.leaderboard(ladder)
    if as_json:
        json_line(found)
        return
    show(describe_ladder(found), leaderboard_table(found.lines), *_legend(found), *_silent(found))


@app.command()
def watch(ladder: LadderName, *, arena: Where = None, as_json: Json = False) -> None:
    """Watch the table of a ladder until Ctrl-C; without a terminal, a line for each bot that moves.

    Example: maumau ladder watch prsi
    """
    with place.matchmaking(arena) as link:
        if as_json:
            for found in link.watch(ladder):
                json_line(found)
            return
        out = console()
        if has_pictures(out):
            _picture(link.watch(ladder))
        else:
            _told(link.watch(ladder))


@app.command()
def join(
    ladder: LadderName,
    bot: BotName,
    *,
    pinned: Annotated[
        bool, typer.Option(help="The bot holds the scale: the mean of all that do is 0 (admins only).")
    ] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Have a bot paired on a ladder from now on, with whichever version of it is active.

    Example: maumau ladder join prsi my-bot
    """
    with place.matchmaking(arena) as link:
        number = link.join(ladder, bot, pinned=pinned)
    if as_json:
        json_line({"ladder": ladder, "bot": bot, "number": number})
    else:
        show(f"{bot} is on the ladder {ladder}; `maumau ladder watch {ladder}` shows the table as it moves")


@app.command()
def leave(ladder: LadderName, bot: BotName, *, arena: Where = None, as_json: Json = False) -> None:
    """Take a bot off a ladder; its results stay.

    Example: maumau ladder leave prsi my-bot
    """
    with place.matchmaking(arena) as link:
        link.leave(ladder, bot)
    if as_json:
        json_line({"ladder": ladder, "bot": bot})
    else:
        show(f"{bot} is no longer on the ladder {ladder}")


@app.command()
def pairings(
    ladder: LadderName,
    bot: Annotated[str, typer.Argument(metavar="[BOT]", help="Only those of this bot.")] = "",
    *,
    most: Annotated[int, typer.Option("-n", min=1, max=1000, help="How many to list.")] = 20,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List who was paired with whom, newest first.

    Example: maumau ladder pairings prsi my-bot -n 5
    """
    with place.matchmaking(arena) as link:
        found = link.pairings(ladder, bot, most)
    if as_json:
        json_line(found)
        return
    from maumau.cli.table import Fitted

    show(Fitted(lambda width: _pairing_table(found, width)) if found else "nobody has been paired yet")


@app.command()
def explain(
    ladder: LadderName,
    pairing: Annotated[str, typer.Argument(help="A pairing, such as 3.17; `pairings` lists them.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Say why a pairing was made.

    Example: maumau ladder explain prsi 1.17
    """
    with place.matchmaking(arena) as link:
        found = link.explain(ladder, pairing)
    if as_json:
        json_line(found)
    else:
        show(found.words)


@app.command()
def epochs(ladder: LadderName, *, arena: Where = None, as_json: Json = False) -> None:
    """List the epochs of a ladder: commitments, and the secrets of those that are over.

    Example: maumau ladder epochs prsi
    """
    with place.matchmaking(arena) as link:
        found = link.epochs(ladder)
    if as_json:
        json_line(found)
        return
    for one in found:
        results = count_things(one.booked, "result")
        secret = f", secret {one.secret}" if one.secret else ""
        show(f"epoch {one.number}: {one.state}, {results}, commitment {one.commitment}{secret}")
    if not found:
        show("no epoch has begun yet; the first one begins with the second bot")


@app.command()
def export(
    ladder: LadderName,
    epoch: Annotated[
        int | None, typer.Argument(min=1, help="Its number; by default the last one that is over.")
    ] = None,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write, or `-`; by default LADDER.EPOCH.export.jsonl."),
    ] = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Write the export of an epoch that is over; `maumau verify` checks it.

    Example: maumau ladder export prsi 3
    """
    from maumau.cli import export

    with place.matchmaking(arena) as link:
        number = epoch or _last_ended(link.epochs(ladder), ladder)
        if str(out) == "-":
            export.to_stdout(link.export(ladder, number))
            return
        path = out or Path(f"{ladder}.{number}.export.jsonl")
        size = export.to_file(link.export(ladder, number), path)
    if as_json:
        json_line({"ladder": ladder, "epoch": number, "path": str(path), "bytes": size})
    else:
        show(str(path))


def _last_ended(found: Iterable[Epoch], ladder: str) -> int:
    number = next((one.number for one in found if one.state == "over"), 0)
    if not number:
        raise NotOver(
            f"No epoch of the ladder {ladder} is over yet; `maumau ladder epochs {ladder}` lists them."
        )
    return number


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="The ladder's name: a-z, 0-9, - and _.")],
    *,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    seats: Annotated[int, typer.Option(min=2, max=10, help="How many sit at a table.")] = 2,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Make a ladder (admins only). A ladder that exists already with the same rules is left unchanged.

    Example: maumau ladder create prsi --rules prsi

    Example: maumau ladder create prsi-4 --rules prsi --seats 4
    """
    rules = game.named(variant, options)
    with place.matchmaking(arena) as link:
        found = link.create(name, rules.name, rules.options_json, rules.variant_toml, seats)
    if as_json:
        json_line(found)
    else:
        show(f"the ladder {found.name} is open; `maumau ladder join {found.name} BOT` adds a bot")


def leaderboard_table(lines: Iterable[LeaderboardLine]) -> Fitted:
    """A ladder's table, as wide as there is room."""
    from maumau.cli.table import Fitted

    shown = list(lines)
    return Fitted(lambda width: _leaderboard_table(shown, width))


def _leaderboard_table(lines: list[LeaderboardLine], width: int) -> Table:
    from maumau.cli.table import MEDIUM, WIDE, table

    more = [">places", ">best"] if width >= MEDIUM else []
    most = [">faults", "author"] if width >= WIDE else []
    made = table(">#", "bot", ">rating", ">95 %", ">sets", *more, *most)
    for line in lines:
        name = f"{line.bot_name} {PINNED_MARK}" if line.pinned else line.bot_name
        cells = [str(line.place), name, *_rating(line), f"{line.sets:,}"]
        if more:
            cells += [_places(line), f"{line.best:.0%}" if line.sets else ""]
        if most:
            cells += [f"{line.faults:,}", line.account_name]
        made.add_row(*cells)
    return made


def _rating(line: LeaderboardLine) -> tuple[str, str]:
    if not line.sets:
        return "", "no result yet"
    return f"{line.elo:+z.0f}", f"{line.low:+z.0f} to {line.high:+z.0f}"


def _places(line: LeaderboardLine) -> str:
    if line.best_place == line.worst_place:
        return str(line.best_place)
    return f"{line.best_place} to {line.worst_place}"


def _pairing_table(found: Sequence[Pairing], width: int) -> Table:
    from maumau.cli.table import MEDIUM, table

    more = ["why"] if width >= MEDIUM else []
    many = any(one.others for one in found)
    bots = ["table", ">first one's score"] if many else ["first", "second", ">score"]
    made = table("pairing", *bots, ">sets", *more, "state")
    for one in found:
        score = f"{one.score:.3f}" if one.booked else ""
        names = [", ".join((one.first, one.second, *one.others))] if many else [one.first, one.second]
        why = [one.kind] if more else []
        made.add_row(one.id, *names, score, f"{one.booked} of {one.sets}", *why, one.state)
    return made


def describe_ladder(found: GetLeaderboardResponse) -> str:
    """The line above a table: rules, deal sets and epoch."""
    ladder = found.ladder
    if not ladder:
        return ""
    seats = f" at {ladder.seats} seats" if ladder.seats > TWO else ""
    sets = count_things(ladder.sets, "deal set")
    return f"{ladder.name}: {_rules(ladder)}{seats}, {sets}, epoch {ladder.epoch}"


def _legend(found: GetLeaderboardResponse) -> Iterator[str]:
    if any(line.pinned for line in found.lines):
        yield PINNED_LEGEND


def _silent(found: GetLeaderboardResponse) -> Iterator[str]:
    """Why nobody is paired just now, or who is not."""
    if found.ladder and found.ladder.words:
        yield f"nobody is paired just now: {found.ladder.words}"
    for line in found.lines:
        if line.words:
            yield f"{line.bot_name} is not paired just now: {plain(line.words)}"


def _rules(ladder: Ladder) -> str:
    if not ladder.rules:
        return ""
    options = ladder.rules.options_json
    return ladder.rules.name + (f" {options}" if options not in {"", "{}"} else "")


def _picture(news: Iterator[GetLeaderboardResponse]) -> None:
    """A table that is kept up to date."""
    from rich.console import Group
    from rich.live import Live

    with Live(console=console(), auto_refresh=False) as live:
        shown = 0.0
        for found in news:
            if time.monotonic() - shown >= FRESH:
                shown = time.monotonic()
                picture = Group(describe_ladder(found), leaderboard_table(found.lines), *_legend(found))
                live.update(picture, refresh=True)


def _told(news: Iterator[GetLeaderboardResponse]) -> None:
    before: dict[str, int] = {}
    for found in news:
        for line in found.lines:
            if before.get(line.bot_name) != line.place and line.sets:
                rating = " ".join(_rating(line))
                show(f"{line.place}. {line.bot_name} {rating}, {count_things(line.sets, 'deal set')}")
        before = {line.bot_name: line.place for line in found.lines if line.sets}
