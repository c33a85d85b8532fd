"""`maumau review`: what each decision of a deal was worth, and what luck gave and took."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.screen.output import Json, Style, json_line, progress, show

if TYPE_CHECKING:
    from maumau.cli.shared.source import DealSource
    from maumau.game import Deal, Rules
    from maumau.review.review import Review

LEAST_SECONDS, MOST_SECONDS = 0.1, 600.0

Records = Annotated[
    Path, typer.Argument(help="A record of a deal, a deal set or a game, or an export; `-` reads stdin.")
]
SeatLetter = Annotated[str, typer.Option(help="The seat that is reviewed, such as B.")]
MatchLabel = Annotated[str | None, typer.Option(help="The match in an export, such as 1.2.1.")]
DealNumber = Annotated[
    int | None, typer.Option(min=0, help="The number of the deal; in an export, of the deal set.")
]
Seconds = Annotated[
    float,
    typer.Option(
        min=LEAST_SECONDS,
        max=MOST_SECONDS,
        help="CPU time for each deal, at most; four times as much halves the errors.",
    ),
]
EqualSeed = Annotated[str, typer.Option(help="Any text; the same one gives the same figures.")]
Suits = Annotated[Style, typer.Option(help="The suits to draw cards with.")]
OwnRules = Annotated[Path | None, typer.Option("--rules", help="The .toml file of your own variant.")]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("review")(review_record)


def review_record(  # noqa: PLR0913 - a flag for everything that may be chosen
    file: Records,
    *,
    seat: SeatLetter = "A",
    match: MatchLabel = None,
    deal: DealNumber = None,
    seconds: Seconds = 5.0,
    seed: EqualSeed = "",
    suits: Suits = Style.FRENCH,
    own: OwnRules = None,
    as_json: Json = False,
) -> None:
    """Say what each decision of a seat was worth, the costliest ones first, and what was luck.

    The chances are those that its player could know then: deals that agree with what the seat had seen are
    played on, the same ones for every action.

    Example: maumau review lost.record --seat B
    """
    from maumau.cli.shared.source import read_sources
    from maumau.errors import BadRecord
    from maumau.game import load_file
    from maumau.review.review import review_deal
    from maumau.screen.review import picture_review

    rules = load_file(own) if own else None
    found = read_sources(file, match, deal)
    with progress("Reviewing", len(found)) as (bar, task):
        for number, source in enumerate(found):
            try:
                stages, place = _open_stages(source, seat, rules)
                told = review_deal(stages, place, seconds=seconds, seed=seed)
            except BadRecord as error:
                raise BadRecord(f"{source.name}: {error}" if source.name else str(error)) from None
            bar.advance(task)
            if as_json:
                json_line(_as_json(told, source))
            else:
                show(*([""] if number else []), *picture_review(told, source.name, source.names, suits))


def _open_stages(
    source: DealSource, letter: str, rules: Rules | None
) -> tuple[Iterator[tuple[Deal, int]], int]:
    """Return the stages of a record and the number of the seat; BadFile if nobody sits there."""
    from maumau.errors import BadFile
    from maumau.game.notation.action import SEATS
    from maumau.game.replay import replay_stages

    stages = replay_stages(source.text, source.before, rules or source.own)
    first = next(stages)
    seats = SEATS[: first[0].seats]
    if len(letter) != 1 or letter.upper() not in seats:
        raise BadFile(f"nobody sits at {letter!r}: the seats are {' '.join(seats)}")
    return chain([first], stages), SEATS.index(letter.upper())


def _as_json(told: Review, source: DealSource) -> dict[str, object]:
    import msgspec

    where: dict[str, object] = {"deal": source.name, "names": list(source.names)}
    figures: dict[str, object] = msgspec.to_builtins(told)
    return {name: value for name, value in where.items() if value} | figures
