"""Reading and applying replies: shared by blocks, conformance checks and live tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from maumau.errors import UnreadableAction
from maumau.game import Action, Deal, parse
from maumau.protocol.fault import Misplay
from maumau.protocol.message import STDOUT_IS_FOR_ANSWERS, Reply, read_reply

LATE: Final = ("!", "accuse@", "count")  # prefixes of late calls and accusations, which answer no question

SIGNS: Final = str.maketrans({"♣": "C", "♠": "S", "♥": "H", "♦": "D", "★": "XX", "\ufe0f": None})
PROSE: Final = re.compile(r"\s|[.,;]|^[^0-9A-Z~!{]*$")
"""Marks of a line that does not attempt notation: blanks, punctuation, or neither a rank nor a capital."""


def explain_unreadable(text: str) -> str:
    """Return what would be right in place of a reply that is not notation, or an empty string.

    Cards with signs, in small letters or with a 10 have their notation; prose is a log on the wrong pipe.
    """
    said = text.strip().translate(SIGNS)
    cards = re.sub(r"10(?=[CSHDcshd])", "T", said)
    for meant in (said.lower(), cards, cards.upper()):
        if (found := _read_action(meant)) is not None:
            return f"in notation it is {found}"
    if not said:
        return "every line is an answer, an empty one too"
    if PROSE.search(said):
        return STDOUT_IS_FOR_ANSWERS
    return "an action is one of those in `legal`, such as 7S, QH>D or draw"


def _read_action(text: str) -> Action | None:
    try:
        return parse(text)
    except UnreadableAction:
        return None


def read_line(line: bytes) -> Reply:
    """Return a reply in either form."""
    if line.startswith(b"{"):
        return read_reply(line)
    return Reply(line.decode(errors="replace"))


def check_answer(text: str) -> str:
    """Return the text if it answers the question; raise Misplay for a late call or accusation."""
    if text.startswith(LATE):
        raise Misplay("illegal", f"{text[:80]!r} is not an answer; late calls and accusations go into `also`")
    return text


def carry_out(deal: Deal, seat: int, reply: Reply, also: Sequence[str], said: set[str]) -> None:
    """Carry out late calls and accusations, which must be among those listed (`also`), then the action.

    `said` are the calls that others have made on the same view; those of this reply are added. Misplay,
    IllegalAction or UnreadableAction give the reason; the deal may have changed before they are raised.
    """
    act = check_answer(reply.act)
    for late in reply.also:
        if late not in also:
            raise Misplay("illegal", f"{late[:80]!r} is not among the late calls and accusations open now")
    if not reply.also or not deal.allows(seat, act):
        deal.apply(seat, act)
        return
    for text in (*dict.fromkeys(reply.also), act):
        # A call that another seat made first, or that its action prevented, is no fault and costs nothing.
        if text not in said and deal.allows(seat, text):
            deal.apply(seat, text)
    said.update(reply.also)
