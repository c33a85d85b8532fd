"""Seedings in which two bots of one group, or of one account, meet late or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from maumau.contest.format.bracket.assignment import assign
from maumau.contest.format.single_elimination import standard_order
from maumau.contest.schedule.part import part_accounts


@lru_cache(maxsize=64)
def _spread_field(field: tuple[int, ...], pools: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    depth = (len(field) - 1).bit_length()
    lines = {seed - 1: line for line, seed in enumerate(standard_order(2**depth))}
    pool_of = {one: number for number, pool in enumerate(pools) for one in pool}
    taken: dict[int, list[int]] = {}  # by pool: the lines of the bracket that it has
    seeds: list[int] = []
    for rank in _split_ranks(field, pool_of):
        places = [lines[len(seeds) + place] for place in range(len(rank))]
        chosen = _choose_pools(rank, places, [taken.get(pool_of[one], []) for one in rank], depth)
        for one, line in zip(chosen, places, strict=True):
            taken.setdefault(pool_of[one], []).append(line)
        seeds += chosen
    return tuple(seeds)


def spread_pools(field: tuple[int, ...], pools: tuple[tuple[int, ...], ...]) -> list[int]:
    """Return the seeds of a bracket for a field in the order of its table.

    The winners of the pools keep their order. The runners-up change places among themselves so that the
    earliest meeting of two bots of one pool is as late as possible; where two of them could be exchanged, the
    better one has the better seed. Then the third of each pool, and so on.
    """
    return list(_spread_field(field, pools)) if pools else list(field)


@lru_cache(maxsize=64)
def _spread_accounts(field: tuple[int, ...], accounts: tuple[str, ...]) -> tuple[int, ...]:
    depth = (len(field) - 1).bit_length()
    lines = {seed - 1: line for line, seed in enumerate(standard_order(2**depth))}
    taken: dict[str, list[int]] = {}
    seeds: list[int] = []
    while tier := field[len(seeds) : 2 * len(seeds) or 1]:
        places = [lines[len(seeds) + place] for place in range(len(tier))]
        chosen = _choose_pools(tier, places, [taken.get(accounts[one - 1], []) for one in tier], depth)
        for one, line in zip(chosen, places, strict=True):
            taken.setdefault(accounts[one - 1], []).append(line)
        seeds += chosen
    return tuple(seeds)


def spread_accounts(field: tuple[int, ...], accounts: tuple[str, ...]) -> list[int]:
    """Return the field, in the order of its seeds, with bots of one account as far apart as seeds allow.

    Bots change places only among seeds that would go out in the same round if the better seed always won: 3
    and 4, 5 to 8, 9 to 16 … Where that is not enough, two bots of one account meet earlier. accounts: those
    of entrants 1, 2, 3 …
    """
    return list(_spread_accounts(field, accounts))


@lru_cache(maxsize=64)
def _spread_groups(field: tuple[int, ...], accounts: tuple[str, ...], count: int) -> tuple[int, ...]:
    held: list[list[str]] = [[] for _ in range(count)]
    table: list[list[int]] = []  # the entrants by row and group
    for start in range(0, len(field), count):
        row = field[start : start + count]
        columns = list(range(count))[:: -1 if start // count % 2 else 1][: len(row)]
        chosen = _choose_columns([accounts[one - 1] for one in row], [held[column] for column in columns])
        table.append([0] * count)
        for column, place in zip(columns, chosen, strict=True):
            held[column].append(accounts[row[place] - 1])
            table[-1][column] = row[place]
    if any(len(set(each)) < len(each) for each in held):
        table = part_accounts(table, accounts)
    lines = (row[:: -1 if number % 2 else 1] for number, row in enumerate(table))
    return tuple(one for line in lines for one in line if one)


def spread_groups(field: tuple[int, ...], accounts: tuple[str, ...], count: int) -> list[int]:
    """Return the field, in the order of its seeds, with bots of one account in different groups.

    Bots change places only within a row of the snake that deals the groups, so that each group still has one
    of the best `count` seeds, one of the next ones, and so on. Two bots of an account are in one group only
    if it has more bots than there are groups. accounts: those of entrants 1, 2, 3 …
    """
    return list(_spread_groups(field, accounts, count))


def _choose_columns(row: Sequence[str], held: Sequence[Sequence[str]]) -> list[int]:
    """Return the place in the row of each group's entrant. held: the accounts already in each group."""
    for most in range(max(map(len, held)) + 1):
        choices = [[n for n, one in enumerate(row) if each.count(one) <= most] for each in held]
        if found := assign(choices):
            return found
    return list(range(len(row)))


def _split_ranks(field: Sequence[int], pool_of: dict[int, int]) -> Iterator[list[int]]:
    """Yield the winners of all pools, their runners-up, …; the field is in the order of its table."""
    met: dict[int, int] = {}
    ranks: list[tuple[int, int]] = []
    for one in field:
        met[pool_of[one]] = met.get(pool_of[one], 0) + 1
        ranks.append((met[pool_of[one]], one))
    for _, both in groupby(ranks, key=lambda pair: pair[0]):
        yield [one for _, one in both]


def _choose_pools(
    rank: Sequence[int], places: Sequence[int], taken: Sequence[Sequence[int]], depth: int
) -> list[int]:
    """Return the entrants of a rank in the order of the places. taken: the lines that each one's pool has."""
    for late in range(depth, 0, -1):
        choices = [
            [n for n, lines in enumerate(taken) if all((place ^ line) >> (late - 1) for line in lines)]
            for place in places
        ]
        if found := assign(choices):
            return [rank[n] for n in found]
    return list(rank)
