"""`maumau seat`: a person plays at a live table, in the terminal."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from maumau.cli.player.hosting import (
    TablePlan,
    choose_house,
    make_plan,
    open_table,
    read_house,
    write_command,
)
from maumau.cli.shared import game, place
from maumau.errors import MaumauError
from maumau.screen.keys import forget_keys, wait_for_key
from maumau.screen.output import INTERRUPTED, Json, Style, Where, console, has_pictures, json_line, show

if TYPE_CHECKING:
    from maumau.cli.player.beginning import Beginning
    from maumau.cli.player.sitting import Sitting
    from maumau.client.live import Seat, Table, Tables, Told
    from maumau.game import Rules

TICK = 0.25  # seconds between two pictures, for the clocks
AGAIN = "Enter: next {} · q: leave"

Keys = Callable[[], list[str]]
News = queue.Queue["Told | Exception | None"]
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


class Looks(NamedTuple):
    """Display options of a table: the suits, and the flags of `Sitting`."""

    suits: Style
    own_calls: bool
    raw: bool


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
        return _read_line().lower() not in ("q", "quit", "n", "no")
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
            return _play_screen(tables, taken, looks, score)


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


def _play_screen(tables: Tables, seat: Seat, looks: Looks, score: str) -> dict[str, Any]:
    from maumau.cli.player.sitting import Sitting
    from maumau.screen.picture import STYLES

    sitting = Sitting(STYLES[looks.suits], own_calls=looks.own_calls, raw=looks.raw)
    sitting.score = score
    news: News = queue.Queue()
    listen = partial(copy_context().run, _listen_to_table, tables, seat, news)
    threading.Thread(target=listen, daemon=True).start()
    if has_pictures(console()) and sys.stdin.isatty():
        _with_pictures(seat, sitting, news)
    else:
        _with_lines(seat, sitting, news)
    sitting.turn_page(close=True)
    show(*sitting.lines())
    if sitting.end is None:
        raise typer.Exit(1)
    return sitting.end


def _listen_to_table(tables: Tables, seat: Seat, news: News) -> None:
    waiting: Table | None = None  # the table as it was before everybody had come
    try:
        for told in seat:
            if told.table is not None:
                waiting = told.table if told.table.state == "waiting" else None
            elif waiting and told.kind in ("line", "news") and "counts" in told.view:
                _tell_names(tables, waiting, told, news)
                waiting = None
            news.put(told)
        news.put(None)
    except Exception as error:  # noqa: BLE001 - told to whoever plays
        news.put(error)


def _tell_names(tables: Tables, waiting: Table, told: Told, news: News) -> None:
    """Tell who has come, for those who joined later; only accounts may ask, others go on without."""
    from msgspec.structs import replace

    with suppress(MaumauError):
        found = tables.table(waiting.id)
        news.put(replace(told, kind="table", table=found, view={}))


def _take_in(sitting: Sitting, news: News, *, wait: bool) -> bool:
    """Hears what there is; whether more may come."""
    while wait or not news.empty():
        told = news.get()
        wait = False
        if isinstance(told, Exception):
            raise told
        if told is None:
            return False
        sitting.hear(told)
    return True


def _submit_line(seat: Seat, sitting: Sitting, typed: str) -> None:
    """Send what a typed line means, or take the step that it is."""
    chosen = sitting.choose(typed)
    if chosen.line:
        cursor = sitting.cursor
        sitting.answer()
        seat.reply(cursor, chosen.line)
    else:
        sitting.words = chosen.words
    if chosen.wants_rules:
        sitting.open_rules()


def _with_lines(seat: Seat, sitting: Sitting, news: News) -> None:
    """Play without a terminal: show the table before each question, read an answer from each line."""
    while _take_in(sitting, news, wait=True):
        if sitting.question:
            show(*sitting.lines())
            _submit_line(seat, sitting, _read_line())
            while sitting.question:  # it was no choice, or the first part of one
                _show_more(sitting)
                _submit_line(seat, sitting, _read_line())


def _show_more(sitting: Sitting) -> None:
    """Show what was asked for, why a line was no choice, or what is still to be chosen."""
    if sitting.is_reading:
        sitting.turn_page(close=True)
        show(*sitting.list_rules())
    elif sitting.words:
        show(sitting.words)
    else:
        show(*sitting.lines())


def _read_line() -> str:
    """Return the next line of stdin; raise EOFError if there is none."""
    if not (line := sys.stdin.readline()):
        raise EOFError
    return line.strip()


def _with_pictures(seat: Seat, sitting: Sitting, news: News) -> None:
    from maumau.screen.keys import pressed

    sitting.has_keys = True
    with pressed() as keys:
        if _await_deal(sitting, news, keys):
            _draw_screen(seat, sitting, news, keys)


def _read_keys(keys: Keys) -> list[str]:
    """Return the keys pressed until the next picture is due; raise EOFError at the end of input."""
    if not wait_for_key(TICK):
        return []
    if not (found := keys()):
        raise EOFError
    return found


def _await_deal(sitting: Sitting, news: News, keys: Keys) -> bool:
    """Show the commands for the others until all have come; return True if there is a deal to draw."""
    said = ""
    while _take_in(sitting, news, wait=False):
        if sitting.has_begun:
            return True
        if sitting.words != said:
            show(said := sitting.words)
        _read_keys(keys)
    return False


def _draw_screen(seat: Seat, sitting: Sitting, news: News, keys: Keys) -> None:
    from rich.console import Group

    typed = ""
    with console().screen() as screen:
        while _take_in(sitting, news, wait=False):
            sitting.fit(*console().size)
            screen.update(Group(*sitting.lines(typed)))
            for key in _read_keys(keys):
                typed = _press_key(seat, sitting, typed, key)


def _press_key(seat: Seat, sitting: Sitting, typed: str, key: str) -> str:
    """Do what a key says; return what stands in the line after it."""
    if sitting.is_reading:
        sitting.turn_page(close=key in ("q", "\x1b", "?"))
        return typed
    if key == "?" and not typed:
        sitting.open_rules()
        return typed
    if key == "\x1b" and not typed:
        sitting.step_back()
    if key in "\r\n":
        _submit_line(seat, sitting, typed)
        return ""
    return edit_line(typed, key)


def edit_line(typed: str, key: str) -> str:
    """Return the typed text after a key."""
    if key in ("\x7f", "\b"):
        return typed[:-1]
    if key in ("\x15", "\x1b"):
        return ""
    return typed + key if len(key) == 1 and key.isprintable() and len(typed) < 60 else typed
