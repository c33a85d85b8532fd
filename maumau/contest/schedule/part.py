"""Rows of entrants over groups, moved within their rows until no two of one account are in a group.

Rows and accounts are the two sides of a bipartite graph, entrants are its edges and groups their colours: no
two edges of a row, nor of an account, have the same colour. Such a graph has a colouring with as many colours
as its largest degree (Kőnig 1916), so it exists if no account has more bots than there are groups. Whoever is
in the way of another is put back along a chain of two colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

Vertex = tuple[str, int]
"""A share of an account: no more bots than there are groups."""
NOBODY: Final = 0


def part_accounts(table: Sequence[Sequence[int]], accounts: Sequence[str]) -> list[list[int]]:
    """Return the rows, each with the same entrants, with bots of an account in as many groups as possible.

    table: a row of entrants by group; the last may have empty places, with 0, which stay where they are.
    """
    parting = _Parting(table, accounts)
    for number, row in enumerate(table):
        for column, one in enumerate(row):
            parting.place(number, column, one)
    parting.place_rest()
    return _restore_gaps(table, parting.rows)


class _Parting:
    """A colouring as far as it is made. rows: entrants by group, None where nobody is yet."""

    def __init__(self, table: Sequence[Sequence[int]], accounts: Sequence[str]) -> None:
        self.count = len(table[0])
        self.rows: list[list[int | None]] = [[None] * self.count for _ in table]
        self.shares: dict[int, Vertex] = {}
        self.taken: dict[Vertex, dict[int, int]] = {}  # the row of each share's bot, by group
        self.rest: list[tuple[int, int]] = []
        met: dict[str, int] = {}
        for row in table:
            for one in sorted(filter(None, row)):
                account = accounts[one - 1]
                self.shares[one] = account, met.get(account, 0) // self.count
                met[account] = met.get(account, 0) + 1

    def place(self, row: int, column: int, one: int) -> None:
        """Leave an entrant where it is, unless another of its share is in this group."""
        if one == NOBODY:
            self.rows[row][column] = one
        elif column in self.taken.setdefault(self.shares[one], {}):
            self.rest.append((row, one))
        else:
            self._put(row, column, one)

    def _put(self, row: int, column: int, one: int) -> None:
        self.rows[row][column] = one
        if one != NOBODY:
            self.taken[self.shares[one]][column] = row

    def place_rest(self) -> None:
        """Place the others, in the order of their rows."""
        for row, one in self.rest:
            free = [column for column in range(self.count) if self.rows[row][column] is None]
            taken = self.taken[self.shares[one]]
            both = next((column for column in free if column not in taken), None)
            if both is None:
                both = free[0]
                self._exchange(self.shares[one], both)
            self._put(row, both, one)

    def _exchange(self, share: Vertex, column: int) -> None:
        """Free a group for a share: exchange two groups along the chain of rows that begins with it."""
        other = next(each for each in range(self.count) if each not in self.taken[share])
        chain: list[int] = []
        at: Vertex | None = share
        while at is not None and column in self.taken[at]:
            chain.append(row := self.taken[at][column])
            follower = self.rows[row][other]
            at = self.shares[follower] if follower else None
        moved = [(row, self.rows[row][column], self.rows[row][other]) for row in chain]
        for _, first, second in moved:
            for one, group in ((first, column), (second, other)):
                if one:
                    del self.taken[self.shares[one]][group]
        for row, first, second in moved:
            self.rows[row][column], self.rows[row][other] = second, first
            for one, group in ((first, other), (second, column)):
                if one:
                    self.taken[self.shares[one]][group] = row


def _restore_gaps(table: Sequence[Sequence[int]], rows: Sequence[Sequence[int | None]]) -> list[list[int]]:
    """Return the rows with whole groups exchanged so that the gaps of the last are where they were."""
    filled = [[one or NOBODY for one in row] for row in rows]
    for column, one in enumerate(table[-1]):
        if (one == NOBODY) != (filled[-1][column] == NOBODY):
            other = next(
                each
                for each in range(column + 1, len(table[-1]))
                if (table[-1][each] == NOBODY) != (filled[-1][each] == NOBODY)
                and (filled[-1][each] == NOBODY) == (one == NOBODY)
            )
            for row in filled:
                row[column], row[other] = row[other], row[column]
    return filled
