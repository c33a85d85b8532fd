"""The drawing of rounds at tables, in which all pairs meet as equally often as possible.

It depends on the numbers of entrants, seats and rounds alone. A field of n sits at ⌈n / seats⌉ tables whose
sizes differ by at most one.

Where n = qᵐ with q seats, or one less, the parallel classes of the affine space of dimension m over GF(q) are
rounds in which every two meet exactly once: 9 by 3, 16 by 4, 25 by 5, 64 by 4 or by 8, 15 by 4 … (a field of
one less leaves out a point).

Otherwise a whole cycle is cyclic (Bose 1939; Anderson, "Combinatorial Designs and Tournaments", 1997): the
tables of a first round are turned by one in each next round, modulo n, or modulo n - 1 with one entrant who
does not move if n is even. Every two of the same difference then meet equally often, and a search over first
rounds, as few as that takes, makes the numbers of all differences equal within one. Fewer rounds than a
cycle, and those after the last whole one, come from a search that exchanges two entrants of two tables of a
round as long as that evens out who meets whom. Where a cycle is not quite level, each further one is played
under other names, which a search exchanges so that those meet less who have met more. All searches are random
with a fixed seed, and compute with whole numbers, so that every machine finds the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Final

Table = tuple[int, ...]
Turn = tuple[Table, ...]
"""The tables of a round; players are numbers from 0."""

MODULI: Final[dict[int, tuple[int, int, tuple[int, ...]]]] = {
    3: (3, 1, ()),
    4: (2, 2, (1, 1)),
    5: (5, 1, ()),
    7: (7, 1, ()),
    8: (2, 3, (1, 1, 0)),
    9: (3, 2, (2, 0)),
}
"""Of each field: its prime, its degree, and the power of x of that degree, lowest coefficient first."""

MOST_FIRSTS: Final = 6
"""The most first rounds of a cycle."""
TRIES: Final = 4
"""The number of first rounds that are searched."""
STEPS: Final = 1500
"""Exchanges that a search for first rounds tries."""
EXCHANGES: Final = 30_000
"""Exchanges that the search for rounds tries, in one search of a large field or in several of a small one."""
EXCHANGES_A_SEAT: Final = 80
"""Exchanges after which a search has settled, by player and round."""
RENAMINGS: Final = 20
"""Exchanges of two names that the search for those of a further cycle tries, by player."""


@lru_cache(maxsize=32)
def draw_tables(players: int, seats: int, rounds: int) -> tuple[Turn, ...]:
    """Return the tables of each round."""
    if players > seats and rounds < players - 1 and not find_power(players, seats):
        turns = _search_rounds(players, seats, rounds)
    else:
        cycle = draw_cycle(players, seats)
        whole, rest = divmod(rounds, len(cycle))
        turns = _repeat_cycle(players, seats, cycle, whole) if whole else []
        turns += cycle[:rest] if find_power(players, seats) else _search_rounds(players, seats, rest, turns)
    rng = random.Random(f"order {players} {seats}")  # noqa: S311 - so that neighbours vary
    return tuple(tuple(_shuffle_items(rng, table) for table in turn) for turn in turns)


def count_rounds(players: int, seats: int) -> int:
    """Return the fewest rounds in which everybody can meet everybody."""
    return -(-(players - 1) // (min(seats, players) - 1))


@lru_cache(maxsize=32)
def draw_cycle(players: int, seats: int) -> tuple[Turn, ...]:
    """Return rounds after which meetings of any two differ by at most one."""
    if players <= seats:
        return ((tuple(range(players)),),)
    if power := find_power(players, seats):
        return tuple(_leave_out(turn, players) for turn in _draw_space(seats, power))
    return tuple(turn for first in _find_firsts(players, seats) for turn in _turn_round(players, first))


Meetings = list[list[int]]
"""Counts of meetings of two players; the last row is for empty seats at smaller tables."""


def _count_meetings(players: int, turns: Sequence[Sequence[Sequence[int]]]) -> Meetings:
    met = [[0] * (players + 1) for _ in range(players + 1)]
    for turn in turns:
        largest = max(map(len, turn))
        for table in turn:
            for a, b in combinations(table if len(table) == largest else [*table, players], 2):
                met[a][b] += 1
                met[b][a] += 1
    return met


def _repeat_cycle(players: int, seats: int, cycle: tuple[Turn, ...], times: int) -> list[Turn]:
    """Return the cycle repeated; unless all meet equally often in it, each time with players renamed."""
    own = _count_meetings(players, cycle)
    if len({own[a][b] for a, b in combinations(range(players), 2)}) == 1:
        return [*cycle * times]
    met, turns = [row.copy() for row in own], [*cycle]
    for number in range(1, times):
        rng = random.Random(f"again {players} {seats} {number}")  # noqa: S311 - the same for all
        names = _rename_players(rng, own, met)
        turns += [tuple(tuple(names[one] for one in table) for table in turn) for turn in cycle]
        for row, name in zip(own, names, strict=True):
            for other, count in zip(names, row, strict=True):
                met[name][other] += count
    return turns


def _rename_players(rng: random.Random, own: Meetings, met: Meetings) -> list[int]:
    """Return the names under which a cycle evens out the meetings before it, as far as the search finds.

    An exchange is kept unless the sum of the squares of all meetings grows.
    """
    players = len(own) - 1
    names = [*_shuffle_items(rng, tuple(range(players))), players]
    for _ in range(RENAMINGS * players):
        one, other = int(rng.random() * players), int(rng.random() * players)
        mine, its = met[names[one]], met[names[other]]
        pairs = zip(names, own[one], own[other], strict=True)
        change = sum([(its[name] - mine[name]) * (a - b) for name, a, b in pairs])
        for place in (one, other):  # the two meet as often as before
            change -= (its[names[place]] - mine[names[place]]) * (own[one][place] - own[other][place])
        if change <= 0:
            names[one], names[other] = names[other], names[one]
    return names


def find_power(players: int, seats: int) -> int:
    """Return m if seatsᵐ players, or one fewer, have an exact design; else 0."""
    if seats not in MODULI:
        return 0
    return next((m for m in range(2, 6) if 0 <= seats**m - players <= 1), 0)


def list_sizes(players: int, seats: int) -> list[int]:
    """Return the sizes of the tables, the larger ones first."""
    tables = -(-players // seats)
    small, more = divmod(players, tables)
    return [small + 1] * more + [small] * (tables - more)


def _leave_out(turn: Turn, players: int) -> Turn:
    return tuple(tuple(one for one in table if one < players) for table in turn)


def _draw_space(order: int, dimensions: int) -> Iterator[Turn]:
    """Yield the parallel classes of lines of the affine space over the field of this order."""
    points = list(product(range(order), repeat=dimensions))
    place = {point: number for number, point in enumerate(points)}
    for way in points:
        lead = next((each for each in way if each), 0)
        if lead != 1:  # each direction once
            continue
        steps = [tuple(_multiply_elements(order, scale, each) for each in way) for scale in range(order)]
        left = set(points)
        tables: list[Table] = []
        for point in points:
            if point in left:
                line = [
                    tuple(_add_elements(order, a, b) for a, b in zip(point, step, strict=True))
                    for step in steps
                ]
                left.difference_update(line)
                tables.append(tuple(place[one] for one in line))
        yield tuple(tables)


def _split_digits(order: int, element: int) -> list[int]:
    prime, degree, _ = MODULI[order]
    return [element // prime**power % prime for power in range(degree)]


@lru_cache(maxsize=1024)
def _add_elements(order: int, one: int, other: int) -> int:
    prime = MODULI[order][0]
    both = zip(_split_digits(order, one), _split_digits(order, other), strict=True)
    return sum((a + b) % prime * prime**power for power, (a, b) in enumerate(both))


@lru_cache(maxsize=1024)
def _multiply_elements(order: int, one: int, other: int) -> int:
    """Return the product of two elements: polynomials over the prime field, modulo an irreducible one."""
    prime, degree, top = MODULI[order]
    found = [0] * (2 * degree - 1)
    for i, a in enumerate(_split_digits(order, one)):
        for j, b in enumerate(_split_digits(order, other)):
            found[i + j] += a * b
    for power in range(2 * degree - 2, degree - 1, -1):
        for i, each in enumerate(top):
            found[power - degree + i] += each * found[power]
    return sum(each % prime * prime**power for power, each in enumerate(found[:degree]))


def _turn_round(players: int, first: Turn) -> Iterator[Turn]:
    """Yield the rounds that follow from the first one, turned by one each time."""
    moving = players - 1 + players % 2
    for by in range(moving):
        yield tuple(tuple((one + by) % moving if one < moving else one for one in table) for table in first)


def _find_firsts(players: int, seats: int) -> tuple[Turn, ...]:
    """Return as few first rounds as level the cycle; if the search finds none, the nearest to level."""
    found = min(_search_firsts(players, seats), key=lambda one: one.spread)
    return tuple(tuple(map(tuple, tables)) for tables in found.turns)


def _search_firsts(players: int, seats: int) -> Iterator[_Firsts]:
    for count in range(1, MOST_FIRSTS + 1):
        for number in range(TRIES):
            rng = random.Random(f"cycle {players} {seats} {count} {number}")  # noqa: S311 - the same for all
            firsts = _Firsts(players, [_deal_tables(rng, players, seats) for _ in range(count)])
            firsts.level_firsts(rng)
            yield firsts
            if firsts.spread <= 1:
                return


def _deal_tables(rng: random.Random, players: int, seats: int) -> list[list[int]]:
    order = list(_shuffle_items(rng, tuple(range(players))))
    return [[order.pop() for _ in range(size)] for size in list_sizes(players, seats)]


def _shuffle_items(rng: random.Random, items: Table) -> Table:
    """Return the items in random order; `random` alone is the same in every release of Python."""
    return tuple(item for _, item in sorted((rng.random(), item) for item in items))


def _pick_exchange(rng: random.Random, tables: Sequence[Sequence[int]]) -> tuple[int, int, int, int]:
    """Return two tables and a place at each."""
    here = int(rng.random() * len(tables))
    there = (here + 1 + int(rng.random() * (len(tables) - 1))) % len(tables)
    return here, there, int(rng.random() * len(tables[here])), int(rng.random() * len(tables[there]))


class _Firsts:
    """First rounds of a cycle. counts: how often two players of a kind of difference meet over the cycle.

    Kind 0 is that with the player who does not move, whom each of the others meets in turn.
    """

    def __init__(self, players: int, turns: list[list[list[int]]]) -> None:
        moving = players - 1 + players % 2
        kinds = [min(by, moving - by) for by in range(moving)]
        self.turns, self.fewest = turns, players % 2  # the first kind that occurs
        self.kinds = [
            [0 if max(a, b) == moving else kinds[(a - b) % moving] for b in range(players)]
            for a in range(players)
        ]
        self.counts = [0] * (moving // 2 + 1)
        for table in (table for turn in turns for table in turn):
            for a, b in combinations(table, 2):
                self.counts[self.kinds[a][b]] += 1

    @property
    def spread(self) -> int:
        """By how much the meetings of two players differ."""
        shown = self.counts[self.fewest :]
        return max(shown) - min(shown)

    def level_firsts(self, rng: random.Random) -> None:
        """Exchange players of a round as long as that evens out the counts."""
        for _ in range(STEPS):
            if self.spread <= 1:
                return
            tables = self.turns[int(rng.random() * len(self.turns))]
            here, there, i, j = _pick_exchange(rng, tables)
            self._exchange_players(tables[here], tables[there], i, j)

    def _exchange_players(self, here: list[int], there: list[int], i: int, j: int) -> None:
        a, b, kinds = here[i], there[j], self.kinds
        moves = [(kinds[a][one], kinds[b][one]) for one in here if one != a]
        moves += [(kinds[b][one], kinds[a][one]) for one in there if one != b]
        before, counts = self.counts, self.counts.copy()
        for old, new in moves:
            counts[old] -= 1
            counts[new] += 1
        if sum(each * each for each in counts) <= sum(each * each for each in before):
            here[i], there[j], self.counts = b, a, counts


def _search_rounds(players: int, seats: int, rounds: int, before: Sequence[Turn] = ()) -> list[Turn]:
    """Return rounds after which everybody has met everybody as equally often as the search finds."""
    if not rounds:
        return []
    exchanges = min(EXCHANGES, EXCHANGES_A_SEAT * players * rounds)
    rng = random.Random(f"rounds {players} {seats} {rounds}")  # noqa: S311 - the same for all
    met, found = _count_meetings(players, before), list[_Rounds]()
    for _ in range(EXCHANGES // exchanges):
        found.append(_Rounds(players, [_deal_tables(rng, players, seats) for _ in range(rounds)], met))
        found[-1].level_rounds(rng, exchanges)
    best = min(found, key=lambda one: one.unevenness)
    return [tuple(map(tuple, tables)) for tables in best.turns]


class _Rounds:
    """Rounds. before: the meetings in earlier ones. met: those in all."""

    def __init__(self, players: int, turns: list[list[list[int]]], before: Meetings) -> None:
        self.turns, self.missing = turns, players
        self.largest = max(map(len, turns[0]))
        found = zip(before, _count_meetings(players, turns), strict=True)
        self.met = [[a + b for a, b in zip(*rows, strict=True)] for rows in found]

    def _fill_table(self, table: list[int]) -> list[int]:
        return table if len(table) == self.largest else [*table, self.missing]

    @property
    def unevenness(self) -> int:
        """The sum of the squares of all meetings, which is the least if they are even."""
        return sum(each * each for row in self.met for each in row)

    def level_rounds(self, rng: random.Random, exchanges: int) -> None:
        """Exchange players of a round as long as that evens out the meetings."""
        for _ in range(exchanges):
            tables = self.turns[int(rng.random() * len(self.turns))]
            here, there, i, j = _pick_exchange(rng, tables)
            self._exchange_players(tables[here], tables[there], i, j)

    def _exchange_players(self, here: list[int], there: list[int], i: int, j: int) -> None:
        """Exchange two players unless the sum of the squares of all meetings grows."""
        a, b = here[i], there[j]
        mine, its = self.met[a], self.met[b]
        left = [one for one in self._fill_table(here) if one != a]
        right = [one for one in self._fill_table(there) if one != b]
        change = sum([its[one] - mine[one] for one in left]) + sum([mine[one] - its[one] for one in right])
        if change + len(left) + len(right) > 0:
            return
        here[i], there[j] = b, a
        for stays, old, new in ((left, a, b), (right, b, a)):
            for one in stays:
                for other, by in ((old, -1), (new, 1)):
                    self.met[one][other] += by
                    self.met[other][one] += by
