"""`maumau seat`: a person plays at a live table, in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli.player.hosting import (
    TablePlan,
    choose_house,
    make_plan,
    open_table,
    read_house,
    write_command,
)
from maumau.cli.player.terminal import Looks, play_seat, read_line
from maumau.cli.shared import game, place
from maumau.screen.keys import forget_keys
from maumau.screen.output import INTERRUPTED, Json, Style, Where, json_line, show

if TYPE_CHECKING:
    from maumau.cli.player.beginning import Beginning
    from maumau.client.live import Seat, Tables
    from maumau.game import Rules

AGAIN = "Enter: next {} · q: leave"

House = Annotated[
    bool, typer.Option("--house", help="Let house bots of the arena sit in the other seats, at once.")
]
Against = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES", help="House bots to play against, such as greedy,rollout; implies --house."
    ),
]
Start = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FILE@EVENT",
        help="Play a recorded deal on, from before this event as `maumau review` counts them; without @EVENT"
        " from its first card. With a variant of your own, name its file, too.",
    ),
]
OwnSeat = Annotated[
    str | None, typer.Option("--as", metavar="SEAT", help="With --from: the seat to take, such as B.")
]
Token = Annotated[str | None, typer.Option(metavar="TOKEN", help="Join a table with the token of a seat.")]
OwnCalls = Annotated[
    bool, typer.Option("--own-calls", help="Make the calls yourself: add ! or !! to your action.")
]
Raw = Annotated[bool, typer.Option("--raw", help="Show notation instead of words, all actions in one list.")]
Target = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="POINTS",
        help="Play deal after deal until somebody has this many points, such as 100.",
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(min=1, help="Play this many deals, one after the other, and say who has won."),
]
Bots = Annotated[
    list[str] | None,
    typer.Option("--bot", help="A bot for a further seat: a house bot's name or a folder; repeatable."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("seat")(take_seat)


def take_seat(  # noqa: PLR0913 - a flag for everything that may be chosen
    variant: Annotated[str | None, typer.Argument(help="The variant, such as mau_mau or prsi.")] = None,
    *,
    house: House = False,
    against: Against = None,
    bots: Bots = None,
    table: Token = None,
    start: Start = None,
    own_seat: OwnSeat = None,
    seats: game.Seats = None,
    options: game.Options = None,
    target: Target = None,
    rounds: Rounds = None,
    bank: game.Bank = 300,
    increment: game.Increment = 5,
    window: game.Window = 15,
    own_calls: OwnCalls = False,
    raw: Raw = False,
    suits: Annotated[Style, typer.Option(help="The suits to draw cards with.")] = Style.FRENCH,
    tier: game.Tier = "auto",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Play at a live table yourself: against house bots, or with friends to whom you give the tokens shown.

    Type the number of a choice, or the card; ? shows the rules. With --json, messages appear on stdout
    and replies are read from stdin, as docs/reference/protocol.md has them. With --from a deal that has been
    played goes on at a table of your own, against house bots; it counts nowhere.

    Example: maumau seat prsi --house
    """
    is_game = bool(target or rounds)
    _check_table(variant, start, table, own_seat, is_shaped=bool(seats or options))
    if is_game and (variant is None or start or as_json):
        raise typer.BadParameter("--target and --rounds need a table of your own, without --from and --json")
    level, looks = read_house(against), Looks(suits, own_calls, raw)
    beginning = _read_start(start, own_seat, variant) if start else None
    with place.connect_tables(arena) as tables:
        if table is not None:
            _play_token(tables, table, looks, arena, as_json=as_json)
            return
        rules, size = _choose_rules(beginning, variant, options, seats, target, rounds)
        if not level and (house or (beginning and not bots)):
            level = choose_house(rules, size, bots or [], arena)
        plan = make_plan(rules, size, bots or [], level, (bank, increment, window), tier, beginning)
        if is_game and plan.has_friends:
            raise typer.BadParameter("--target and --rounds are for games against bots: add --house")
        _host_deals(tables, plan, looks, arena, as_json=as_json, is_game=is_game)


