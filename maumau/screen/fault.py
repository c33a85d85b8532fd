"""A fault in a list, and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maumau.screen.output import plain

if TYPE_CHECKING:
    from maumau.client.answer import FaultSummary, GetFaultResponse


def fault_line(one: FaultSummary, where: str) -> str:
    """Return a fault's line in a list, with the last exception; a block's forfeits share one line."""
    from maumau.protocol.fault import FORFEIT

    if one.kind == FORFEIT:
        deals = "1 more deal" if one.deals == 1 else f"{one.deals:,} more deals"
        return f"{one.id}  {where}{deals} forfeited after the fifth fault"
    error = f": {plain(one.error)}" if one.error else ""
    return f"{one.id}  {where}set {one.set}, seating {one.seating}: {one.kind}, {plain(one.words)}{error}"


def fault_page(path: Path, title: str, found: GetFaultResponse) -> None:
    """Write a page that shows the deal at the moment of the fault, with the fault's facts."""
    from maumau.page.fault import show_fault
    from maumau.page.file import write_file

    write_file(path, [show_fault(title, found)])
