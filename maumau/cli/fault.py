"""A fault as its author sees it: in words, and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from maumau.cli.output import plain

if TYPE_CHECKING:
    from maumau.answer import Fault, GetFaultResponse
    from maumau.bot.fault import Fault as Made
    from maumau.page.page import Told


def fault_parts(found: GetFaultResponse) -> Iterator[str]:
    """All about a fault, and its deal's record."""
    fault = found.fault
    yield f"entrant {fault.entrant}, deal {fault.deal}, seating {fault.seating}: {fault.kind}, {fault.words}"
    yield _used(fault)
    for title, text in _texts(fault):
        yield f"\n{title}:\n{plain(text)}"
    yield from ("", "record:", plain(found.record.rstrip("\n")))


def fault_page(path: Path, title: str, found: GetFaultResponse) -> None:
    """A page that shows the deal at the moment of the fault, and all about it."""
    from maumau.page.page import from_record, write

    write(path, [blamed(from_record(title, found.record), found.fault)])


def blamed(deal: Told, fault: Fault | Made) -> Told:
    """A deal for a page, with the fault by which somebody has lost it."""
    from msgspec.structs import replace

    from maumau.page.page import blame

    seat = (fault.entrant - fault.seating) % len(deal.names)
    parts = [("used", _used(fault)), *_texts(fault)]
    return replace(deal, blame=blame(deal, seat, f"{fault.kind}, {fault.words}", parts))


def _used(fault: Fault | Made) -> str:
    ended = f", {plain(fault.exit)}" if fault.exit else ""
    return f"{fault.cpu_ms:.0f} ms CPU, {fault.wall_ms:.0f} ms on the wall, {fault.memory_mib:.0f} MiB{ended}"


def _texts(fault: Fault | Made) -> list[tuple[str, str]]:
    parts = [("asked", fault.ask), ("lines", "\n".join(fault.lines)), ("stderr", fault.stderr)]
    return [(title, text.rstrip()) for title, text in parts if text]
