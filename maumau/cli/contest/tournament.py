"""`maumau tournament …`: make, enter, steer, look, watch, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.contest.fairness import show_fairness
from maumau.cli.contest.preview import ask_first, show_preview
from maumau.cli.contest.protest import answer_protest, file_protest
from maumau.cli.contest.rehearse import rehearse_contest
from maumau.cli.contest.spec_command import (
    Name,
    Previewed,
    copy_tournament,
    create_tournament,
    edit_tournament,
    show_changed_tournament,
)
from maumau.cli.contest.trial import enter_when_passed, show_trial
from maumau.cli.shared import place, question
from maumau.cli.shared.question import Yes
from maumau.errors import (
    ArenaUnreachable,
    DeadlinePassed,
    ExpiredToken,
    MaumauError,
    MissingToken,
    NotAllowed,
    RevokedToken,
    UnknownToken,
)
from maumau.screen.contest.confirmation import say_confirm
from maumau.screen.output import Json, Where, json_line, plain, show, warn

if TYPE_CHECKING:
    from maumau.client.answer import Tournament
    from maumau.client.arena import Arena

TURNED_AWAY = (ExpiredToken, RevokedToken, UnknownToken)
"""Errors of a token that no call accepts."""

app = typer.Typer(help="Make, enter, watch and export tournaments.", no_args_is_help=True)
app.command("create")(create_tournament)
app.command("edit")(edit_tournament)
app.command("copy")(copy_tournament)
app.command("rehearse")(rehearse_contest)
app.command("trial")(show_trial)

BotName = Annotated[str, typer.Argument(metavar="BOT", help="The name of a bot with an active version.")]
EnteredBot = Annotated[str, typer.Argument(metavar="BOT", help="The name of a bot that has entered.")]
GivenNonce = Annotated[
    str | None, typer.Option("--nonce", help="The nonce to use, 64 hex digits, instead of a drawn one.")
]
NoNonce = Annotated[bool, typer.Option("--no-nonce", help="Enter without a nonce.")]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Do not wait for a validation that the tournament asks for.")
]


@app.command("open")
def open_entries(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Open a tournament for entries.

    Example: maumau tournament open cup
    """
    _change_state("open", tournament, arena, as_json=as_json)


