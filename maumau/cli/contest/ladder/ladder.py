"""`maumau ladder`: the ladders of an arena."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.contest.ladder import fairness as ladder_fairness
from maumau.cli.contest.ladder import history as ladder_history
from maumau.cli.contest.ladder import live as live_ladder
from maumau.cli.contest.ladder import pairing
from maumau.cli.shared import game, place
from maumau.client.answer.version_name import name_version
from maumau.errors import NotOver
from maumau.screen.output import Json, Where, console, count_things, has_pictures, json_line, plain, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.client.answer import Epoch, GetLeaderboardResponse, Ladder, LeaderboardLine
    from maumau.screen.table import Fitted

TWO = 2  # seats of an ordinary table
FRESH = 1.0  # seconds between two tables on the screen
PINNED_MARK = "⚓"
PINNED_LEGEND = f"{PINNED_MARK} marks the bots that fix the scale: the mean of their ratings is 0."

app = typer.Typer(
    help="Ladders: bots that have joined are paired and rated continuously.", no_args_is_help=True
)

LadderName = Annotated[str, typer.Argument(metavar="LADDER", help="The ladder's name.")]
BotName = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name in the arena.")]


app.command("fairness")(ladder_fairness.show_ladder_fairness)
app.command("history")(ladder_history.show_history)
app.command("pairings")(pairing.list_pairings)
app.command("explain")(pairing.explain_pairing)
app.command("sets")(pairing.list_sets)
app.command("record")(pairing.show_record)
app.command("replay")(pairing.replay_pairing_set)


@app.command("list")
def list_ladders(*, arena: Where = None, as_json: Json = False) -> None:
    """List the ladders.

    Example: maumau ladder list
    """
    with place.connect_matchmaking(arena) as link:
        found = link.ladders()
    if as_json:
        json_line(found)
        return
    from maumau.screen.table import table

    made = table("ladder", "rules", ">seats", ">bots", ">deal sets", ">epoch", "state")
    for one in found:
        counts = str(one.seats), str(one.members), f"{one.sets:,}", str(one.epoch)
        state = "rests" if one.rests else "waits" if one.words else "pairs"
        made.add_row(one.name, _describe_rules(one), *counts, state)
    show(made if found else "there is no ladder; an admin makes one with `maumau ladder create`")
    for one in found:
        if one.words:
            show(f"{one.name}: {plain(one.words)}")


@app.command("show")
def show_ladder(ladder: LadderName, *, arena: Where = None, as_json: Json = False) -> None:
    """Show the table of a ladder.

    Example: maumau ladder show prsi
    """
    with place.connect_matchmaking(arena) as link:
        found = link.leaderboard(ladder)
    if as_json:
        json_line(found)
        return
    show(
        describe_ladder(found),
        leaderboard_table(found.lines),
        *_list_legend(found),
        *_list_doubts(found),
        *list_proofs(found),
        *_explain_silence(found),
    )


@app.command("watch")
def watch_ladder(
    ladder: LadderName,
    one: Annotated[
        str, typer.Argument(metavar="[PAIRING]", help="A pairing, whose deals to watch until it is over.")
    ] = "",
    *,
    lines: Annotated[bool, typer.Option("--plain", help="Print plain lines even in a terminal.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Watch the table of a ladder until Ctrl-C, or the deals of a pairing; without a terminal, as lines.

    Example: maumau ladder watch prsi
    """
    from maumau.cli.contest import watch

    with place.connect_matchmaking(arena) as link:
        if as_json:
            for found in link.watch_pairing(ladder, one) if one else link.watch(ladder):
                json_line(found)
            return
        if one:
            watch.follow_pairing(link, ladder, one, lined=lines)
            return
        out = console()
        if has_pictures(out) and not lines:
            _draw_changes(link.watch(ladder))
        else:
            _print_changes(link.watch(ladder))


