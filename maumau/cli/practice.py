"""`maumau practice`: a match in the arena that is not rated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game, place
from maumau.cli.output import Json, Where, json_line, plain, show

if TYPE_CHECKING:
    from maumau.answer import PracticeMatch


def add_to(parent: typer.Typer) -> None:
    """Registers the commands."""
    parent.command()(practice)


def practice(
    bot: Annotated[str, typer.Argument(help="Your bot, or the id of a version of yours.")],
    against: Annotated[str, typer.Argument(help="The bot to play against.")],
    *,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    sets: Annotated[int, typer.Option("-n", min=1, max=500, help="How many mirrored deals.")] = 100,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Play an unrated match in the arena between your bot and another one. Ctrl-C leaves it playing.

    Example: maumau practice my-bot greedy --rules prsi
    """
    rules = game.named(variant, options)
    with place.matchmaking(arena) as link:
        asked = link.practise(bot, against, rules, sets)
        try:
            last = _follow(link.watch_practice(asked.id), as_json=as_json)
        except KeyboardInterrupt:
            show(f"{asked.id} goes on in the arena")
            raise
    if not as_json:
        show(*_practised(last or asked))


def _follow(news: Iterator[PracticeMatch], *, as_json: bool) -> PracticeMatch | None:
    last = None
    for last in news:
        if as_json:
            json_line(last)
        else:
            game.say(f"{last.booked} of {last.sets} mirrored deals")
    return last


def _practised(one: PracticeMatch) -> Iterator[str]:
    rules = one.rules.name if one.rules else ""
    if not one.booked:
        yield f"{one.bot} has not played: {plain(one.words) or 'the match was ended'}"
        return
    yield (
        f"{one.bot} against {one.against}, {rules}: score {one.score:.3f} ({one.low:.3f} to {one.high:.3f}),"
        f" {one.booked:,} mirrored deals"
    )
    for name, count in ((one.bot, one.faults), (one.against, one.other_faults)):
        if count:
            first = f"; the first: {plain(one.words)}" if name == one.bot and one.words else ""
            yield f"{name} lost {count:,} {'deal' if count == 1 else 'deals'} by its own fault{first}"
