"""`maumau practice`: a match in the arena that is not rated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game, place
from maumau.cli.output import Json, Where, json_line, plain, show
from maumau.errors import BadRequest

if TYPE_CHECKING:
    from maumau.answer import PracticeMatch

TWO = 2  # seats of an ordinary table


def add_to(parent: typer.Typer) -> None:
    """Registers the commands."""
    parent.command()(practice)


def practice(
    bot: Annotated[str, typer.Argument(help="Your bot, or the id of a version of yours.")],
    against: Annotated[
        list[str],
        typer.Argument(metavar="AGAINST...", help="The bot to play against, or all others at the table."),
    ],
    *,
    seats: Annotated[
        int | None,
        typer.Option(min=2, max=10, help="How many sit at the table; by default all that are named."),
    ] = None,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    sets: Annotated[int, typer.Option("-n", min=1, max=500, help="How many mirrored deals.")] = 100,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Play an unrated match in the arena between your bot and others. Ctrl-C leaves it playing.

    Example: maumau practice my-bot greedy --rules prsi

    Example: maumau practice my-bot greedy counter hoarder --rules prsi --seats 4
    """
    _check_seats(seats, against)
    rules = game.named(variant, options)
    with place.matchmaking(arena) as link:
        asked = link.practise(bot, against[0], rules, sets, against[1:])
        try:
            last = _follow(link.watch_practice(asked.id), as_json=as_json)
        except KeyboardInterrupt:
            if not as_json:
                show("the match goes on in the arena; `maumau queue` lists it until it has been played")
            raise
    if not as_json:
        show(*_practised(last or asked))


def _check_seats(seats: int | None, against: Sequence[str]) -> None:
    if seats and seats != 1 + len(against):
        raise BadRequest(
            f"A table of {seats} takes {seats - 1} {'opponent' if seats == TWO else 'opponents'}; you named"
            f" {len(against)}: {', '.join(against)}."
        )


def _follow(news: Iterator[PracticeMatch], *, as_json: bool) -> PracticeMatch | None:
    last = None
    for last in news:
        if as_json:
            json_line(last)
        else:
            game.say(f"{last.booked} of {last.sets} deal sets")
    return last


def _practised(one: PracticeMatch) -> Iterator[str]:
    rules = one.rules.name if one.rules else ""
    if not one.booked:
        yield f"{one.bot} has not played: {plain(one.words) or 'the match was ended'}"
        return
    others = one.against, *one.more_against
    yield (
        f"{one.bot} against {', '.join(others)}, {rules}: score {one.score:.3f} ({one.low:.3f} to"
        f" {one.high:.3f}), {one.booked:,} {'mirrored deals' if len(others) == 1 else 'deal sets'}"
    )
    whose = "its own fault" if len(others) == 1 else "their own fault"
    for name, count in ((one.bot, one.faults), (", ".join(others), one.other_faults)):
        if count:
            first = f"; the first: {plain(one.words)}" if name == one.bot and one.words else ""
            fault = "its own fault" if name == one.bot else whose
            yield f"{name} lost {count:,} {'deal' if count == 1 else 'deals'} by {fault}{first}"
