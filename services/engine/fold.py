"""Deals folded from their actions, and the views of them. Pure."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from maumau.errors import BadDeal, BadRecord, BadRequest, IllegalAction, MaumauError, UnreadableAction
from maumau.game import Deal, Rules, View, deal, replay, resume
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import list_names

RECORD: Final = 256 << 10  # characters of a record
ACTIONS: Final = 10_000  # of a fold: several times the longest deal's, as calls are actions too
SEED: Final = 200  # characters

Eyes = Literal["open", "seat", "watcher"]
OPEN_FIELDS: Final = (
    "top",
    "wish",
    "owed",
    "skips",
    "direction",
    "counts",
    "stock",
    "out",
    "claim",
    "by",
    "side",
    "accused",
    "queens",
    "added",
    "totals",
    "lives",
)
"""The fields of a view that are public, at the table and around it."""


class RecordVerdict(NamedTuple):
    """The result of checking a record: the first wrong line (from 1; 0: none) and why; how the deal ended."""

    line: int
    words: str
    over: bool = False
    places: Sequence[int] = ()
    points: Sequence[int] = ()


def open_deal(rules: Rules, seats: int, seed: str, first: int) -> Deal:
    """Return a deal that has not begun; raise BadDeal if it is not possible."""
    if len(seed) > SEED:
        raise BadDeal(f"The seed has {len(seed):,} characters; {SEED} are the most.", field="deal.seed")
    if not 0 <= first < seats:
        raise BadDeal(f"Seat {first} cannot lead: the seats are 0 to {seats - 1}.", field="deal.first")
    return deal(rules, seats, seed, first)


def replay_record(text: str) -> Deal:
    """Return the deal of a record, as far as it goes; raise BadRecord with the wrong line."""
    check_length(text)
    return replay(text)


def check_length(text: str) -> None:
    """Raise BadRecord if the text is longer than any deal's record."""
    if len(text) > RECORD:
        raise BadRecord(f"The record has {len(text):,} characters; {RECORD:,} are the most.")


def carry_out(d: Deal, actions: Sequence[tuple[int, str]]) -> None:
    """Apply actions by seat and notation; the error names the first that is not allowed."""
    if len(actions) > ACTIONS:
        raise BadRequest(f"There are {len(actions):,} actions; {ACTIONS:,} are the most.", field="actions")
    for number, (seat, action) in enumerate(actions, 1):
        try:
            d.apply(seat, action)
        except (IllegalAction, UnreadableAction) as error:
            who = SEATS[seat] if seat < len(SEATS) else str(seat)
            raise type(error)(f"action {number}, {who} {action[:80]}: {error}") from None


def list_asked(d: Deal, eyes: Eyes, seat: int) -> list[int]:
    """Return the seats that must decide, as far as a viewer may know: being asked in a window is secret."""
    if eyes == "open" or d.window is None:
        return list(d.to_act)
    return [seat] if eyes == "seat" and seat in d.to_act else []


def to_line(view: View) -> str:
    """Return a seat's view as JSON, with the fields of a question."""
    return msgspec.json.encode(view).decode()


def open_line(d: Deal, start: int = 0) -> str:
    """Return the public view as JSON, with the same fields, and the events as seen without a hand."""
    view = d.view(0)
    seen = {name: value for name in OPEN_FIELDS if (value := getattr(view, name)) is not msgspec.UNSET}
    return msgspec.json.encode(seen | {"events": d.watched(start)}).decode()


def verify_record(text: str) -> RecordVerdict:
    """Check a record of a deal or of a game by replaying it."""
    try:
        check_length(text)
        if text.startswith("[maumau game"):
            game = resume(text)
            ends = (game.over, game.places, game.total) if game.over else (False, (), ())
        else:
            d = replay(text)
            ends = (d.over, d.places, d.points) if d.over else (False, (), ())
    except BadRecord as error:
        return RecordVerdict(*locate_fault(str(error)))
    except MaumauError as error:
        return RecordVerdict(1, str(error))
    return RecordVerdict(0, "", *ends)


def locate_fault(words: str) -> tuple[int, str]:
    """Return the line that a BadRecord names, and its reason."""
    head, colon, rest = words.partition(": ")
    number = head.removeprefix("line ")
    return (int(number), rest) if colon and number.isdecimal() else (1, words)


def hands_line(d: Deal, start: int = 0) -> str:
    """Return the public view with all hands as JSON."""
    seen = msgspec.json.decode(open_line(d, start))
    seen |= {"events": d.events[start:], "hands": [list_names(hand) for hand in d.hands]}
    return msgspec.json.encode(seen).decode()