@app.command("join")
def join_ladder(
    ladder: LadderName,
    bot: BotName,
    *,
    pinned: Annotated[
        bool, typer.Option(help="Anchor the scale with the bot: the mean of all anchors is 0 (admins only).")
    ] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Have a bot paired on a ladder from now on, with whichever version of it is active.

    Example: maumau ladder join prsi my-bot
    """
    with place.connect_matchmaking(arena) as link:
        number = link.join(ladder, bot, pinned=pinned)
    if as_json:
        json_line({"ladder": ladder, "bot": bot, "number": number})
    else:
        show(f"{bot} is on the ladder {ladder}; `maumau ladder watch {ladder}` shows the table as it moves")


@app.command("leave")
def leave_ladder(ladder: LadderName, bot: BotName, *, arena: Where = None, as_json: Json = False) -> None:
    """Take a bot off a ladder; its results stay.

    Example: maumau ladder leave prsi my-bot
    """
    with place.connect_matchmaking(arena) as link:
        link.leave(ladder, bot)
    if as_json:
        json_line({"ladder": ladder, "bot": bot})
    else:
        show(f"{bot} is no longer on the ladder {ladder}")


@app.command("epochs")
def list_epochs(ladder: LadderName, *, arena: Where = None, as_json: Json = False) -> None:
    """List the epochs of a ladder: commitments, and the secrets of past epochs.

    Example: maumau ladder epochs prsi
    """
    with place.connect_matchmaking(arena) as link:
        found = link.epochs(ladder)
    if as_json:
        json_line(found)
        return
    for one in found:
        results = count_things(one.booked, "result")
        secret = f", secret {one.secret}" if one.secret else ""
        compared = f", compared {one.compared}" if one.compared else ""
        chain = f", chain {one.chain}" if one.chain and not compared else ""
        told = f"{one.state}, {results}, commitment {one.commitment}{secret}{chain}{compared}"
        show(f"epoch {one.number}: {told}")
    if not found:
        show("no epoch has begun yet; the first one begins with the second bot")


@app.command("export")
def export_epoch(
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
    from maumau.cli.shared import export

    with place.connect_matchmaking(arena) as link:
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


@app.command("create")
def create_ladder(
    name: Annotated[str, typer.Argument(help="The ladder's name: a-z, 0-9, - and _.")],
    *,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    seats: Annotated[int, typer.Option(min=2, max=10, help="How many sit at a table.")] = 2,
    author_bots: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Bots of one author at once; two if left out.")
    ] = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Make a ladder (admins only). Of one that exists with the same rules only --author-bots is changed.

    Example: maumau ladder create prsi --rules prsi

    Example: maumau ladder create prsi-4 --rules prsi --seats 4
    """
    rules = game.name_rules(variant, options)
    with place.connect_matchmaking(arena) as link:
        found = link.create(name, rules.name, rules.options_json, rules.variant_toml, seats, author_bots or 0)
    if as_json:
        json_line(found)
    else:
        show(f"the ladder {found.name} is open; `maumau ladder join {found.name} BOT` adds a bot")


def leaderboard_table(lines: Iterable[LeaderboardLine]) -> Fitted:
    """Return a ladder's table, as wide as there is room."""
    from maumau.screen.table import Fitted

    shown = list(lines)
    return Fitted(lambda width: _leaderboard_table(shown, width))


def _leaderboard_table(lines: list[LeaderboardLine], width: int) -> Table:
    from maumau.screen.table import MEDIUM, WIDE, table

    more = [">places", ">best"] if width >= MEDIUM else []
    most = [">faults", "author"] if width >= WIDE else []
    made = table(">#", "bot", ">rating", ">95 %", ">sets", *more, *most)
    for line in lines:
        name = f"{line.bot_name} {PINNED_MARK}" if line.pinned else line.bot_name
        cells = [str(line.place or ""), name, *_rating_cells(line), f"{line.sets:,}"]
        if more:
            cells += [_describe_places(line), f"{line.best:.0%}" if line.sets else ""]
        if most:
            cells += [f"{line.faults:,}", line.account_name]
        made.add_row(*cells)
    return made


def _rating_cells(line: LeaderboardLine) -> tuple[str, str]:
    from maumau.screen.table import rating_cells

    return rating_cells(line.elo, line.low, line.high, line.sets)


def _describe_places(line: LeaderboardLine) -> str:
    if not line.place:
        return ""
    if line.best_place == line.worst_place:
        return str(line.best_place)
    return f"{line.best_place} to {line.worst_place}"


def describe_ladder(found: GetLeaderboardResponse) -> str:
    """Return the line above a table: rules, deal sets and epoch."""
    ladder = found.ladder
    if not ladder:
        return ""
    seats = f" at {ladder.seats} seats" if ladder.seats > TWO else ""
    sets = count_things(ladder.sets, "deal set")
    return f"{ladder.name}: {_describe_rules(ladder)}{seats}, {sets}, epoch {ladder.epoch}"


def list_proofs(found: GetLeaderboardResponse) -> Iterator[str]:
    """Yield the hashes for `maumau verify --compared`: the newest link, and the digest of the last export."""
    if found.ladder and found.ladder.chain:
        yield f"epoch {found.ladder.epoch}: chain {found.ladder.chain}"
    if found.ladder and found.ladder.compared:
        yield f"epoch {found.ladder.ended}: compared {found.ladder.compared}"


def _list_legend(found: GetLeaderboardResponse) -> Iterator[str]:
    if any(line.pinned for line in found.lines):
        yield PINNED_LEGEND


def _explain_silence(found: GetLeaderboardResponse) -> Iterator[str]:
    """Yield the reasons why nobody, or a bot, is not being paired."""
    if found.ladder and found.ladder.words:
        yield f"nobody is paired just now: {found.ladder.words}"
    for line in found.lines:
        if line.words:
            yield f"{line.bot_name} is not paired just now: {plain(line.words)}"


def _list_doubts(found: GetLeaderboardResponse) -> Iterator[str]:
    """Yield a line for each bot whose discounted sets would move it beyond its interval."""
    for line in found.lines:
        if abs(line.discounted_elo) > (line.high - line.low) / 2:
            yield (
                f"{line.bot_name}: {line.discounted_sets:,.0f} of {line.sets:,} sets do not count: their"
                " score is far from what both bots have against others; with them its rating would be"
                f" {line.elo + line.discounted_elo:+z.0f}"
            )


def _describe_rules(ladder: Ladder) -> str:
    if not ladder.rules:
        return ""
    options = json.loads(ladder.rules.options_json or "{}")
    return ", ".join([ladder.rules.name, *(f"{name} = {value}" for name, value in options.items())])


def _draw_changes(news: Iterator[GetLeaderboardResponse]) -> None:
    """Show a table that is kept up to date."""
    from rich.console import Group
    from rich.live import Live

    with Live(console=console(), auto_refresh=False) as live:
        shown = 0.0
        for found in news:
            if time.monotonic() - shown >= FRESH:
                shown = time.monotonic()
                proofs = list_proofs(found)
                picture = Group(
                    describe_ladder(found), leaderboard_table(found.lines), *_list_legend(found), *proofs
                )
                live.update(picture, refresh=True)


def _print_changes(news: Iterator[GetLeaderboardResponse]) -> None:
    before: dict[str, int] = {}
    proofs: set[str] = set()
    for found in news:
        for proof in list_proofs(found):
            if proof not in proofs:
                show(proof)
        proofs = set(list_proofs(found))
        rated = {name_version(line.bot_name, line.version): line for line in found.lines if line.sets}
        for name, line in rated.items():
            if before.get(name) != line.place:
                rating = " ".join(_rating_cells(line)).strip()
                show(f"{line.place}. {name} {rating}, {count_things(line.sets, 'deal set')}")
        before = {name: line.place for name, line in rated.items()}


app.command("live")(live_ladder.live_ratings)
