"""Records: a deal written down, strict and readable.

A record holds the deal and what happened, hidden parts and all; everything that follows from the rules
(cards drawn, turns missed, who went out) is checked against them when it is played again (`replay.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from maumau.game.deal import Deal
from maumau.game.model.state import FORFEITS, GIVEN_UP
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import NAMES, STRIDE
from maumau.game.ruleset.rules import Rules, chosen_text

PLAIN: Final = re.compile(r"[^\s\"\[\]]+")
HEADER: Final = ("cut ", "refused ", "up ")  # events written among the cards
HELD: Final = "held"
QUIET: Final = ("window", "appeal")  # windows in which holding is not recorded
POLLS: Final = ("vote", "react")  # windows in which every reply is recorded
ASKED_TOGETHER: Final = (*QUIET, *POLLS)
MARK: Final = f"\n[forfeits {FORFEITS}]\n"
DEALS: Final = re.compile(r"(?m)^(?=\[maumau 1\]$)")
FORFEIT: Final = re.compile(r"forfeit ([A-J]) ([a-z]+)")


def record(d: Deal, result: tuple[list[int], list[int]] | None = None) -> str:
    """Return the deal's record: header, cards, events, and the result if it is over.

    `result`: its places and points, if they are known already.
    """
    lines = [
        "[maumau 1]",
        *table_lines(d.rules, d.seats),
        f"[{'hand' if d.made.by_hand else 'seed'}{_write_seed(d)}]",
    ]
    if d.made.first:
        lines.append(f"[first {SEATS[d.made.first]}]")
    if d.made.sizes:
        lines.append(f"[hands {write_numbers(d.made.sizes)}]")
    if d.faults and d.made.forfeits == FORFEITS:
        lines.append(f"[forfeits {FORFEITS}]")
    lines += write_cards(d)
    lines += list_told_events(d)
    if d.over:
        places, points = result or (d.places, d.points)
        lines.append(f"result places {write_numbers(places)} points {write_numbers(points)}")
    return "\n".join(lines) + "\n"


def list_lost_seats(text: str, *, is_game: bool = False) -> tuple[int, ...]:
    """Return the seats that lost the deal of a record by a fault, or gave up its game; sorted.

    None in a record from before version 2 of forfeits.
    """
    if MARK not in text:
        return ()
    deals = [one for one in DEALS.split(text) if MARK in one]
    found = (FORFEIT.fullmatch(line) for one in deals for line in one.split("\n"))
    lost = {SEATS.index(fault[1]) for fault in found if fault and (not is_game or fault[2] in GIVEN_UP)}
    return tuple(sorted(lost))


def drop_mark(text: str) -> str:
    """Return a record without its mark of forfeits, so that lines of two records can be compared."""
    return text.replace(MARK, "\n")


def count_early_forfeits(text: str) -> int:
    """Return the number of deals of a record or of several whose forfeits are from before version 2."""
    return sum("\nforfeit " in one and MARK not in one for one in DEALS.split(text))


def table_lines(rules: Rules, seats: int) -> list[str]:
    """Return the header lines of the rules, the rules added by players, and the number of seats."""
    added = [f"[added {' '.join(rules.added)}]"] if rules.added else []
    return [f"[rules {rules.name} {chosen_text(rules)} {rules.hash}]", *added, f"[seats {seats}]"]


def _write_seed(d: Deal) -> str:
    text = d.seed.text
    return "" if d.made.by_hand and not text else " " + seed_text(text)


def seed_text(text: str) -> str:
    """Return a seed as it is written: plain where possible, else as JSON."""
    return text if PLAIN.fullmatch(text) else msgspec.json.encode(text).decode()


def write_cards(d: Deal) -> list[str]:
    lines = [_write_line(f"deal {SEATS[seat]}", d.made.dealt[seat]) for seat in range(d.seats)]
    lines.append(_write_line("up", (d.made.up,)))
    lines += [_write_line("cut", d.made.cut)] if d.made.cut else []
    if d.made.by_hand:
        lines.append(_write_line("stock", d.made.laid))
        lines += [_write_line("rest", d.made.rest)] if d.made.rest else []
    return lines


def list_told_events(d: Deal, start: int = 0) -> list[str]:
    """Return the events from number `start` on that are not in the header, as the cut and up cards are.

    Before some of them it is said that windows had closed with nobody reacting.
    """
    texts = [event if isinstance(event, str) else event.full for event in d.log[start:]]
    if not d.court.held:
        return [text for text in texts if not text.startswith(HEADER)]
    told = []
    for at, text in enumerate(texts, start):
        if not text.startswith(HEADER):
            told += [HELD] * d.court.held.get(at, 0)
            told.append(text)
    return told


def event_lines(d: Deal) -> list[int]:
    """Return the number of event lines in the record after the first n events, for each n from 0 on."""
    lines = [0]
    for at, event in enumerate(d.log):
        header = isinstance(event, str) and event.startswith(HEADER)
        lines.append(lines[-1] + (0 if header else 1 + d.court.held.get(at, 0)))
    return lines


def _write_line(head: str, cards: Iterable[int]) -> str:
    return " ".join([head, *[NAMES[(card.bit_length() - 1) % STRIDE] for card in cards]])


def write_numbers(values: list[int]) -> str:
    """Numbers by seat, as a line has them."""
    return " ".join(map(str, values))
