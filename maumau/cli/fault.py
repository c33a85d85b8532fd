"""A fault in a list, and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maumau.cli.output import plain
from maumau.page.fault import list_texts, say_use

if TYPE_CHECKING:
    from maumau.answer import Fault, FaultSummary, GetFaultResponse, RuleSet
    from maumau.bot.fault import Fault as Made
    from maumau.game import Rules
    from maumau.page.page import Told


def fault_line(one: FaultSummary, where: str) -> str:
    """A fault in a list, with the exception that ended the program; all forfeits of a block are one line."""
    from maumau.bot.fault import FORFEIT

    if one.kind == FORFEIT:
        deals = "1 more deal" if one.deals == 1 else f"{one.deals:,} more deals"
        return f"{one.id}  {where}{deals} forfeited after the fifth fault"
    error = f": {plain(one.error)}" if one.error else ""
    return f"{one.id}  {where}set {one.set}: {one.kind}, {plain(one.words)}{error}"


def fault_page(path: Path, title: str, found: GetFaultResponse) -> None:
    """A page that shows the deal at the moment of the fault, and all about it."""
    from msgspec.structs import replace

    from maumau.page.file import write_file
    from maumau.page.page import tell_record

    deal = tell_record(title, found.record, own_rules(found.rules))
    names = list(found.names) or deal.names
    write_file(path, [blamed(replace(deal, names=names), found.fault)])


def own_rules(rules: RuleSet | None) -> Rules | None:
    """The variant of somebody's own that a record may name."""
    from maumau.game import load_text

    return load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None


def blamed(deal: Told, fault: Fault | Made) -> Told:
    """A deal for a page, with the fault by which somebody has lost it."""
    from msgspec.structs import replace

    from maumau.page.page import blame_seat

    seat = (fault.entrant - fault.seating) % len(deal.names)
    parts = [("used", say_use(fault)), *list_texts(fault)]
    return replace(deal, blame=blame_seat(deal, seat, f"{fault.kind}, {fault.words}", parts))
