"""Messages of docs/reference/protocol.md: a JSON object a line to a program, a reply a line from it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from maumau.game import Rules
from maumau.game.ruleset.own import to_plain
from maumau.protocol.fault import Misplay, decode_text

BYE = b'{"bye":true}\n'
VERSION = 1
UNKNOWN = re.compile(r"(?<=unknown field )`.*`")
EXAMPLE = '{"act":"draw"}'
STDOUT_IS_FOR_ANSWERS = "stdout is for answers only: write logs to stderr"
QUOTED = 80  # bytes of a reply that a fault quotes
NOTE, NOTES = 500, 4000  # characters that are kept of one note, and of all notes of a seat in a deal

encode = msgspec.json.Encoder().encode


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The long form of a reply: the action, late calls and accusations, and a note for the record."""

    act: str
    also: list[str] = []
    note: str = ""


class Ready(msgspec.Struct, frozen=True):
    """The answer to hello; unknown fields are ignored."""

    ready: str


_reply, _ready = msgspec.json.Decoder(Reply), msgspec.json.Decoder(Ready)


def write_hello(
    rules: Rules, options: dict[str, Any], seats: int, seat: int, bank: float, concurrent: int = 1
) -> bytes:
    """Return the first line; `options` are those that differ from the variant's, `bank` is in seconds.

    `concurrent` is the number of deals that may be asked in one write. A custom variant is included whole.
    """
    named = {"name": rules.name, "options": options, "hash": rules.hash, "cards": rules.cards}
    named |= {"variant": to_plain(rules)} if rules.text else {}
    told = {"hello": VERSION, "rules": named, "seats": seats, "seat": seat}
    return encode(told | {"bank_ms": int(bank * 1000), "concurrent": concurrent}) + b"\n"


def write_question(view: object, deal: int, rng: str, bank_ms: int) -> bytes:
    """Return a question; `view` encodes to the protocol's fields, `rng` is empty except in the first one.

    `bank_ms`: milliseconds of CPU time left.
    """
    head = b'{"deal":%d,"rng":"%b",' % (deal, rng.encode()) if rng else b'{"deal":%d,' % deal
    return b'%b%b,"bank_ms":%d}\n' % (head, encode(view)[1:-1], bank_ms)


def write_end(deal: int, places: list[int], points: list[int], events: list[str], fault: str | None) -> bytes:
    """Return the end of a deal, with the events since the last question and this program's own fault."""
    told = {"places": places, "points": points, "events": events, "fault": fault}
    return encode({"deal": deal, "end": told}) + b"\n"


def read_ready(line: bytes) -> None:
    """Check the answer to hello."""
    try:
        _ready.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        said = decode_text(line, QUOTED)
        words = f'its answer to hello, {said!r}, is not {{"ready":"name"}}'
        words += "" if said.lstrip().startswith("{") else f"; {STDOUT_IS_FOR_ANSWERS}"
        raise Misplay("start", words, dead=True) from error


def read_reply(line: bytes) -> Reply:
    """Return the long form of a reply, one JSON object."""
    try:
        return _reply.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        words = f"its reply {decode_text(line, QUOTED)!r} cannot be read: {_explain(str(error))}"
        raise Misplay("unreadable", words) from error


def _explain(words: str) -> str:
    """Describe the fault of a long reply, and the form of a right one."""
    if found := UNKNOWN.search(words):
        return f"there is no field {found[0]}; its fields are {', '.join(Reply.__struct_fields__)}"
    told = words if words[1:2].isupper() else words[:1].lower() + words[1:]
    return f"{told}; right would be {EXAMPLE}"
