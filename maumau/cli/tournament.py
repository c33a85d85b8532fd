"""`maumau tournament …`: make, enter, steer, look, watch, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game, place
from maumau.cli.output import Json, Where, json_line, plain, show, warn
from maumau.cli.preview import show_preview

if TYPE_CHECKING:
    from maumau.answer import Tournament

app = typer.Typer(help="Make, enter, watch and export tournaments.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The name or id of the tournament.")]
Previewed = Annotated[
    bool, typer.Option("--preview", help="Only show what would change; nothing is changed.")
]
Stages = Annotated[
    list[str] | None,
    typer.Option(
        "--stage", metavar="FORMAT", help="Add a stage: round_robin or single_elimination; repeatable."
    ),
]
BotName = Annotated[str, typer.Argument(metavar="BOT", help="The name of a bot with an active version.")]
EnteredBot = Annotated[str, typer.Argument(metavar="BOT", help="The name of a bot that has entered.")]


@app.command()
def create(  # noqa: PLR0913 - as many flags as a spec has keys
    spec: Annotated[
        Path | None, typer.Argument(help="A spec in TOML (`-` reads stdin); without one, use the flags.")
    ] = None,
    *,
    name: Annotated[str | None, typer.Option(help="The name of the tournament.")] = None,
    rules: Annotated[
        str | None, typer.Option(help="The variant, such as mau_mau, or the .toml file of one of your own.")
    ] = None,
    options: game.Options = None,
    stages: Stages = None,
    third_place: Annotated[bool, typer.Option("--third-place", help="Add a match for third place.")] = False,
    block: Annotated[int | None, typer.Option(help="Number of deal sets in a block.")] = None,
    cap: Annotated[int | None, typer.Option(help="Maximum number of deal sets in a match.")] = None,
    secret: Annotated[
        str | None, typer.Option(help="The secret that all deals come from; by default a random one.")
    ] = None,
    open_now: Annotated[bool, typer.Option("--open", help="Open the entries at once.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Make a tournament from a spec file or from flags.

    docs/contest.md explains every key of a spec.

    Example: maumau tournament create --name cup --rules prsi --stage round_robin --open
    """
    from maumau.cli import spec as written

    flags = written.Flags(
        name=name, rules=rules, options=options or [], stages=stages or [], third_place=third_place,
        block=block, cap=cap, secret=secret,
    )  # fmt: skip
    text = written.text(spec, flags)
    with place.connect(arena) as link:
        made = link.create(text)
        if open_now:
            made = link.open(made.id)
    _answer(made, as_json=as_json)


