"""Entry into contests with mystery rules: the validation in variants that were made for them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from maumau.cli.shared import place
from maumau.errors import TrialPending
from maumau.screen.output import Json, Where, json_line, show, warn

if TYPE_CHECKING:
    from maumau.client.answer import Entry
    from maumau.client.arena import Arena

POLL_SECONDS: Final = 1.0


def enter_when_passed(link: Arena, tournament: str, bot: str, commitment: str, *, wait: bool) -> Entry:
    """Enter a bot; where it is validated for the tournament first, wait for that.

    Raises:
        TrialPending: It is being validated, and nobody waits for it.
    """
    told = False
    while True:
        try:
            return link.enter(tournament, bot, commitment)
        except TrialPending as pending:
            if not wait:
                raise
            if not told:
                warn(f"{pending} This command does so by itself; Ctrl-C ends only its waiting.")
            told = True
            time.sleep(POLL_SECONDS)


def show_trial(
    tournament: Annotated[str, typer.Argument(help="The name or id of the tournament.")],
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The name of a bot with an active version.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show how far the validation of a bot for a tournament with mystery rules is.

    Example: maumau tournament trial mystery-cup my-bot
    """
    from maumau.screen.contest.mystery import describe_trial, say_needless

    with place.connect_arena(arena) as link:
        found = link.trial(tournament, bot)
        is_unknown = found.state == "none" and not as_json
        is_needless = is_unknown and link.tournament(tournament).mystery is None
    if as_json:
        json_line(found)
    elif is_needless:
        show(say_needless(bot, tournament))
    else:
        show(*describe_trial(bot, tournament, found))
