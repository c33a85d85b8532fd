"""`maumau practice`: a match in the arena that is not rated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import game, place
from maumau.contest.practice import MAX_SETS
from maumau.errors import BadRequest
from maumau.screen.output import Json, ProgressLines, Where, json_line, plain, show

if TYPE_CHECKING:
    from maumau.client.answer import PracticeMatch, RuleSet

DEFAULT = "mau_mau"
TWO = 2  # seats of an ordinary table

Own = Annotated[str, typer.Argument(help="Your bot, or the id of a version of yours.")]
Against = Annotated[
    list[str],
    typer.Argument(metavar="AGAINST...", help="The bot to play against, or all others at the table."),
]
SeatCount = Annotated[
    int | None,
    typer.Option(min=2, max=10, help="How many sit at the table; by default all that are named."),
]
SetCount = Annotated[
    int,
    typer.Option("--sets", "-n", min=1, max=MAX_SETS, help=f"How many mirrored sets, at most {MAX_SETS}."),
]


def add_to(parent: typer.Typer) -> None:
    """Register the commands."""
    parent.command("practice")(play_practice)


def play_practice(  # noqa: PLR0913 - a flag for everything that may be chosen
    bot: Own,
    against: Against,
    *,
    seats: SeatCount = None,
    variant: game.AnyVariant = None,
    options: game.Options = None,
    contest: game.Contest = None,
    ladder: game.Ladder = None,
    sets: SetCount = 100,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Play an unrated match in the arena between your bot and others. Ctrl-C leaves it playing.

    Example: maumau practice my-bot greedy --rules prsi

    Example: maumau practice my-bot greedy counter hoarder --rules prsi --seats 4

    Example: maumau practice my-bot greedy --contest class-cup
    """
    _check_seats(seats, against)
    if (contest or ladder) and (variant or options):
        raise BadRequest("Rules and options come from the contest or ladder; leave out --rules and --option.")
    is_named = not contest and not ladder
    rules = (
        game.name_rules(variant or DEFAULT, options)
        if is_named
        else game.read_rules_of(contest, ladder, arena)
    )
    _request_practice(bot, against, rules, sets, arena, as_json=as_json)


def _request_practice(
    bot: str, against: Sequence[str], rules: RuleSet, sets: int, arena: str | None, *, as_json: bool
) -> None:
    """Request a practice match, show its progress until it is over, and then its result."""
    with place.connect_matchmaking(arena) as link:
        asked = link.practise(bot, against[0], rules, sets, against[1:])
        try:
            last = _follow_progress(link.watch_practice(asked.id), as_json=as_json)
        except KeyboardInterrupt:
            if not as_json:
                show("the match goes on in the arena; `maumau practices list` tells how far it is")
            raise
    if not as_json:
        show(*_describe_practice(last or asked))
        if (last or asked).booked:
            show(f"`maumau practices sets {asked.id}` lists its deal sets")


def _check_seats(seats: int | None, against: Sequence[str]) -> None:
    if seats and seats != 1 + len(against):
        raise BadRequest(
            f"A table of {seats} takes {seats - 1} {'opponent' if seats == TWO else 'opponents'}; you named"
            f" {len(against)}: {', '.join(against)}."
        )


def _follow_progress(news: Iterator[PracticeMatch], *, as_json: bool) -> PracticeMatch | None:
    last, lines = None, ProgressLines("practice")
    for last in news:
        if as_json:
            json_line(last)
        else:
            lines.tell(_describe_progress(last))
    return last


def _describe_progress(one: PracticeMatch) -> str:
    """Return the number of sets played; before the first result, why one may have to wait."""
    wait = (
        ""
        if one.booked
        else "; beside tournaments it gets every fifth block, `maumau queue` lists what waits"
    )
    return f"{one.booked} of {one.sets} deal sets{wait}"


def _describe_practice(one: PracticeMatch) -> Iterator[str]:
    rules = one.rules.name if one.rules else ""
    bot, *others = one.full_names
    if not one.booked:
        yield f"{bot} has not played: {plain(one.words) or 'the match was ended'}"
        return
    yield (
        f"{bot} against {', '.join(others)}, {rules}: score {one.score:.3f} ({one.low:.3f} to"
        f" {one.high:.3f}), {one.booked:,} {'mirrored sets' if len(others) == 1 else 'deal sets'}"
    )
    whose = "its own fault" if len(others) == 1 else "their own fault"
    for name, count in ((bot, one.faults), (", ".join(others), one.other_faults)):
        if count:
            first = f"; the first: {plain(one.words)}" if name == bot and one.words else ""
            fault = "its own fault" if name == bot else whose
            yield f"{name} lost {count:,} {'deal' if count == 1 else 'deals'} by {fault}{first}"
