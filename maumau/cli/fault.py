"""A fault as its author sees it: in words, and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from maumau.cli.output import plain

if TYPE_CHECKING:
    from maumau.answer import Fault, FaultSummary, GetFaultResponse, RuleSet
    from maumau.bot.fault import Fault as Made
    from maumau.game import Rules
    from maumau.page.page import Told


def fault_parts(found: GetFaultResponse) -> Iterator[str]:
    """All about a fault, and its deal's record."""
    fault = found.fault
    yield fault_head(found)
    yield _used(fault)
    for title, text in _texts(fault):
        yield f"\n{title}:\n{plain(text)}"
    yield from ("", "record:", plain(found.record.rstrip("\n")))


def fault_head(found: GetFaultResponse) -> str:
    """Who made a fault, where and which."""
    fault = found.fault
    seats = len(found.names) or 2
    seat = (fault.entrant - fault.seating) % seats
    who = plain(found.names[seat]) if found.names else f"entrant {fault.entrant}"
    return f"{who} in set {fault.deal}, seating {fault.seating}: {fault.kind}, {plain(fault.words)}"


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

    from maumau.page.page import from_record, write

    deal = from_record(title, found.record, own_rules(found.rules))
    names = list(found.names) or deal.names
    write(path, [blamed(replace(deal, names=names), found.fault)])


def own_rules(rules: RuleSet | None) -> Rules | None:
    """The variant of somebody's own that a record may name."""
    from maumau.game import load_text

    return load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None


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
