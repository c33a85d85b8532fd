"""A fault in words, as its author sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from maumau.protocol.crash import find_error
from maumau.protocol.words import clean_text

if TYPE_CHECKING:
    from maumau.client.answer import Fault, GetFaultResponse, RuleSet
    from maumau.game import Rules
    from maumau.page.page import PageDeal
    from maumau.protocol.fault import Fault as Made


def fault_parts(found: GetFaultResponse) -> Iterator[str]:
    """Yield all about a fault, what its author needs first, and its deal's record."""
    fault = found.fault
    yield fault_head(found)
    if fault.exit and (error := find_error(fault.stderr)):
        yield clean_text(error)
    yield say_use(fault)
    for title, text in list_texts(fault):
        yield f"\n{title}:\n{clean_text(text)}"
    yield from ("", "record:", clean_text(found.record.rstrip("\n")))


def fault_head(found: GetFaultResponse) -> str:
    """Return player, place and kind of a fault."""
    fault = found.fault
    who = clean_text(name_faulty_bot(found)) or f"entrant {fault.entrant}"
    return f"{who} in set {fault.deal}, seating {fault.seating}: {fault.kind}, {clean_text(fault.words)}"


def name_faulty_bot(found: GetFaultResponse) -> str:
    """Return the name of the bot that made a fault, or an empty string if it is not known."""
    fault, names = found.fault, found.names
    return names[(fault.entrant - fault.seating) % len(names)] if names else ""


def build_fault_file(title: str, found: GetFaultResponse) -> str:
    """Return a self-contained page that shows the deal at the moment of a fault, and all about it."""
    from maumau.page.file import build_file

    return build_file([show_fault(title, found)])


def show_fault(title: str, found: GetFaultResponse) -> PageDeal:
    """Return the deal of a fault for a page, at the moment of it."""
    from msgspec.structs import replace

    from maumau.page.page import tell_record

    deal = tell_record(title, found.record, load_own_rules(found.rules))
    names = list(found.names) or deal.names
    return blame_fault(replace(deal, names=names), found.fault)


def load_own_rules(rules: RuleSet | None) -> Rules | None:
    """Return the custom variant that a record may name."""
    from maumau.game import load_text

    return load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None


def blame_fault(deal: PageDeal, fault: Fault | Made) -> PageDeal:
    """Return a deal for a page, with the fault by which somebody has lost it."""
    from msgspec.structs import replace

    from maumau.page.page import blame_seat

    seat = (fault.entrant - fault.seating) % len(deal.names)
    parts = [("used", say_use(fault)), *list_texts(fault)]
    return replace(deal, blame=blame_seat(deal, seat, f"{fault.kind}, {fault.words}", parts))


def say_use(fault: Fault | Made) -> str:
    """Return time and memory, and how the program ended."""
    ended = f", {clean_text(fault.exit)}" if fault.exit else ""
    return f"{fault.cpu_ms:.0f} ms CPU, {fault.wall_ms:.0f} ms on the wall, {fault.memory_mib:.0f} MiB{ended}"


def list_texts(fault: Fault | Made) -> list[tuple[str, str]]:
    """Return what it printed, was asked and said, each with its title."""
    parts = [("stderr", fault.stderr), ("asked", fault.ask), ("lines", "\n".join(fault.lines))]
    return [(title, text.rstrip()) for title, text in parts if text]
