"""iCalendar files (RFC 5545), written from events. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from services.web.syndication.plain import clean_text, make_uuid

TYPE: Final = "text/calendar; charset=utf-8"
WIDEST: Final = 75  # octets of a line, without its end
ESCAPED: Final = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,"})
NO_EVENT: Final = (
    "BEGIN:VTIMEZONE", "TZID:UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE",
)  # fmt: skip
"""A component that says nothing: a calendar has at least one."""


class Event(Struct, frozen=True):
    """A date of a contest: the parts of its id, its begin and end, and how often they were changed.

    ends: None if that is not known. changed_at: the last change.
    """

    key: tuple[str, ...]
    begins: datetime
    ends: datetime | None
    title: str
    text: str
    page: str
    changes: int
    changed_at: datetime
    is_cancelled: bool = False


def write_calendar(title: str, language: str, events: Sequence[Event]) -> bytes:
    """Return the calendar with these events."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//Maumau Arena//Contests//{language.upper()}"]
    lines += ["CALSCALE:GREGORIAN", f"X-WR-CALNAME:{_escape_text(title)}"]
    for event in events:
        lines += _write_event(event)
    if not events:
        lines += NO_EVENT
    lines.append("END:VCALENDAR")
    return b"".join(_fold_line(line.encode()) for line in lines)


def _write_event(event: Event) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:{make_uuid(*event.key)}"
    yield f"DTSTAMP:{_write_moment(event.changed_at)}"
    yield f"SEQUENCE:{event.changes}"
    yield f"DTSTART:{_write_moment(event.begins)}"
    if event.ends is not None and event.ends > event.begins:
        yield f"DTEND:{_write_moment(event.ends)}"
    yield f"SUMMARY:{_escape_text(event.title)}"
    yield f"DESCRIPTION:{_escape_text(event.text)}"
    yield f"URL:{event.page}"
    yield f"STATUS:{'CANCELLED' if event.is_cancelled else 'CONFIRMED'}"
    yield "END:VEVENT"


def _escape_text(text: str) -> str:
    """Return a value of the type TEXT."""
    return clean_text(text).translate(ESCAPED)


def _write_moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _fold_line(line: bytes) -> bytes:
    """Return a line with its end, folded where it is too wide, never inside a character."""
    folded = b""
    while len(line) > WIDEST:
        cut = WIDEST
        while line[cut] & 0xC0 == 0x80:
            cut -= 1
        folded += line[:cut] + b"\r\n"
        line = b" " + line[cut:]
    return folded + line + b"\r\n"
