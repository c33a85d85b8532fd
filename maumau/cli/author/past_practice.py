"""`maumau practices list`, `sets`, `record`, `replay`: one's own practice matches and their deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import place
from maumau.screen.output import Html, Json, Style, Where, json_line, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.client.answer import PracticeMatch

app = typer.Typer(
    help="Your practice matches: list them, look at their deal sets, step through the deals.",
    no_args_is_help=True,
)

PracticeId = Annotated[str, typer.Argument(metavar="ID", help="The id, as `maumau practices list` shows it.")]
SetNumber = Annotated[
    int, typer.Argument(metavar="SET", min=0, max=1_000_000, help="The number of the deal set, from 0.")
]


@app.command("list")
def list_practice(
    bot: Annotated[str, typer.Argument(metavar="[BOT]", help="Only those of this bot of yours.")] = "",
    *,
    most: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many to list.")] = 20,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List your practice matches, newest first, finished ones included.

    Example: maumau practices list my-bot -n 5
    """
    with place.connect_matchmaking(arena) as link:
        found = link.practice_matches(bot, most)
    if as_json:
        json_line(found)
        return
    from maumau.screen.table import Fitted

    none = f"your bot {bot} has no practice match yet" if bot else "you have no practice matches yet"
    nothing = f"{none}; `maumau practice` plays one"
    show(Fitted(lambda width: _practice_table(found, width)) if found else nothing)


@app.command("sets")
def list_sets(practice: PracticeId, *, arena: Where = None, as_json: Json = False) -> None:
    """List the deal sets of a practice match with their scores.

    Example: maumau practices sets practice_01kq3v8r2m
    """
    from maumau.screen.set_table import show_sets

    with place.connect_matchmaking(arena) as link:
        match = next(iter(link.watch_practice(practice)))
        found = link.practice_sets(practice)
    if as_json:
        json_line({"sets": found})
        return
    show_sets(
        found, match.distinct_names, f"no deal set of the practice match {practice} has been played yet"
    )


@app.command("record")
def show_record(
    practice: PracticeId, number: SetNumber, *, arena: Where = None, as_json: Json = False
) -> None:
    """Show how a deal set of a practice match was played, with your bot's notes.

    Example: maumau practices record practice_01kq3v8r2m 4
    """
    from maumau.screen.told import tell_set

    with place.connect_matchmaking(arena) as link:
        found = link.practice_set(practice, number)
    if as_json:
        json_line(found)
    else:
        show(*tell_set(found.set, found.distinct_names))


@app.command("replay")
def replay_practice_set(
    practice: PracticeId,
    number: SetNumber,
    *,
    seat: Annotated[str | None, typer.Option(help="Show only what this seat sees, such as B.")] = None,
    suits: Annotated[Style, typer.Option(help="The suits to draw cards with.")] = Style.FRENCH,
    html: Html = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Step through the deals of a set as `maumau replay` does; `n` and `p` change the seating.

    Example: maumau practices replay practice_01kq3v8r2m 4
    """
    from maumau.cli.shared.browser import replay_set, show_played

    with place.connect_matchmaking(arena) as link:
        found = link.practice_set(practice, number)
    rules = found.practice.rules if found.practice else None
    played = replay_set(found.set, found.distinct_names, rules, practice)
    show_played(played, seat, suits, html=html, as_json=as_json)


def _practice_table(found: Sequence[PracticeMatch], width: int) -> Table:
    from maumau.screen.table import WIDE, clock, table

    is_wide = width >= WIDE
    more = [">95 %", "rules", "when"] if is_wide else []
    made = table("practice", "bot", "against", ">score", ">sets", "state", *more)
    made.columns[0].no_wrap = True  # so that an id can be copied
    for one in found:
        score = f"{one.score:.3f}" if one.booked else ""
        bot, *others = one.full_names
        cells = [one.id, bot, ", ".join(others), score, f"{one.booked} of {one.sets}", one.state]
        if is_wide:
            interval = f"{one.low:.3f} to {one.high:.3f}" if one.booked else ""
            rules = one.rules.name if one.rules else ""
            cells += [interval, rules, clock(one.created_at)]
        made.add_row(*cells)
    return made
