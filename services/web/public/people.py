"""People who play bots at live tables: who has beaten the best, and a board of the last tables."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from maumau.bots import HOUSE
from maumau.client.live import Table
from services.shared.base.auth import GUEST_NAME
from services.web.seat import USUAL_CLOCK

DAY: Final = timedelta(days=1)  # for which a table counts
LISTED: Final = 60  # ended tables that are looked at, the newest
SHOWN: Final = 10  # lines of the board
CHAMPIONS: Final = HOUSE[-1:]
"""The strongest house bot, which counts as a champion besides the first ones of the ladders."""
CLOCKS: Final = ("bank_ms", "increment_ms", "window_ms")
NO_OPTIONS: Final = ("", "{}")


class Victory(Struct, frozen=True):
    """A deal that a person has won against a bot.

    who: the account's name if it may be named, "" for guests and all others. table_id: "" with them, as the
    table names its players.
    """

    who: str
    bot: str
    rules: str
    table_id: str


class Person(Struct, frozen=True):
    """A line of the board: deals of a person against bots.

    who: the account's name if it may be named, "" for all others together.
    """

    who: str
    won: int
    played: int


def find_victory(tables: Iterable[Table], champions: Iterable[str], now: datetime) -> Victory | None:
    """Return the newest deal that a person has won against a champion; None if there is none."""
    best = {*CHAMPIONS, *champions}
    for table in _list_played(tables, now):
        beaten = [name for name in table.bot_names if name in best]
        if beaten and _has_won(table):
            who = _name_table(table)
            return Victory(who, beaten[0], table.rules, table.id if who or _is_guests(table) else "")
    return None


def rank_people(tables: Iterable[Table], now: datetime) -> tuple[Person, ...]:
    """Return the board, most deals won against bots first."""
    played, won = Counter[str](), Counter[str]()
    for table in _list_played(tables, now):
        played[_name_table(table)] += 1
        won[_name_table(table)] += _has_won(table)
    people = [Person(who, won[who], count) for who, count in played.items()]
    return tuple(sorted(people, key=lambda one: (-one.won, one.played, one.who))[:SHOWN])


def _list_played(tables: Iterable[Table], now: datetime) -> Sequence[Table]:
    """Return the day's tables of one person among bots that count, the newest first.

    Names of seats are what somebody has called them: who made a table and which bots its workers played is
    what the arena knows. A deal that its person has ended counts as lost, so that leaving does not pay.
    """
    return [
        one
        for one in tables
        if one.bot_names.count("") == 1
        and one.created_at
        and now - one.created_at < DAY
        and _is_usual(one)
        and (_is_decided(one) or _was_left(one))
    ]


def _is_usual(table: Table) -> bool:
    """Return True for a game as the page deals it: no options, hidden hands, and clocks as slow or slower."""
    return not table.delay_seconds and table.options_json in NO_OPTIONS and has_usual_clocks(table)


def has_usual_clocks(table: Table) -> bool:
    """Return True for clocks as slow as the page's, or slower."""
    time = table.time
    return time is not None and all(getattr(time, name) >= getattr(USUAL_CLOCK, name) for name in CLOCKS)


def _is_decided(table: Table) -> bool:
    """Return True for a result, unless a bot's fault has decided the deal for its person."""
    return bool(table.places) and not (_has_won(table) and any(table.faults))


def _was_left(table: Table) -> bool:
    """Return True for a deal that had begun and was ended without a result, as only its person may."""
    return table.state == "void" and len(table.joined) == table.seats


def _has_won(table: Table) -> bool:
    """Return True if the person alone has the first place."""
    return bool(table.places) and [
        name for name, place in zip(table.bot_names, table.places, strict=True) if place == 1
    ] == [""]


def _is_guests(table: Table) -> bool:
    return table.account_name == GUEST_NAME


def _name_table(table: Table) -> str:
    """Return the account's name if it has chosen to be named."""
    return table.account_name if table.named and not _is_guests(table) else ""
