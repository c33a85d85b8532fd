"""`maumau tournament protest` and `answer`: protests against a result, and the answers to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.contest.spec_command import Name
from maumau.cli.shared import place
from maumau.screen.next_steps import own_command
from maumau.screen.output import Json, Where, json_line, plain, show

if TYPE_CHECKING:
    from maumau.client.answer import Protest, Tournament


def file_protest(
    tournament: Name,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The name of a bot of yours that has entered.")],
    *,
    text: Annotated[
        str, typer.Option(help="The protest and its reason, in one line; everybody can read it.")
    ],
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """File a protest against the result of a tournament, while it is decided but not final.

    The result is not final before the organiser has answered, or a week has passed.

    Example: maumau tournament protest cup my-bot --text "match 1.2.1 was played while the host was down"
    """
    with place.connect_arena(arena) as link:
        made = link.file_protest(tournament, bot, text)
    if as_json:
        json_line(made)
    else:
        show(
            f"protest {made.number} of {plain(made.bot_name)} was filed; the result waits for the answer",
            f"`{own_command()} tournament show {tournament}` shows it",
        )


def answer_protest(
    tournament: Name,
    number: Annotated[int, typer.Argument(min=1, help="The number of the protest.")],
    *,
    accept: Annotated[bool, typer.Option("--accept", help="Accept the protest.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Reject the protest.")] = False,
    text: Annotated[str, typer.Option(help="The reason, in one line; everybody can read it.")],
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Accept or reject a protest. What follows from one that is accepted is a command of its own.

    Example: maumau tournament answer cup 1 --reject --text "the host was up all day"
    """
    if accept == reject:
        raise typer.BadParameter("choose one of --accept and --reject")
    with place.connect_arena(arena) as link:
        given = link.answer_protest(tournament, number, text, accepted=accept)
        now = link.tournament(tournament)
    if as_json:
        json_line(given)
    else:
        show(f"protest {given.number} of {plain(given.bot_name)} is {given.state}", *_say_steps(given, now))


def _say_steps(given: Protest, now: Tournament) -> Iterator[str]:
    """Yield the commands that an accepted protest may ask for."""
    if given.state == "accepted" and now.state == "decided":
        command = f"`{own_command()}"
        yield f"next: {command} match retake {now.name} LABEL --reason …` plays a match again,"
        yield f"{command} tournament disqualify {now.name} BOT --reason …` takes a bot out,"
        yield f"{command} tournament cancel {now.name}` ends it without a winner"
