"""The deal of a day, drawn from the day and a secret of the arena, and its attempts compared. Pure."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Final, Literal

from msgspec import Struct

from maumau.client.live import Table
from maumau.errors import UnreadableAction
from maumau.game import deal, drop_mark, load, variants
from maumau.game import record as write_record
from maumau.game.notation.action import SEATS, parse
from services.shared.base.auth import GUEST_NAME
from services.web.play.moment import Start
from services.web.public.people import has_usual_clocks

MOST_SEATS: Final = 4
Seal = Callable[[str, str], str]
"""Return the hexadecimal digits that follow from a word, a text and the arena's secret."""


class DayDeal(Struct, frozen=True):
    """The deal of a day: everybody sits at `start.seat` and begins with the same cards."""

    day: date
    rules: str
    seats: int
    start: Start

    @property
    def seat(self) -> int:
        """The seat of everybody who plays it."""
        return self.start.seat


class Attempt(Struct, frozen=True):
    """One person's attempt. who: the account's name if it may be named, "" for others.

    state: of the deal: played to its end, left (or lost by the clock) or still being played. decisions: of
    the person.
    """

    who: str
    is_guest: bool
    state: Literal["over", "left", "playing"]
    place: int = 0
    points: int = 0
    decisions: int = 0
    table_id: str = ""


def draw_day_deal(day: date, seal: Seal) -> DayDeal:
    """Return the deal of a day. Who does not know the secret cannot tell the deal of any other day."""
    number = int(seal("variant of the day", day.isoformat()), 16)
    names = variants()
    number, at = divmod(number, len(names))
    rules = load(names[at])
    least, most = rules.seats
    number, more = divmod(number, min(most, MOST_SEATS) - least + 1)
    seats = least + more
    d = deal(rules, seats, seal("deal of the day", day.isoformat()))
    return DayDeal(day, rules.name, seats, Start(write_record(d), number % seats))


def list_attempts(one: DayDeal, tables: Iterable[Table]) -> list[Table]:
    """Return the tables at which this deal was really played, against bots of the arena, oldest first."""
    found = [table for table in tables if _is_attempt(one, table)]
    return sorted(found, key=lambda table: table.id)


def find_champion(attempts: Sequence[Table]) -> str:
    """Return the bot of the first attempt, which plays against everybody that day; "" if there is none."""
    return next((name for table in attempts[:1] for name in table.bot_names if name), "")


def read_attempts(attempts: Sequence[Table], champion: str) -> tuple[Attempt, ...]:
    """Return what attempts against the champion have come to, the best first."""
    found = [_read_attempt(table) for table in attempts if {*table.bot_names} <= {"", champion}]
    order = {"over": 0, "left": 1, "playing": 2}
    return tuple(
        sorted(found, key=lambda one: (order[one.state], one.place, -one.points, one.decisions, one.table_id))
    )


def _is_attempt(one: DayDeal, table: Table) -> bool:
    """Return True unless somebody made the table by hand, with other cards, players or clocks."""
    start = drop_mark(one.start.record)
    begins = drop_mark(table.record).startswith(start) and table.begun_lines == start.count("\n")
    people = [seat for seat, name in enumerate(table.bot_names) if not name]
    return begins and people == [one.seat] and has_usual_clocks(table)


def _read_attempt(table: Table) -> Attempt:
    seat = table.bot_names.index("")
    fault = table.faults[seat] if table.faults else ""
    is_over = bool(table.places) and not fault
    state: Literal["over", "left", "playing"] = (
        "over" if is_over else "left" if fault or table.state == "void" else "playing"
    )
    is_guest = table.account_name == GUEST_NAME
    return Attempt(
        table.account_name if table.named and not is_guest else "",
        is_guest,
        state,
        table.places[seat] if is_over else 0,
        table.points[seat] if is_over else 0,
        count_decisions(table, seat),
        table.id,
    )


def count_decisions(table: Table, seat: int) -> int:
    """Return how many actions a seat has chosen since the table's deal began."""
    lines = drop_mark(table.record).splitlines()[table.begun_lines :]
    own = f"{SEATS[seat]} "
    return sum(line.startswith(own) and _is_action(line[2:].partition(" ")[0]) for line in lines)


def _is_action(text: str) -> bool:
    try:
        parse(text)
    except UnreadableAction:
        return False
    return True
