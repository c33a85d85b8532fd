"""The messages of docs/protocol.md: one JSON object a line to a program, one reply a line from it."""

from __future__ import annotations

from typing import Any

import msgspec

from maumau.bot.fault import Misplay
from maumau.game import Rules
from maumau.game.own import to_plain

BYE = b'{"bye":true}\n'
VERSION = 1
NOTE, NOTES = 500, 4000  # characters that are kept of one note, and of all notes of a seat in a deal

encode = msgspec.json.Encoder().encode


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The long form of a reply: the action, late calls and accusations, and a note for the record."""

    act: str
    also: list[str] = []
    note: str = ""


class Ready(msgspec.Struct, frozen=True):
    """The answer to hello; whatever else stands in it is passed over."""

    ready: str


_reply, _ready = msgspec.json.Decoder(Reply), msgspec.json.Decoder(Ready)


def write_hello(
    rules: Rules, options: dict[str, Any], seats: int, seat: int, bank: float, concurrent: int = 1
) -> bytes:
    """The first line; `options` are those that differ from the variant's, `bank` is in seconds.

    `concurrent` is how many deals may be asked for in one write. A variant of somebody's own is told whole.
    """
    named = {"name": rules.name, "options": options, "hash": rules.hash, "cards": rules.cards}
    named |= {"variant": to_plain(rules)} if rules.text else {}
    told = {"hello": VERSION, "rules": named, "seats": seats, "seat": seat}
    return encode(told | {"bank_ms": int(bank * 1000), "concurrent": concurrent}) + b"\n"


def write_question(view: object, deal: int, rng: str, bank: float) -> bytes:
    """A question; `view` encodes to the fields of the protocol, `rng` is empty but in a deal's first one."""
    head = b'{"deal":%d,"rng":"%b",' % (deal, rng.encode()) if rng else b'{"deal":%d,' % deal
    return b'%b%b,"bank_ms":%d}\n' % (head, encode(view)[1:-1], bank * 1000)


def write_end(deal: int, places: list[int], points: list[int], events: list[str], fault: str | None) -> bytes:
    """The end of a deal, with what was seen since the last question and this program's own fault."""
    told = {"places": places, "points": points, "events": events, "fault": fault}
    return encode({"deal": deal, "end": told}) + b"\n"


def read_ready(line: bytes) -> None:
    """Check the answer to hello."""
    try:
        _ready.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Misplay(
            "start", f'its answer to hello is not {{"ready":"name"}}: {error}', dead=True
        ) from error


def read_reply(line: bytes) -> Reply:
    """The long form of a reply, one JSON object."""
    try:
        return _reply.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Misplay("unreadable", f"its reply cannot be read: {error}") from error
