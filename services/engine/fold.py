"""Deals folded from their actions, and what is seen of them: pure."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from maumau.errors import BadDeal, BadRecord, BadRequest, IllegalAction, MaumauError, UnreadableAction
from maumau.game import Deal, Rules, View, deal, replay, resume
from maumau.game.action import SEATS
from maumau.game.cards import list_names

RECORD: Final = 256 << 10  # characters of a record
ACTIONS: Final = 10_000  # of a fold: several times those of the longest deal, since calls are actions too
SEED: Final = 200  # characters

Eyes = Literal["open", "seat", "watcher"]
OPEN_FIELDS: Final = (
    "top", "wish", "owed", "skips", "direction", "counts", "stock", "out",
    "claim", "by", "side", "accused", "queens", "added", "totals", "lives",
)  # fmt: skip
"""The fields of a view that lie open for everybody at the table and around it."""


class Verdict(NamedTuple):
    """What a record is worth: the first line that is wrong (from 1; 0: none) and why; how the deal ended."""

    line: int
    words: str
    over: bool = False
    places: Sequence[int] = ()
    points: Sequence[int] = ()


def begin(rules: Rules, seats: int, seed: str, first: int) -> Deal:
    """A deal that has not begun; BadDeal says what is impossible."""
    if len(seed) > SEED:
        raise BadDeal(f"The seed has {len(seed):,} characters; {SEED} are the most.", field="deal.seed")
    if not 0 <= first < seats:
        raise BadDeal(f"Seat {first} cannot lead: the seats are 0 to {seats - 1}.", field="deal.first")
    return deal(rules, seats, seed, first)


def replay_record(text: str) -> Deal:
    """The deal of a record, as far as that goes; BadRecord names the line that is wrong."""
    check_length(text)
    return replay(text)


def check_length(text: str) -> None:
    """BadRecord if nobody's deal is as long as this."""
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


def asked(d: Deal, eyes: Eyes, seat: int) -> list[int]:
    """The seats that must decide, as far as these eyes may know: who is asked in a window could react."""
    if eyes == "open" or d.window is None:
        return list(d.to_act)
    return [seat] if eyes == "seat" and seat in d.to_act else []


def to_line(view: View) -> str:
    """What a seat sees, with the fields of a question."""
    return msgspec.json.encode(view).decode()


def open_line(d: Deal, start: int = 0) -> str:
    """What lies open on the table, with the same fields, and the events as who has no hand sees them."""
    view = d.view(0)
    seen = {name: value for name in OPEN_FIELDS if (value := getattr(view, name)) is not msgspec.UNSET}
    return msgspec.json.encode(seen | {"events": d.watched(start)}).decode()


def verify(text: str) -> Verdict:
    """Play a record of a deal or of a game again."""
    try:
        check_length(text)
        if text.startswith("[maumau game"):
            game = resume(text)
            ends = (game.over, game.places, game.total) if game.over else (False, (), ())
        else:
            d = replay(text)
            ends = (d.over, d.places, d.points) if d.over else (False, (), ())
    except BadRecord as error:
        return Verdict(*locate(str(error)))
    except MaumauError as error:
        return Verdict(1, str(error))
    return Verdict(0, "", *ends)


def locate(words: str) -> tuple[int, str]:
    """The line that a BadRecord names, and what it says of it."""
    head, colon, rest = words.partition(": ")
    number = head.removeprefix("line ")
    return (int(number), rest) if colon and number.isdecimal() else (1, words)


def hands_line(d: Deal, start: int = 0) -> str:
    """What lies open and what does not."""
    seen = msgspec.json.decode(open_line(d, start))
    seen |= {"events": d.events[start:], "hands": [list_names(hand) for hand in d.hands]}
    return msgspec.json.encode(seen).decode()
