"""`maumau seat`: a person plays at a live table, in the terminal."""

from __future__ import annotations

import queue
import select
import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli import game, place
from maumau.cli.output import INTERRUPTED, Json, Where, console, has_pictures, json_line, plain, show
from maumau.cli.replay import Style
from maumau.errors import ArenaUnreachable, BadDeal, MaumauError, NoArena, NoHouseBot

if TYPE_CHECKING:
    from maumau.cli.sitting import Sitting
    from maumau.game import Rules
    from maumau.live import Seat, Tables, Told

JOIN = 600.0  # seconds that friends have to come: a command has to reach them first
TICK = 0.25  # seconds between two pictures, for the clocks
HOUSE_BOT = "greedy"
THINK = 0.8  # seconds that a house bot waits, so that people can follow

Keys = Callable[[], list[str]]
House = Annotated[
    bool, typer.Option("--house", help="Let house bots of the arena sit in the other seats, at once.")
]
Token = Annotated[str | None, typer.Option(metavar="TOKEN", help="Join a table with the token of a seat.")]
OwnCalls = Annotated[
    bool, typer.Option("--own-calls", help="Make the calls yourself: add ! or !! to your action.")
]
Bots = Annotated[
    list[str] | None,
    typer.Option("--bot", help="A bot for a further seat: a house bot's name or a folder; repeatable."),
]


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(seat)


