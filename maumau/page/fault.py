"""A fault in words, as its author sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from maumau.bot.words import clean_text

if TYPE_CHECKING:
    from maumau.answer import Fault, GetFaultResponse
    from maumau.bot.fault import Fault as Made


def fault_parts(found: GetFaultResponse) -> Iterator[str]:
    """All about a fault, and its deal's record."""
    fault = found.fault
    yield fault_head(found)
    yield say_use(fault)
    for title, text in list_texts(fault):
        yield f"\n{title}:\n{clean_text(text)}"
    yield from ("", "record:", clean_text(found.record.rstrip("\n")))


def fault_head(found: GetFaultResponse) -> str:
    """Who made a fault, where and which."""
    fault = found.fault
    seats = len(found.names) or 2
    seat = (fault.entrant - fault.seating) % seats
    who = clean_text(found.names[seat]) if found.names else f"entrant {fault.entrant}"
    return f"{who} in set {fault.deal}, seating {fault.seating}: {fault.kind}, {clean_text(fault.words)}"


def say_use(fault: Fault | Made) -> str:
    """Time and memory, and how the program ended."""
    ended = f", {clean_text(fault.exit)}" if fault.exit else ""
    return f"{fault.cpu_ms:.0f} ms CPU, {fault.wall_ms:.0f} ms on the wall, {fault.memory_mib:.0f} MiB{ended}"


def list_texts(fault: Fault | Made) -> list[tuple[str, str]]:
    """What it was asked, said and printed, each with its title."""
    parts = [("asked", fault.ask), ("lines", "\n".join(fault.lines)), ("stderr", fault.stderr)]
    return [(title, text.rstrip()) for title, text in parts if text]