@app.command()
def edit(
    tournament: Name,
    spec: Annotated[Path, typer.Argument(help="The whole new spec in TOML (`-` reads stdin).")],
    *,
    preview: Previewed = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Replace the spec of a tournament whose entries are not yet open.

    The secret and its commitment stay unless the spec gives another secret.

    Example: maumau tournament edit cup cup.toml
    """
    from maumau.cli import spec as written

    text = written.text(spec, written.Flags())
    if preview:
        show_preview("EditTournament", arena, as_json=as_json, tournament=tournament, spec_toml=text)
        return
    with place.connect(arena) as link:
        now = link.edit(tournament, text)
    _answer(now, as_json=as_json)


@app.command("open")
def open_entries(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Open a tournament for entries.

    Example: maumau tournament open cup
    """
    _steer("open", tournament, arena, as_json=as_json)


@app.command()
def start(
    tournament: Name, *, preview: Previewed = False, arena: Where = None, as_json: Json = False
) -> None:
    """Close the entries and begin to play, at once or when the entrants' nonces are opened.

    Example: maumau tournament start cup
    """
    from maumau.cli.nonce import open_kept

    if preview:
        show_preview("Start", arena, as_json=as_json, tournament=tournament)
        return
    with place.connect(arena) as link:
        now = link.start(tournament)
        if now.state == "open":  # one's own nonces need not be waited for
            open_kept(link)
            now = link.tournament(now.id)
    _answer(now, as_json=as_json)


@app.command()
def pause(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Pause a tournament: blocks being played are finished, no new ones begin.

    Example: maumau tournament pause cup
    """
    _steer("pause", tournament, arena, as_json=as_json)


@app.command()
def resume(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Resume a tournament after a pause.

    Example: maumau tournament resume cup
    """
    _steer("resume", tournament, arena, as_json=as_json)


@app.command()
def cancel(
    tournament: Name, *, preview: Previewed = False, arena: Where = None, as_json: Json = False
) -> None:
    """Cancel a tournament: it ends without a winner.

    Example: maumau tournament cancel cup
    """
    if preview:
        show_preview("Cancel", arena, as_json=as_json, tournament=tournament)
        return
    _steer("cancel", tournament, arena, as_json=as_json)


@app.command()
def confirm(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """End the time for protests: the result is final.

    Example: maumau tournament confirm cup
    """
    _steer("confirm", tournament, arena, as_json=as_json)


@app.command()
def enter(
    tournament: Name,
    bot: BotName,
    *,
    given: Annotated[
        str | None, typer.Option("--nonce", help="The nonce to use, 64 hex digits, instead of a drawn one.")
    ] = None,
    without: Annotated[bool, typer.Option("--no-nonce", help="Enter without a nonce.")] = False,
    preview: Previewed = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Enter the active version of a bot, also in place of the version that has entered.

    The deals come from a nonce of yours, too: it is drawn and kept here, and opened after entries have
    closed, by whatever command you use then.

    Example: maumau tournament enter cup my-bot
    """
    from maumau.cli.nonce import draw_nonce
    from maumau.contest.seed import commitment

    if preview:
        show_preview("Enter", arena, as_json=as_json, tournament=tournament, bot_name=bot)
        return
    with place.connect(arena) as link:
        now = link.tournament(tournament)
        nonce = "" if without else draw_nonce(link.name, now.id, bot, given or "")
        entry = link.enter(tournament, bot, commitment(nonce) if nonce else "")
    if as_json:
        json_line(entry)
    else:
        show(f"{entry.bot_name} is entrant {entry.number} of {tournament}, with {entry.sha256[:12]}")
    warn(*now.warnings if nonce else ())


@app.command()
def withdraw(
    tournament: Name,
    bot: EnteredBot,
    *,
    preview: Previewed = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Withdraw a bot; once the tournament has started, it loses its open matches.

    Example: maumau tournament withdraw cup my-bot
    """
    if preview:
        show_preview("Withdraw", arena, as_json=as_json, tournament=tournament, bot_name=bot)
        return
    with place.connect(arena) as link:
        entry = link.withdraw(tournament, bot)
    if as_json:
        json_line(entry)
    else:
        show(f"{entry.bot_name} is withdrawn from {tournament}")


@app.command()
def disqualify(
    tournament: Name, bot: EnteredBot, *,
    reason: Annotated[str, typer.Option(help="Why, in one line; everybody can read it.")],
    preview: Previewed = False, arena: Where = None, as_json: Json = False,
) -> None:  # fmt: skip
    """Disqualify a bot: it loses all its matches, those decided too; later matches are played again.

    Example: maumau tournament disqualify cup my-bot --reason "it is the program of another entrant"
    """
    if preview:
        asked = {"tournament": tournament, "bot_name": bot, "reason": reason}
        show_preview("Disqualify", arena, as_json=as_json, **asked)
        return
    with place.connect(arena) as link:
        entry = link.disqualify(tournament, bot, reason)
    if as_json:
        json_line(entry)
    else:
        show(f"{plain(entry.bot_name)} is disqualified from {tournament}: {plain(entry.disqualified)}")


@app.command("list")
def list_all(*, arena: Where = None, as_json: Json = False) -> None:
    """List all tournaments, newest first.

    Example: maumau tournament list
    """
    from maumau.cli import report

    with place.connect(arena) as link:
        found = link.tournaments()
    if as_json:
        json_line(found)
    else:
        show(report.tournament_table(found), *report.remarks(found))


@app.command("show")
def show_one(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Show the state, the bracket and the table of a tournament.

    Example: maumau tournament show cup
    """
    from maumau.cli import report

    with place.connect(arena) as link:
        found = report.collect(link, tournament)
    if as_json:
        json_line(found)
    else:
        show(*report.parts(found))


@app.command()
def watch(
    tournament: Name,
    *,
    lines: Annotated[bool, typer.Option("--plain", help="Print plain lines even in a terminal.")] = False,
    deals: Annotated[
        bool, typer.Option("--deals", help="With `--plain`, also print each deal as it is played.")
    ] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Watch a tournament and its deals until it is over; with --json, each event is a line.

    Example: maumau tournament watch cup
    """
    from maumau.cli import watch

    with place.connect(arena) as link:
        if as_json:
            watch.as_json(link, tournament, deals=deals)
            return
        try:
            watch.follow(link, tournament, lined=lines, deals=deals)
        except KeyboardInterrupt:
            show(f"the tournament goes on; `maumau tournament watch {tournament}` follows it again")
            raise


@app.command()
def export(
    tournament: Name,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write, or `-`; by default NAME.export.jsonl."),
    ] = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Write the export of a finished tournament; `maumau verify` checks it.

    Example: maumau tournament export cup
    """
    from maumau.cli import export

    where = place.find(arena)
    with place.open_at(where, place.token(where)) as link:
        now = link.tournament(tournament)
        if str(out) == "-":
            export.to_stdout(link.export(now.id))
            return
        path = out or Path(f"{now.name}.export.jsonl")
        size = export.to_file(link.export(now.id), path)
    if as_json:
        json_line({"tournament": now.name, "path": str(path), "bytes": size})
    else:
        show(str(path))


def _steer(what: str, tournament: str, arena: str | None, *, as_json: bool) -> None:
    """A call that changes the tournament's state and answers with it."""
    with place.connect(arena) as link:
        now: Tournament = getattr(link, what)(tournament)
    _answer(now, as_json=as_json)


def _answer(now: Tournament, *, as_json: bool) -> None:
    from maumau.cli import report

    if as_json:
        json_line(now)
    else:
        show(report.headline(now))
    warn(*now.warnings)