def seat(  # noqa: PLR0913 - a flag for everything that may be chosen
    variant: Annotated[str | None, typer.Argument(help="The variant, such as mau_mau or prsi.")] = None,
    *,
    house: House = False,
    bots: Bots = None,
    table: Token = None,
    seats: game.Seats = None,
    options: game.Options = None,
    bank: game.Bank = 300,
    increment: game.Increment = 5,
    window: game.Window = 15,
    own_calls: OwnCalls = False,
    suits: Annotated[Style, typer.Option(help="The suits to draw cards with.")] = Style.FRENCH,
    tier: game.Tier = "auto",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Play at a live table yourself: against house bots, or with friends to whom you give the tokens shown.

    Type the number of an action or its notation. With --json, messages as in docs/protocol.md
    appear on stdout, and replies are read from stdin.

    Example: maumau seat prsi --house
    """
    if (variant is None) == (table is None):
        raise typer.BadParameter("name a variant, or a table to join with --table TOKEN")
    with place.tables(arena) as tables, ExitStack() as stack:
        token = table or ""
        if variant:
            rules = game.rules(variant, options)
            here, clocks = list(bots or []), (bank, increment, window)
            count = _count_seats(rules, seats, here)
            invited = [HOUSE_BOT] * (count - 1 - len(here)) if house else []
            token, others = _set_up(tables, rules, count, here + invited, clocks)
            if invited and not _invite_house(arena, others[len(here) :]):
                here += invited
            stack.enter_context(_programs(tables, here, others[: len(here)], tier))
            _invite([] if house else others[len(here) :], as_json=as_json)
        sitting = stack.enter_context(tables.sit(token, news=not as_json))
        if as_json:
            _speak(sitting)
            return
        with _way_back(token, arena):
            _play(sitting, suits, own_calls=own_calls)


def _count_seats(rules: Rules, seats: int | None, bots: Sequence[str]) -> int:
    """As many as were asked for, else as few as there can be; BadDeal if that is no table."""
    from maumau.rulebook.named import check_seats

    count = seats or max(rules.seats[0], len(bots) + 1)
    check_seats(rules, count)
    if len(bots) >= count:
        room = "1 bot" if count == 2 else f"{count - 1} bots"
        raise BadDeal(f"A table of {count} has room for {room} besides you, not {len(bots)}.")
    return count


def _set_up(
    tables: Tables, rules: Rules, seats: int, names: Sequence[str], clocks: tuple[float, float, float]
) -> tuple[str, list[str]]:
    """A new table: one's own token, seat A, and those of the others."""
    from maumau.game.rules import chosen_text

    bank, increment, window = clocks
    _, tokens = tables.create(
        rules.name, chosen_text(rules), seats=seats, names=["", *names][:seats],
        bank=bank, increment=increment, window=window, join=JOIN, unlisted=False,
    )  # fmt: skip
    return tokens[0], tokens[1:]


def _invite_house(arena: str | None, tokens: Sequence[str]) -> bool:
    """Has house bots of the arena take these seats; False if it has nobody who plays for them."""
    try:
        with place.seeks(arena) as seeks:
            seeks.invite_house(tokens, [HOUSE_BOT], THINK)
    except (NoArena, NoHouseBot, ArenaUnreachable) as error:
        game.say(f"{plain(str(error).rstrip('.'))}; {HOUSE_BOT} plays on this machine instead")
        return False
    return True


def _invite(tokens: Sequence[str], *, as_json: bool) -> None:
    if as_json and tokens:
        json_line({"seat_tokens": tokens})
    elif tokens:
        show(f"give each of your friends one of these commands, for the next {JOIN / 60:g} minutes:")
        show(*(f"maumau seat --table {token}" for token in tokens))


@contextmanager
def _programs(tables: Tables, words: Sequence[str], tokens: Sequence[str], tier: str) -> Iterator[None]:
    """Bots of this machine at these seats, as long as this lasts."""
    if not words:
        yield
        return
    from maumau.bot.sandbox import choose_sandbox
    from maumau.home.live_seat import ProgramSeat

    sandbox = choose_sandbox(tier)
    with game.programs(words, sandbox) as (programs, _), ExitStack() as stack:
        threads = []
        for program, token in zip(programs, tokens, strict=True):
            taken = stack.enter_context(tables.sit(token))
            player = ProgramSeat(taken, program, sandbox, THINK)
            threads.append(threading.Thread(target=_quietly, args=(player,), daemon=True))
            threads[-1].start()
        yield
        stack.close()
        for thread in threads:
            thread.join(2)


def _quietly(player: Any) -> None:
    """What goes wrong at its seat the table says: its clock runs out."""
    try:
        player.play()
    except (MaumauError, ValueError, OSError):
        return


def _speak(seat: Seat) -> None:
    """As a program would: a line for everything that is told, replies from stdin."""
    for told in seat:
        json_line(told)
        if told.kind == "line" and "ask" in told.view:
            line = sys.stdin.readline()
            if not line:
                return
            seat.reply(told.cursor, line.strip())


@contextmanager
def _way_back(token: str, arena: str | None) -> Iterator[None]:
    """Who leaves a table that goes on is told how to come back."""
    try:
        yield
    except (KeyboardInterrupt, EOFError) as left:
        interrupted = isinstance(left, KeyboardInterrupt)
        why = "You have left the table" if interrupted else "The input has ended, so you have left the table"
        words = ["maumau", "seat", "--table", token, *(["--arena", arena] if arena else [])]
        show(f"\n{why}, which goes on without you. Come back with:", shlex.join(words))
        raise typer.Exit(INTERRUPTED if interrupted else 1) from None


def _play(seat: Seat, suits: Style, *, own_calls: bool) -> None:
    from maumau.cli.picture import STYLES
    from maumau.cli.sitting import Sitting

    sitting = Sitting(STYLES[suits], own_calls=own_calls)
    news: queue.Queue[Told | Exception | None] = queue.Queue()
    threading.Thread(target=_listen, args=(seat, news), daemon=True).start()
    if has_pictures(console()) and sys.stdin.isatty():
        _with_pictures(seat, sitting, news)
    else:
        _with_lines(seat, sitting, news)
    show(*sitting.lines())
    if sitting.end is None:
        raise typer.Exit(1)


def _listen(seat: Seat, news: queue.Queue[Told | Exception | None]) -> None:
    try:
        for told in seat:
            news.put(told)
        news.put(None)
    except Exception as error:  # noqa: BLE001 - told to whoever plays
        news.put(error)


def _take_in(sitting: Sitting, news: queue.Queue[Told | Exception | None], *, wait: bool) -> bool:
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


def _submit(seat: Seat, sitting: Sitting, typed: str) -> None:
    chosen = sitting.choose(typed)
    if chosen.line:
        cursor = sitting.cursor
        sitting.answer()
        seat.reply(cursor, chosen.line)
    else:
        sitting.words = chosen.words


def _with_lines(seat: Seat, sitting: Sitting, news: queue.Queue[Told | Exception | None]) -> None:
    """Where there is no terminal: the table before each question, an answer a line."""
    while _take_in(sitting, news, wait=True):
        if sitting.question:
            show(*sitting.lines())
            _submit(seat, sitting, _read_line())
            while sitting.question:  # it was no choice
                show(sitting.words)
                _submit(seat, sitting, _read_line())


def _read_line() -> str:
    """The next line of stdin; EOFError if there is none."""
    if not (line := sys.stdin.readline()):
        raise EOFError
    return line.strip()


def _with_pictures(seat: Seat, sitting: Sitting, news: queue.Queue[Told | Exception | None]) -> None:
    from maumau.cli.keys import pressed

    with pressed() as keys:
        if _await_deal(sitting, news, keys):
            _draw(seat, sitting, news, keys)


def _read_keys(keys: Keys) -> list[str]:
    """What was pressed until the next picture is due; EOFError if there will be no more."""
    if not select.select([sys.stdin], [], [], TICK)[0]:
        return []
    if not (found := keys()):
        raise EOFError
    return found


def _await_deal(sitting: Sitting, news: queue.Queue[Told | Exception | None], keys: Keys) -> bool:
    """Waits for the others, on the screen that has the commands for them; whether there is a deal to draw."""
    said = ""
    while _take_in(sitting, news, wait=False):
        if sitting.has_begun:
            return True
        if sitting.words != said:
            show(said := sitting.words)
        _read_keys(keys)
    return False


def _draw(seat: Seat, sitting: Sitting, news: queue.Queue[Told | Exception | None], keys: Keys) -> None:
    from rich.console import Group

    typed = ""
    with console().screen() as screen:
        while _take_in(sitting, news, wait=False):
            sitting.fit(*console().size)
            screen.update(Group(*sitting.lines(typed)))
            for key in _read_keys(keys):
                if key in "\r\n":
                    _submit(seat, sitting, typed)
                    typed = ""
                else:
                    typed = edit(typed, key)


def edit(typed: str, key: str) -> str:
    """What stands there after a key."""
    if key in ("\x7f", "\b"):
        return typed[:-1]
    if key in ("\x15", "\x1b"):
        return ""
    return typed + key if len(key) == 1 and key.isprintable() and len(typed) < 60 else typed