@app.command("start")
def start_tournament(
    tournament: Name,
    *,
    now: Annotated[bool, typer.Option("--now", help="Do not wait for authors to confirm.")] = False,
    preview: Previewed = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Close the entries and begin to play, as soon as all authors have confirmed.

    Any `maumau` command of an author confirms, and so does opening the arena's page while logged in.

    Example: maumau tournament start cup
    """
    from maumau.cli.shared.nonce import open_kept

    if preview:
        show_preview("Start", arena, as_json=as_json, tournament=tournament, now=now)
        return
    with place.connect_arena(arena) as link:
        found = link.start(tournament, now=now)
        if found.state == "starting":  # one's own nonces need not be waited for
            open_kept(link)
            found = link.tournament(found.id)
    show_changed_tournament(found, as_json=as_json)


@app.command("pause")
def pause_tournament(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Pause a tournament: blocks being played are finished, no new ones begin.

    Example: maumau tournament pause cup
    """
    _change_state("pause", tournament, arena, as_json=as_json)


@app.command("resume")
def resume_tournament(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Resume a tournament after a pause.

    Example: maumau tournament resume cup
    """
    _change_state("resume", tournament, arena, as_json=as_json)


@app.command("cancel")
def cancel_tournament(
    tournament: Name,
    *,
    preview: Previewed = False,
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Cancel a tournament: it ends without a winner, for good.

    Example: maumau tournament cancel cup
    """
    if preview:
        show_preview("Cancel", arena, as_json=as_json, tournament=tournament)
        return
    ask_first("Cancel", arena, words=f"Cancel {tournament} for good?", yes=yes, tournament=tournament)
    _change_state("cancel", tournament, arena, as_json=as_json)


@app.command("confirm")
def confirm_result(
    tournament: Name,
    *,
    chain: Annotated[
        str, typer.Option(help="The `chain` of the result that you have seen; by default of the present one.")
    ] = "",
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """End the time for protests: the result is final.

    A result that was decided anew since you looked at it is not confirmed: `maumau tournament show NAME
    --json` tells `chain`.

    Example: maumau tournament confirm cup
    """
    with place.connect_arena(arena) as link:
        looked_at = chain or link.tournament(tournament).chain
        question.ask_first(
            f"Make the result of {tournament} final, so that nobody protests any more?", yes=yes
        )
        now = link.confirm(tournament, looked_at)
    show_changed_tournament(now, as_json=as_json)


@app.command("enter")
def enter_bot(
    tournament: Name,
    bot: BotName,
    *,
    given: GivenNonce = None,
    without: NoNonce = False,
    no_wait: NoWait = False,
    preview: Previewed = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Enter the active version of a bot, also in place of the version that has entered.

    The deals come from a random number of yours, too: it is drawn and kept here. Once entries have closed,
    any command that you use confirms that you are there and tells it to the arena.

    Example: maumau tournament enter cup my-bot
    """
    from maumau.cli.shared.nonce import draw_nonce
    from maumau.contest.seed import compute_commitment
    from maumau.screen.next_steps import own_command

    if preview:
        show_preview("Enter", arena, as_json=as_json, tournament=tournament, bot_name=bot)
        return
    with _confirm_without_nonces(place.connect_arena(arena)) as link:
        now = link.tournament(tournament)
        nonce = "" if without else draw_nonce(link.name, now.id, bot, given or "")
        commitment = compute_commitment(nonce) if nonce else ""
        entry = enter_when_passed(link, tournament, bot, commitment, wait=not no_wait)
    if as_json:
        json_line(entry)
    else:
        show(f"{entry.bot_name} is entrant {entry.number} of {tournament}, with {entry.sha256[:12]}")
        show(
            *say_confirm(entry, now.spec_toml),
            f"`{own_command()} tournament show {tournament}` shows what comes next",
        )


@app.command("withdraw")
def withdraw_bot(
    tournament: Name,
    bot: EnteredBot,
    *,
    preview: Previewed = False,
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Withdraw a bot; once the tournament has started, it loses its open matches.

    Example: maumau tournament withdraw cup my-bot
    """
    asked = {"tournament": tournament, "bot_name": bot}
    if preview:
        show_preview("Withdraw", arena, as_json=as_json, **asked)
        return
    ask_first("Withdraw", arena, words=f"Withdraw {bot} from {tournament}?", yes=yes, **asked)
    with _confirm_without_nonces(place.connect_arena(arena)) as link:
        entry = link.withdraw(tournament, bot)
    if as_json:
        json_line(entry)
    else:
        show(f"{entry.bot_name} is withdrawn from {tournament}")


@app.command("disqualify")
def disqualify_bot(
    tournament: Name,
    bot: EnteredBot,
    *,
    reason: Annotated[str, typer.Option(help="The reason, in one line; everybody can read it.")],
    preview: Previewed = False,
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Disqualify a bot: it loses all its matches, those decided too; later matches are played again.

    Example: maumau tournament disqualify cup my-bot --reason "it is the program of another entrant"
    """
    asked = {"tournament": tournament, "bot_name": bot, "reason": reason}
    if preview:
        show_preview("Disqualify", arena, as_json=as_json, **asked)
        return
    ask_first("Disqualify", arena, words=f"Disqualify {bot} from {tournament}?", yes=yes, **asked)
    with place.connect_arena(arena) as link:
        entry = link.disqualify(tournament, bot, reason)
    if as_json:
        json_line(entry)
    else:
        show(f"{plain(entry.bot_name)} is disqualified from {tournament}: {plain(entry.disqualified)}")


app.command("protest")(file_protest)
app.command("answer")(answer_protest)
app.command("fairness")(show_fairness)


@app.command("list")
def list_all(*, arena: Where = None, as_json: Json = False) -> None:
    """List all tournaments, newest first.

    Example: maumau tournament list
    """
    from maumau.screen.contest import report

    with _confirm_without_nonces(place.connect_arena(arena)) as link:
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
    from maumau.screen.contest import report

    with _confirm_without_nonces(place.connect_arena(arena)) as link:
        found = report.collect(link, tournament)
    if as_json:
        json_line(found)
    else:
        show(*report.parts(found))


@app.command("watch")
def watch_tournament(
    tournament: Name,
    *,
    lines: Annotated[bool, typer.Option("--plain", help="Print plain lines even in a terminal.")] = False,
    deals: Annotated[
        bool,
        typer.Option("--each-deal", "--deals", help="With `--plain`, also print each deal as it is played."),
    ] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Watch a tournament and its deals until it is over; with --json, each event is a line.

    Example: maumau tournament watch cup
    """
    from maumau.cli.contest import watch

    with _confirm_without_nonces(place.connect_arena(arena)) as link:
        if as_json:
            watch.as_json(link, tournament, deals=deals)
            return
        try:
            watch.follow_tournament(link, tournament, lined=lines, deals=deals)
        except KeyboardInterrupt:
            show(f"the tournament goes on; `maumau tournament watch {tournament}` follows it again")
            raise


@app.command("export")
def export_tournament(
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
    from maumau.cli.shared import export

    where = place.find_arena(arena)
    with place.open_at(where, place.choose_token(where)) as link:
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


def _confirm_without_nonces(link: Arena) -> Arena:
    """Let starts wait no longer for this author, whose nonces may be kept on another machine.

    If the arena fails to note that, the author is warned and the command goes on.
    """
    try:
        link.confirm_entries()
    except (ArenaUnreachable, DeadlinePassed, *TURNED_AWAY):
        raise
    except (MissingToken, NotAllowed):  # nobody has logged in, or somebody who enters no bots
        pass
    except MaumauError as error:
        warn(f"the arena could not note that you are there, and a start may wait for you: {error}")
    return link


def _change_state(what: str, tournament: str, arena: str | None, *, as_json: bool) -> None:
    """Make a call that changes the tournament's state, and show the result."""
    with place.connect_arena(arena) as link:
        now: Tournament = getattr(link, what)(tournament)
    show_changed_tournament(now, as_json=as_json)
