"""A seat of a live table in the terminal: with pictures and keys, or line by line where there are none."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from maumau.errors import MaumauError
from maumau.screen.keys import wait_for_key
from maumau.screen.output import Style, console, has_pictures, show

if TYPE_CHECKING:
    from maumau.cli.player.sitting import Sitting
    from maumau.client.live import Seat, Table, Tables, Told

TICK = 0.25  # seconds between two pictures, for the clocks

Keys = Callable[[], list[str]]
News = queue.Queue["Told | Exception | None"]


class Looks(NamedTuple):
    """Display options of a table: the suits, and the flags of `Sitting`."""

    suits: Style
    own_calls: bool
    raw: bool


def play_seat(tables: Tables, seat: Seat, looks: Looks, score: str) -> dict[str, Any]:
    """Play one seat to the end of its deal, and return how that ended. score: of the deals before."""
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
            _submit_line(seat, sitting, read_line())
            while sitting.question:  # it was no choice, or the first part of one
                _show_more(sitting)
                _submit_line(seat, sitting, read_line())


def _show_more(sitting: Sitting) -> None:
    """Show what was asked for, why a line was no choice, or what is still to be chosen."""
    if sitting.is_reading:
        sitting.turn_page(close=True)
        show(*sitting.list_rules())
    elif sitting.words:
        show(sitting.words)
    else:
        show(*sitting.lines())


def read_line() -> str:
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
