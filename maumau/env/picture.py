"""The picture of a table as text, as an environment renders it."""

from __future__ import annotations

from typing import Final

from maumau.env.table import EnvTable
from maumau.errors import BadOption
from maumau.game import Deal
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import NAMES, SUITS, list_names

MODES: Final = ("human", "ansi")


def check_mode(mode: str | None) -> None:
    """Raise BadOption if there is no such render mode."""
    if mode not in (None, *MODES):
        raise BadOption(f"render_mode = {mode!r} is not known; known: {', '.join(MODES)}")


def render_table(table: EnvTable, mode: str) -> str | None:
    """Return the whole table as text with `ansi`, or print it with `human`."""
    text = draw_table(table.deal, table.seat)
    if mode == "ansi":
        return text
    print(text)  # noqa: T201  # what `human` is for
    return None


def draw_table(d: Deal, marked: int) -> str:
    """Return the whole table as text, the hidden cards too, with a mark at the seat that must choose."""
    top = NAMES[d.top] if d.top >= 0 else "-"
    wish = f" wish {SUITS[d.wish]}" if d.wish >= 0 else ""
    owed = f" owed {d.owed}" if d.owed else ""
    lines = [f"{d.rules.name}: top {top}{wish}{owed}, stock {d.stock.bit_count()}, {d.asks or 'over'}"]
    for seat, hand in enumerate(d.hands):
        mark = "*" if seat == marked else " "
        lines.append(f"{mark}{SEATS[seat]} player_{seat}: {' '.join(list_names(hand)) or '-'}")
    if d.over:
        lines.append(f"places {' '.join(map(str, d.places))}")
    return "\n".join(lines)
