"""Whether a reply would be a fault, by the rules at the very decision that was asked."""

from __future__ import annotations

from maumau.bot.fault import Misplay
from maumau.bot.reply import read_line
from maumau.bot.sample import Sample
from maumau.errors import IllegalAction, UnreadableAction
from maumau.game import parse


def judge_reply(question: Sample, line: bytes) -> str:
    """Whether a reply is allowed at this very decision; Misplay says why not. A note in words, or nothing."""
    deal, seat = question.deal, question.seat
    reply = read_line(line)
    also = deal.also(seat)
    for late in reply.also:
        if late not in also:
            raise Misplay("illegal", f"{late[:80]!r} in its `also` was not listed under `also`: {also}")
    try:
        action = parse(reply.act.strip())
    except UnreadableAction as error:
        raise Misplay("unreadable", str(error)) from error
    try:
        deal.copy().apply(seat, action)
    except IllegalAction as error:
        raise Misplay("illegal", str(error)) from error
    owed = deal.due(seat, action)
    if owed and not action.text.endswith(owed):
        return f"it left out the call that {action.text} owes ({owed}): the variant has its price"
    return ""
