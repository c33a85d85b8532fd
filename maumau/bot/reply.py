"""How a reply is read and carried out: the same in blocks, in checks of conformance, and at live tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from maumau.bot.fault import Misplay
from maumau.bot.message import Reply, read_reply
from maumau.game import Deal

LATE: Final = ("!", "accuse@", "count")  # how late calls and accusations begin: they answer no question


def read_line(line: bytes) -> Reply:
    """Either form of a reply."""
    if line.startswith(b"{"):
        return read_reply(line)
    return Reply(line.decode(errors="replace"))


def check_answer(text: str) -> str:
    """A reply must answer the question."""
    if text.startswith(LATE):
        raise Misplay("illegal", f"{text[:80]!r} is not an answer; late calls and accusations go into `also`")
    return text


def carry_out(deal: Deal, seat: int, reply: Reply, also: Sequence[str], said: set[str]) -> None:
    """First the late calls and accusations, which must be among those listed (`also`), then the action.

    `said` are those that others have made on the same view; those of this reply are added. Misplay,
    IllegalAction or UnreadableAction say what is wrong, and the deal may have gone on by then.
    """
    act = check_answer(reply.act)
    for late in reply.also:
        if late not in also:
            raise Misplay("illegal", f"{late[:80]!r} is not among the late calls and accusations open now")
    if not reply.also or not deal.allows(seat, act):
        deal.apply(seat, act)
        return
    for text in (*dict.fromkeys(reply.also), act):
        # What another seat said first, or what that has changed, is no fault and costs nothing.
        if text not in said and deal.allows(seat, text):
            deal.apply(seat, text)
    said.update(reply.also)
