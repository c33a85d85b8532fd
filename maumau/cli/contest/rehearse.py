"""`maumau tournament rehearse`: a contest played many times by invented bots, before anybody has entered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.contest.spec_command import Decide, Rules, SpecFile, Stages
from maumau.cli.shared import game, place
from maumau.errors import BadRequest
from maumau.screen.output import Json, Where, json_line, plain, progress, show, warn

if TYPE_CHECKING:
    from maumau.contest.rehearsal.field import Field
    from maumau.contest.rehearsal.rehearse import Rehearsal, Settings
    from maumau.contest.spec.spec import Spec

NORMAL, LADDER = "normal", "ladder:"
BOTS, SPREAD = 16, 30.0

ThirdPlace = Annotated[bool, typer.Option("--third-place", help="Add a match for third place.")]
BlockSize = Annotated[int | None, typer.Option(help="Number of deal sets in a block.")]
Cap = Annotated[int | None, typer.Option(help="Maximum number of deal sets in a match.")]
FieldName = Annotated[
    str, typer.Option(metavar="FIELD", help="`normal`, or `ladder:NAME` for the bots of a ladder.")
]
BotCount = Annotated[
    int | None, typer.Option(help=f"How many bots; {BOTS} by default, of a ladder as many as may enter.")
]
Spread = Annotated[
    float | None, typer.Option(help=f"Standard deviation of normal strengths in Elo; {SPREAD:g} by default.")
]
Runs = Annotated[int, typer.Option(min=10, max=100_000, help="How often the contest is played.")]
Workers = Annotated[int, typer.Option(min=1, max=100_000, help="How many workers the arena has.")]
DealTime = Annotated[
    float | None,
    typer.Option(min=0.01, max=120_000, help="CPU time of a deal in ms; by default that of house bots."),
]
Variance = Annotated[
    float | None, typer.Option(help="Variance of a deal set; by default as measured for the variant.")
]
EqualSeed = Annotated[int, typer.Option(min=0, help="Equal seeds give equal forecasts.")]
Others = Annotated[bool, typer.Option(help="Compare with the other formats at equal cost.")]


def rehearse_contest(  # noqa: PLR0913 - a flag for everything that may be chosen
    spec: SpecFile = None,
    *,
    rules: Rules = None,
    options: game.Options = None,
    stages: Stages = None,
    third_place: ThirdPlace = False,
    block: BlockSize = None,
    cap: Cap = None,
    decide: Decide = None,
    field: FieldName = NORMAL,
    bots: BotCount = None,
    spread: Spread = None,
    runs: Runs = 500,
    workers: Workers = 1,
    ms_per_deal: DealTime = None,
    variance: Variance = None,
    seed: EqualSeed = 1,
    others: Others = True,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Forecast a contest: how likely the best bot is to win, and what it costs, beside the other formats.

    Nothing is sent to an arena; one is asked only for a ladder's ratings.

    Example: maumau tournament rehearse --rules prsi --stage single_elimination --bots 16 --workers 4
    """
    from maumau.cli.contest import spec as written
    from maumau.cli.contest.rehearsal_report import describe_rehearsal
    from maumau.contest.rehearsal.rehearse import DEAL_MS, Settings

    flags = written.Flags(
        name=None if spec else "rehearsal",
        rules=rules or (None if spec else "mau_mau"),
        options=options or [],
        stages=stages or [],
        third_place=third_place,
        block=block,
        cap=cap,
        decide=decide,
    )
    contest = read_contest(written.spec_text(spec, flags))
    players, words = choose_field(contest, field, bots, spread, arena)
    cost = ms_per_deal or DEAL_MS
    settings = Settings(
        runs=runs, seed=seed, variance=variance, ms_per_deal=cost, workers=workers, others=others
    )
    found = _run_rehearsal(contest, players, words, settings)
    if as_json:
        json_line(found)
    else:
        show(*describe_rehearsal(contest, found, stated=ms_per_deal is not None))


def read_contest(text: str) -> Spec:
    """Return the spec of a text that has been checked."""
    from maumau.contest.spec.spec import parse_spec

    return parse_spec(text)


def choose_field(
    contest: Spec, field: str, bots: int | None, spread: float | None, arena: str | None
) -> tuple[Field, str]:
    """Return the bots of the rehearsal, and a description of them."""
    from maumau.contest.rehearsal.field import NormalField

    if field.startswith(LADDER):
        if spread is not None:
            raise BadRequest("--spread belongs to normal strengths; a ladder has the spread of its ratings")
        return _read_ladder(contest, field.removeprefix(LADDER), bots, arena)
    if field != NORMAL:
        raise BadRequest(
            f"--field {field} is unknown; known: {NORMAL} and {LADDER}NAME, such as {LADDER}prsi"
        )
    if spread is None and contest.score == "points":
        warn(f"where points count ratings are closer together than the usual {SPREAD:g} Elo; give --spread")
    made = NormalField(BOTS if bots is None else bots, SPREAD if spread is None else spread)
    return made, f"{made.bots} bots with normally distributed strengths, spread {made.spread:g} Elo"


def _read_ladder(contest: Spec, name: str, bots: int | None, arena: str | None) -> tuple[Field, str]:
    """Return the best bots of a ladder, as many as wanted, else as may enter."""
    from maumau.contest.rehearsal.field import take_best
    from maumau.contest.statistics.rating import LADDER_SIGMA
    from maumau.contest.statistics.sequential import Z95

    unknown = (0.0, -Z95 * LADDER_SIGMA, Z95 * LADDER_SIGMA)  # without results: what a ladder takes of them
    with place.connect_matchmaking(arena) as link:
        found = link.leaderboard(name)
    ladder, rated = found.ladder, len(found.lines)
    if ladder and ladder.seats != contest.most_seats:
        wanted = "two" if contest.most_seats == contest.seats else str(contest.most_seats)
        words = f"its ratings say little about matches of {wanted}"
        raise BadRequest(f"the ladder {name} has tables of {ladder.seats}: {words}")
    if bots is not None and bots > rated:
        raise BadRequest(f"the ladder {name} has {rated} bots, not {bots}; give fewer with --bots")
    if ladder and ladder.rules and ladder.rules.name != contest.rules:
        warn(f"the ladder {name} plays {ladder.rules.name}, the contest {contest.rules}")
    lines = [(line.elo, line.low, line.high) if line.place else unknown for line in found.lines]
    best = take_best(lines, contest.entries.most if bots is None else bots)
    which = f"the best {best.bots} of {rated} bots" if best.bots < rated else f"the {rated} bots"
    return best, f"{which} of the ladder {plain(name)}, each drawn anew from the interval of its rating"


def _run_rehearsal(contest: Spec, players: Field, words: str, settings: Settings) -> Rehearsal:
    """Rehearse, with a bar on a terminal."""
    from maumau.contest.format import FORMATS
    from maumau.contest.rehearsal.rehearse import rehearse_contest as play

    total = settings.runs * (1 + len(FORMATS) * settings.others)
    with progress(f"rehearsing {contest.name}", total) as (bar, task):
        return play(contest, players, words, settings, lambda ended: bar.advance(task, ended))
