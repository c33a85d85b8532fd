"""Protests in an export: one measured line each, all of whose values the links of the chain bind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from maumau.contest.entrant import Entrant
from maumau.contest.export.chain import (
    Answering,
    Booking,
    Disqualification,
    Event,
    Protesting,
    Retaking,
    write_event,
)
from maumau.contest.export.difference import Difference, shorten_value
from maumau.contest.export.line import PROTEST, MeasuredLine
from maumau.contest.export.link_check import NONE, History, Placed
from maumau.contest.export.sheet import Misread, Sheet

MAX_PROTEST_LENGTH: Final = 500
"""The number of characters of a protest, and of its answer."""


class ProtestValues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The values of a protest's line. Times in ms since 1970.

    answer, answered_by: "" while it is open, and then answered_at is 0.
    """

    entrant: Annotated[int, Meta(ge=1)]
    account: str
    text: str
    filed_at: int
    state: Literal["open", "accepted", "rejected"]
    answer: str
    answered_by: str
    answered_at: int


def protest_line(number: int, values: ProtestValues) -> MeasuredLine:
    """Return the line of a protest."""
    return MeasuredLine(f"{PROTEST} {number}", msgspec.structs.asdict(values))


def list_events(number: int, values: ProtestValues) -> Iterator[Protesting | Answering]:
    """Yield the events that the chain has of a protest."""
    yield Protesting(number, values.entrant, digest_text(values.account, values.filed_at, values.text))
    if values.state != "open":
        digest = digest_text(values.answered_by, values.answered_at, values.answer)
        yield Answering(number, values.state, digest)


def digest_text(account: str, at: int, text: str) -> str:
    """Return the digest that the link of a protest, or of an answer, has. text: one line."""
    return sha256(f"{account}\n{at}\n{text}".encode()).hexdigest()


def read_protests(sheet: Sheet) -> Iterator[tuple[int, MeasuredLine, ProtestValues]]:
    """Yield each protest of an export with its line; `Misread` if one cannot be read."""
    for number, line in sheet.items["measured"]:
        if isinstance(line, MeasuredLine) and line.of.partition(" ")[0] == PROTEST:
            try:
                yield number, line, msgspec.convert(line.values, ProtestValues)
            except msgspec.ValidationError as error:
                raise Misread(number, "values", shorten_value(line.values), f"a protest: {error}") from None


def refuse_protests(sheet: Sheet) -> Iterator[Difference]:
    """Yield a difference for each protest of an export whose chain has none."""
    for number, line, _ in read_protests(sheet):
        yield Difference(
            number, "of", shorten_value(line.of), "no protest: the chain of this contest has none"
        )


def check_protests(history: History, sheet: Sheet, entrants: Sequence[Entrant]) -> Iterator[Difference]:
    """Compare the protests of an export with the links of its chain."""
    known_keys: set[str] = set()
    for place, (number, line, values) in enumerate(read_protests(sheet), start=1):
        if line.of != f"{PROTEST} {place}":
            yield Difference(number, "of", shorten_value(line.of), shorten_value(f"{PROTEST} {place}"))
        if values.entrant > len(entrants):
            yield Difference(number, "values.entrant", shorten_value(values.entrant), "an entrant")
        yield from _check_answer(number, values)
        events = list(list_events(place, values))
        known_keys |= {event.key for event in events}
        yield from _compare_links(history, number, events)
    for key, placed in history.events.items():
        if isinstance(placed.event, Protesting | Answering) and key not in known_keys:
            yield Difference(
                placed.line, "values.event", shorten_value(key), "what a protest's line says, too"
            )
    for placed in _list_early(history):
        said = shorten_value(placed.event.key)
        yield Difference(placed.line, "values.event", said, "a protest after the blocks before the result")


def _check_answer(number: int, values: ProtestValues) -> Iterator[Difference]:
    """Yield a difference unless exactly the protests with a verdict have an answer, each after its protest.

    No link binds the answer of one that is open.
    """
    said, answered = shorten_value(msgspec.structs.asdict(values)), values.state != "open"
    if {bool(values.answer), bool(values.answered_by), values.answered_at != 0} != {answered}:
        found = "an answer, its account and its time" if answered else "no answer: it is open"
        yield Difference(number, "values.answer", said, found)
    if values.filed_at <= 0:
        yield Difference(number, "values.filed_at", shorten_value(values.filed_at), "a time after 0")
    if answered and values.answered_at < values.filed_at:
        yield Difference(
            number, "values.answered_at", shorten_value(values.answered_at), "a time after filed_at"
        )


def _list_early(history: History) -> Iterator[Placed]:
    """Yield the protests after which play went on, although nothing had been taken back since.

    Whoever protests has a result. A replica of an earlier release takes a match back without a link, so
    a later take says it, too.
    """
    waiting: list[Placed] = []
    for placed in history.events.values():
        event = placed.event
        if isinstance(event, Protesting):
            waiting.append(placed)
        elif isinstance(event, Booking) and event.take == 1:
            yield from waiting
            waiting.clear()
        elif isinstance(event, Booking | Retaking | Disqualification):
            waiting.clear()


def _compare_links(history: History, number: int, events: Iterable[Event]) -> Iterator[Difference]:
    """Yield a difference for each event without its link, or out of order."""
    before = 0
    for event in events:
        place, digest = history.find_event(event.key)
        if not place or digest != event.digest:
            yield Difference(number, PROTEST, shorten_value(write_event(event)), digest or NONE)
        elif place < before:
            yield Difference(
                number, PROTEST, shorten_value(write_event(event)), "an answer after its protest"
            )
        before = place