def _check_table(
    variant: str | None, start: str | None, table: str | None, own_seat: str | None, *, is_shaped: bool
) -> None:
    """Raise BadParameter unless one table is named. is_shaped: its seats or options are given, too."""
    if (variant is None and start is None) == (table is None):
        raise typer.BadParameter("name a variant, a record with --from, or a table with --table TOKEN")
    if own_seat and not start:
        raise typer.BadParameter("--as names the seat of a record, which --from names")
    if start and is_shaped:
        raise typer.BadParameter("a record has its seats and options: leave yours out with --from")


def _choose_rules(
    beginning: Beginning | None,
    variant: str | None,
    options: list[str] | None,
    seats: int | None,
    target: int | None,
    rounds: int | None,
) -> tuple[Rules, int | None]:
    """Return the rules of a table of one's own, and its seats: a record's, or those that were chosen."""
    from maumau.cli.player.tally import set_goal

    if beginning:
        return beginning.rules, beginning.seats
    return set_goal(game.load_rules(variant or "", options), target, rounds), seats


def _read_start(given: str, seat: str | None, variant: str | None) -> Beginning:
    from maumau.cli.player.beginning import read_beginning

    own = game.load_rules(variant, None) if variant else None
    if own and not own.text:
        raise typer.BadParameter("with --from only a variant of your own is named: a record has its rules")
    return read_beginning(given, seat, own)


def _host_deals(
    tables: Tables, plan: TablePlan, looks: Looks, arena: str | None, *, as_json: bool, is_game: bool = False
) -> None:
    """Play one deal, and against bots as many more as are wanted, each at a table of its own.

    is_game: without a terminal, too, deals are played until the game is over.
    """
    from maumau.cli.player.tally import DealTally, find_goal

    goal = None if plan.beginning else find_goal(plan.rules, plan.seats)
    tally, score, number = DealTally(goal), "", 0
    while True:
        with open_table(tables, plan, number, arena, as_json=as_json) as (token, players):
            end = _play_token(tables, token, looks, arena, as_json=as_json, score=score)
        asks = sys.stdin.isatty()
        if end is None or plan.has_friends or as_json or not (asks or is_game):
            return
        number += 1
        tally.add(players, end)
        score = str(tally)
        show(score)
        if is_over := tally.is_over:
            show(tally.tell_winner())
            tally, score = DealTally(goal), ""
        if not (_ask_again("game" if is_over else "deal") if asks else not is_over):
            return


def _ask_again(what: str) -> bool:
    """Return True if another deal or game is wanted; keys pressed for the deal that is over do not count."""
    forget_keys()
    show(AGAIN.format(what))
    try:
        return read_line().lower() not in ("q", "quit", "n", "no")
    except (EOFError, KeyboardInterrupt):
        return False


def _play_token(
    tables: Tables, token: str, looks: Looks, arena: str | None, *, as_json: bool, score: str = ""
) -> dict[str, Any] | None:
    """Play one seat to the end of its deal; return how that ended, None if it is not known."""
    with tables.sit(token, news=not as_json) as taken:
        if as_json:
            _speak_protocol(taken)
            return None
        with _way_back(token, arena):
            return play_seat(tables, taken, looks, score)


def _speak_protocol(seat: Seat) -> None:
    """Play as a program: a line for every message, replies from stdin."""
    for told in seat:
        json_line(told)
        if told.kind == "line" and "ask" in told.view:
            line = sys.stdin.readline()
            if not line:
                return
            seat.reply(told.cursor, line.strip())


@contextmanager
def _way_back(token: str, arena: str | None) -> Iterator[None]:
    """Tell a player who leaves a table that goes on how to come back."""
    try:
        yield
    except (KeyboardInterrupt, EOFError) as left:
        interrupted = isinstance(left, KeyboardInterrupt)
        why = "You have left the table" if interrupted else "The input has ended, so you have left the table"
        back = write_command(place.find_arena(arena), token)
        show(f"\n{why}, which goes on without you. Come back with:", back)
        raise typer.Exit(INTERRUPTED if interrupted else 1) from None
