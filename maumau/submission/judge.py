"""Judgement of single replies, by the rules at the decision that was asked."""

from __future__ import annotations

from maumau.errors import IllegalAction, UnreadableAction
from maumau.game import parse
from maumau.protocol.fault import Misplay
from maumau.protocol.reply import explain_unreadable, read_line
from maumau.submission.sample import Sample


def judge_reply(question: Sample, line: bytes) -> str:
    """Return a note on an allowed reply, or an empty string; raise Misplay with the reason if not allowed."""
    deal, seat = question.deal, question.seat
    reply = read_line(line)
    also = deal.also(seat)
    for late in reply.also:
        if late not in also:
            raise Misplay("illegal", f"{late[:80]!r} in its `also` was not listed under `also`: {also}")
    try:
        action = parse(reply.act.strip())
    except UnreadableAction as error:
        raise Misplay("unreadable", f"{error}; {explain_unreadable(reply.act)}") from error
    try:
        deal.copy().apply(seat, action)
    except IllegalAction as error:
        raise Misplay("illegal", str(error)) from error
    owed = deal.due(seat, action)
    if owed and not action.text.endswith(owed):
        return f"it left out the call that {action.text} owes ({owed}): the variant has its price"
    return ""
