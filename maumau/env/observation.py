"""Observations: what a seat sees, as one row of whole numbers with named parts.

A row is made from the seat's own cards and from what lies open, as a view is (maumau/game/view.py). Cards
are counted by kind, in the order of `Encoder.cards`; seats come by their distance, oneself first.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maumau.env.choices import KEEP, RESCUE, Choices
from maumau.env.table import EnvTable
from maumau.game import Deal
from maumau.game.notation.cards import FACES, NAMES, STRIDE, list_codes
from maumau.game.swiss import plenum
from maumau.game.table import side

Row = NDArray[np.uint8]
Rows = NDArray[np.uint8]
MOST: Final = 255
ASKS: Final = (
    "turn", "answer", "cover", "again", "keep", "wish", "doubt", "rescue", "window", "chain", "appeal",
    "vote", "react",
)  # fmt: skip
NOTHING: Final = len(ASKS)
NUMBER: Final = {ask: number for number, ask in enumerate((*ASKS, ""))}
Gathered = tuple[Any, ...]
gather: Final[Callable[[Deal], Gathered]] = attrgetter(
    "hands", "stock", "made.full", "top", "wish", "owed", "skips", "direction", "active", "asks", "to_act"
)


class Encoder:
    """The observation of a table: `fields` are its named parts, `most` the highest value of each number."""

    def __init__(self, choices: Choices) -> None:
        compiled = choices.compiled
        self.choices, self.seats, self.copies = choices, choices.seats, compiled.pack.copies
        self.cards = [NAMES[code] for code in compiled.pack.kinds]
        self.violations: list[str] = [*compiled.law.kinds]
        self.open = not (compiled.blind.applies or compiled.left.replaces)
        self.fields: dict[str, slice] = {}
        self.size = 0
        highest: list[int] = []
        for name, size, most in self._list_fields():
            self.fields[name] = slice(self.size, self.size + size)
            self.size += size
            highest += [most] * size
        self.most = np.array(highest, dtype=np.uint8)
        self._kinds = np.array(compiled.pack.kinds)
        self._column_of = {code: at for at, code in enumerate(compiled.pack.kinds)}
        self._tops = _mark_each(len(NAMES), compiled.pack.kinds)
        self._around = np.arange(self.seats)
        self._rare = {KEEP, RESCUE} if compiled.dealing.cut or compiled.rescue else set()
        self._often = bool(
            choices.own_calls or compiled.has_card_sets or compiled.blind.applies or compiled.law.applies
        )

    def _list_fields(self) -> list[tuple[str, int, int]]:
        """Return the parts with their sizes and highest values."""
        compiled, seats, kinds = self.choices.compiled, self.seats, len(self.cards)
        copies, whole = compiled.pack.copies, min(MOST, compiled.pack.full.bit_count())
        law = compiled.law.applies
        listed = [
            (True, "ask", len(ASKS), 1),
            (True, "hand", kinds, copies),
            (self.open, "pile", kinds, copies),
            (True, "top", kinds, 1),
            (True, "wish", 4, 1),
            (True, "owed", 1, MOST),
            (True, "skips", 1, MOST),
            (True, "clockwise", 1, 1),
            (True, "stock", 1, whole),
            (True, "counts", seats, whole),
            (True, "out", seats, 1),
            (self.choices.puts, "put", kinds, copies),
            (self.choices.own_calls, "call", 2, 1),
            (compiled.dealing.cut, "shown", kinds, copies),
            (bool(compiled.rescue), "drawn", kinds, 1),
            (compiled.blind.applies, "claim", kinds, 1),
            (compiled.blind.applies, "claimed_by", seats, 1),
            (law, "side", seats, whole),
            (law, "queens", seats, 1),
            (law, "violation", len(self.violations), 1),
            (law, "accuser", seats, 1),
            (law, "accused", seats, 1),
        ]
        return [(name, size, most) for there, name, size, most in listed if there and size]

    def encode(self, tables: Sequence[EnvTable], seats: Sequence[int]) -> Rows:
        """Return a row for each table, as this seat of it sees it."""
        return self.write([gather(table.deal) for table in tables], tables, seats)

    def write(self, gathered: Sequence[Gathered], tables: Sequence[EnvTable], seats: Sequence[int]) -> Rows:
        """Return the rows of these tables, whose deals were gathered while they were in the cache."""
        rows = np.zeros((len(tables), self.size), dtype=np.uint8)
        hands, stocks, fulls, *numbers, asks, asked = zip(*gathered, strict=True)
        places = (np.array(seats)[:, None] + self._around) % self.seats
        if self.choices.compiled.law.applies:
            deals = [table.deal for table in tables]
            fulls = tuple(d.made.full & ~d.court.lying for d in deals)
        held = _split_words(list(chain.from_iterable(hands)), self.copies).reshape(*places.shape, -1)
        lines = np.arange(len(tables))
        self._write_cards(rows, held[lines[:, None], places], stocks, fulls)
        kinds = [
            NUMBER[ask] if seat in to else NOTHING for ask, to, seat in zip(asks, asked, seats, strict=True)
        ]
        columns = [np.frombuffer(array("h", column), dtype=np.int16) for column in numbers]
        self._write_numbers(rows, kinds, columns, places)
        if self._often or not self._rare.isdisjoint(asks):
            for row, table, seat, ask in zip(rows, tables, seats, asks, strict=True):
                if self._often or ask in self._rare:
                    self._write_rest(row, table, seat)
        return rows

    def _write_cards(
        self, rows: Rows, hands: NDArray[np.uint64], stocks: Sequence[int], fulls: Sequence[int]
    ) -> None:
        """Write the parts that are cards; hands are given as (row, distance, copy)."""
        stock = _split_words(stocks, self.copies)
        rows[:, self.fields["counts"]] = np.bitwise_count(hands).sum(axis=2, dtype=np.uint8)
        rows[:, self.fields["stock"].start] = np.bitwise_count(stock).sum(axis=1, dtype=np.uint8)
        rows[:, self.fields["hand"]] = self._count_kinds(hands[:, 0])
        if self.open:
            held = np.bitwise_or.reduce(hands, axis=1) | stock
            rows[:, self.fields["pile"]] = self._count_kinds(_split_words(fulls, self.copies) & ~held)

    def _count_kinds(self, sets: NDArray[np.uint64]) -> Rows:
        """Return the number of each kind of card in sets given as (row, copy)."""
        packed = np.ascontiguousarray(sets).view(np.uint8)
        bits = np.unpackbits(packed, axis=1, bitorder="little")
        copies = sets.shape[1]
        if copies > 1:
            bits = bits.reshape(len(sets), copies, STRIDE).sum(axis=1, dtype=np.uint8)
        return bits[:, self._kinds]

    def _write_numbers(
        self, rows: Rows, asks: list[int], numbers: list[NDArray[np.int16]], places: NDArray[np.int64]
    ) -> None:
        top, wish, owed, skips, direction, active = numbers
        fields = self.fields
        rows[:, fields["ask"]] = _ASK_ROWS[asks]
        rows[:, fields["top"]] = self._tops[top]
        rows[:, fields["wish"]] = _WISH_ROWS[wish]
        rows[:, fields["owed"].start] = np.minimum(owed, MOST)
        rows[:, fields["skips"].start] = np.minimum(skips, MOST)
        rows[:, fields["clockwise"].start] = direction > 0
        rows[:, fields["out"]] = 1 - (active[:, None] >> places & 1)

    def _write_rest(self, row: Row, table: EnvTable, seat: int) -> None:
        """Write the parts that only some variants have."""
        d, fields, chooses = table.deal, self.fields, seat == table.seat
        if chooses and table.parts:
            self._add(row[fields["put"]], table.parts)
        if chooses and table.call:
            row[fields["call"]][len(table.call) - 1] = 1
        if d.asks == KEEP and "shown" in fields:
            self._add(row[fields["shown"]], [code for card in d.made.cut for code in list_codes(card)])
        if d.asks == RESCUE and chooses and "drawn" in fields:
            self._add(row[fields["drawn"]], table.menu.actions[0].cards[:1])
        claimed = d.features.claimed
        if claimed is not None:
            self._add(row[fields["claim"]], [claimed.action.claim])
            self._point(row[fields["claimed_by"]], claimed.seat, seat)
        if d.compiled.law.applies:
            self._write_court(row, d, seat)

    def _write_court(self, row: Row, d: Deal, seat: int) -> None:
        fields = self.fields
        lying = side.count_penalty_cards(d)
        row[fields["side"]] = lying[seat:] + lying[:seat]
        if d.features.queens >= 0:
            self._point(row[fields["queens"]], d.features.queens, seat)
        charge = plenum.get_current_charge(d)
        if charge is not None:
            row[fields["violation"]][self.violations.index(charge.violation.kind)] = 1
            self._point(row[fields["accuser"]], charge.by, seat)
            self._point(row[fields["accused"]], charge.violation.seat, seat)

    def _add(self, part: Row, codes: Sequence[int]) -> None:
        for code in codes:
            part[self._column_of[code]] += 1

    def _point(self, part: Row, other: int, seat: int) -> None:
        part[(other - seat) % self.seats] = 1

    def split(self, row: Row) -> dict[str, Row]:
        """Return a row's parts by name."""
        return {name: row[part] for name, part in self.fields.items()}


def _mark_each(size: int, codes: Sequence[int]) -> Rows:
    """Return a row for each number up to `size`, marked at its place among these; the last is for none."""
    marks = np.zeros((size + 1, len(codes)), dtype=np.uint8)
    for at, code in enumerate(codes):
        marks[code, at] = 1
    return marks


def _split_words(sets: Sequence[int], copies: int) -> NDArray[np.uint64]:
    """Return sets of cards as rows of words, one for each copy."""
    if copies == 1:
        return np.frombuffer(array("Q", sets), dtype=np.uint64).reshape(-1, 1)
    words = [cards >> STRIDE * copy & FACES for cards in sets for copy in range(copies)]
    return np.frombuffer(array("Q", words), dtype=np.uint64).reshape(-1, copies)


_ASK_ROWS: Final = _mark_each(len(ASKS), range(len(ASKS)))
_WISH_ROWS: Final = _mark_each(4, range(4))
