"""Test whether a bot helps another: loses to it on purpose, or makes the others at a table lose to it.

A table of two or more is known by its sets n, the mean share s of each player (of the others that it beat,
per seating) and the mean products of two shares. With strengths θ a share is expected to be Σ p over the
others, p = 1 / (1 + exp(θj - θi)); ε is the share beyond that, J its derivative by θ. Of helper h and helped
b two leads of b are looked at, over the tables at which both sit, weighed by their sets, in shares of a
seating of two:

- *against*: of ε_b over ε_h, which b gains if h loses to it;
- *in favour*: of ε_b over the mean ε of the others there, which b gains if h troubles the others for it.

The strengths are fitted to all tables, so a lead a·ε is partly explained away: what is left of it is
a·ε - v·C·Σnε, with v = Σ Jᵀa and C the inverse of Σ nJ. Its variance follows from the covariance of the
shares, as in a sandwich estimate, and so does the part of a true lead that is left. A pair whose results
decide its own strengths, as in a bracket, leaves less than `LEAST_LEFT` and is not tested. Nor is a pair if
somebody else sits at more than half of its tables, in sets, who may as well be the one that is helped.

Styles suit each other, so a mean lead up to `STYLE` is nobody's help. Beyond it, z = (lead - STYLE) / error
and the mixture of Robbins (1970), one-sided, whose prior is half-normal with the deviation `PRIOR`, with
w = PRIOR² / error²:

    e = 2·(1 + w)^-½·exp(z²w / 2(1 + w))·Φ(z·√(w / (1 + w)))

which a true lead of STYLE or less ever lifts above 1 / p with a chance of at most p, whenever somebody looks.
Tables of a pair that is found are left out of the fit and of all other tests, since whoever sat there too
gained as well; pairs with one of the two are tested again, so that several helpers do not hide each other.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import permutations
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maumau.contest.statistics.pod import Pod
from maumau.contest.statistics.rating import ELO, SIGMA, Duel, Floats, win_chance
from maumau.contest.statistics.sequential import Sums

ALPHA: Final = 0.01
"""The chance that anybody is named among honest bots."""

STYLE: Final = 0.02
"""The lead, in shares of a seating, that styles which suit each other may explain."""

PRIOR: Final = 0.2
"""The deviation of the leads that help is expected to make."""

LEAST_LEFT: Final = 0.2
"""The part of a lead that the fit must leave for a test of it."""

MOST_NAMED: Final = 50
STEPS: Final = 50
RESTS: Final = 1e-9
LARGEST: Final = 700.0

Way = Literal["against", "in favour"]
WAYS: Final[tuple[Way, ...]] = ("against", "in favour")


class SharedTable(NamedTuple):
    """Sets of the same players. shares: the mean of each; products: the mean of each two, a row each."""

    players: tuple[int, ...]
    sets: int
    shares: Floats
    products: Floats


class Help(NamedTuple):
    """A lead of `helped` over what all other results predict, where `helper` sits at its table.

    way: over the helper, or over the others. lead, error: in shares of a seating, 0.5 is all that can be won.
    tables: how many, by their positions. p: at least the chance that honest bots ever seem to help so much.
    named: p is at most `ALPHA` divided by the number of tests.
    """

    helper: int
    helped: int
    way: Way
    sets: int
    lead: float
    error: float
    p: float
    named: bool
    tables: tuple[int, ...]


def table_of_two(first: int, second: int, sums: Sums) -> SharedTable:
    """Return the sets of a match between two."""
    x = sums.total / (sums.unit * sums.sets)
    q = sums.squares / (sums.unit**2 * sums.sets)
    return SharedTable(
        (first, second), sums.sets, np.array([x, 1 - x]), np.array([[q, x - q], [x - q, 1 - 2 * x + q]])
    )


def table_of_pod(pod: Pod) -> SharedTable:
    """Return the sets of a table of more than two."""
    seats = len(pod.players)
    products = np.zeros((seats, seats))
    products[np.triu_indices(seats)] = pod.products
    products = np.triu(products) + np.triu(products, 1).T
    unit = 2.0 * seats
    return SharedTable(
        pod.players, pod.sets, np.array(pod.totals) / unit / pod.sets, products / unit**2 / pod.sets
    )


def tables_of(duels: Iterable[Duel], pods: Iterable[Pod]) -> list[SharedTable]:
    """Return the tables of matches of two and of more, those without a set left out."""
    of_two = [table_of_two(one.first, one.second, one.sums) for one in duels if one.sums.sets]
    return [*of_two, *(table_of_pod(pod) for pod in pods if pod.sets)]


def find_help(size: int, tables: Sequence[SharedTable]) -> list[Help]:
    """Return the test of each two of `size` players in each way, those with the least p first."""
    if not tables:
        return []
    together = _list_together(tables)
    tests, groups = _list_tests(tables, together), _group_tables(tables)
    alpha = ALPHA / max(1, len(tests))
    lines: dict[_Test, Help | None] = {}
    again, out = list(tests), dict[int, set[int]]()
    while True:
        fit = _Fit(size, tables, groups, out)
        lines |= {test: fit.test_help(test, _list_fair(test, together, out)) for test in again}
        known = sorted((one for one in lines.values() if one), key=_rank_help)
        least = next((one for one in known if not one.named), None)
        if least is None or least.p > alpha or sum(one.named for one in known) == MOST_NAMED:
            return known
        pair = least.helper, least.helped
        lines[_Test(*pair, least.way)] = least._replace(named=True)
        for table in least.tables:
            out.setdefault(table, set(pair))
        again = [one for one in tests if one.shares_player(pair) and not _is_named(lines[one])]


def _list_fair(
    test: _Test, together: Mapping[tuple[int, int], list[int]], out: Mapping[int, set[int]]
) -> list[int]:
    """Return the tables of a test, without those at which another pair was found."""
    pair = {test.helper, test.helped}
    return [one for one in together[test.helper, test.helped] if out.get(one, pair) == pair]


class _Test(NamedTuple):
    """A lead of one bot, where another one sits at its table."""

    helper: int
    helped: int
    way: Way

    def shares_player(self, pair: tuple[int, int]) -> bool:
        return self.helper in pair or self.helped in pair


def _is_named(line: Help | None) -> bool:
    return line is not None and line.named


def _rank_help(line: Help) -> tuple[bool, float, int, int, Way]:
    return not line.named, line.p, line.helper, line.helped, line.way


def _list_together(tables: Sequence[SharedTable]) -> Mapping[tuple[int, int], list[int]]:
    """Return the positions of the tables at which two sit, by both orders of the two."""
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for position, table in enumerate(tables):
        for pair in permutations(table.players, 2):
            found[pair].append(position)
    return found


def _list_tests(tables: Sequence[SharedTable], together: Mapping[tuple[int, int], list[int]]) -> list[_Test]:
    """Return helper, helped and way of all tests; at tables of two there are no others to trouble."""
    larger = {pair for pair, at in together.items() if any(len(tables[one].players) > 2 for one in at)}
    return [
        _Test(*pair, way) for pair in sorted(together) for way in WAYS if way == "against" or pair in larger
    ]


class _Fit:
    """Strengths fitted to tables, but for some that are left out."""

    def __init__(
        self, size: int, tables: Sequence[SharedTable], groups: Sequence[_Group], out: Collection[int]
    ) -> None:
        self.tables, self.out = tables, out
        kept = [group.leave_out(out) for group in groups]
        self.theta, self.inverse = _search_strengths(size, kept)
        self.rest: dict[int, _Rest] = {}
        middle = np.zeros((size, size))
        for group, whole in zip(kept, groups, strict=True):
            whole.compare_rest(self.theta, self.rest)
            group.add_scatter(middle)
        self.sandwich = self.inverse @ middle @ self.inverse

    def test_help(self, test: _Test, at: Sequence[int]) -> Help | None:
        """Return a test over the tables at these positions, None where too little is left of a lead."""
        used = [one for one in at if test.way == "against" or len(self.tables[one].players) > 2]
        sets = sum(self.tables[one].sets for one in used)
        if not used or self._has_company(test, used, sets):
            return None
        leads = [self.tables[one].sets / sets * _weigh_shares(self.tables[one].players, test) for one in used]
        lead, left, variance = self._weigh_leads(used, leads, sets)
        if left < LEAST_LEFT:
            return None
        lead, error = lead / left, math.sqrt(max(variance, 0.0)) / left
        p = find_p(lead, error)
        return Help(*test, sets, lead, error, p, named=False, tables=tuple(used))

    def _has_company(self, test: _Test, used: Sequence[int], sets: int) -> bool:
        """Return True if somebody else sits at most of these tables too, and may be who is helped."""
        met: dict[int, int] = defaultdict(int)
        for one in used:
            for player in self.tables[one].players:
                met[player] += self.tables[one].sets
        return any(2 * met[player] > sets for player in met.keys() - {test.helper, test.helped})

    def _weigh_leads(
        self, used: Sequence[int], leads: Sequence[Floats], sets: int
    ) -> tuple[float, float, float]:
        """Return what the fit leaves of a lead, of a unit of it, and the variance of the former."""
        pulled = np.zeros(len(self.theta))
        for one, lead in zip(used, leads, strict=True):
            np.add.at(pulled, list(self.tables[one].players), self.rest[one].slope.T @ lead)
        support = np.flatnonzero(pulled)
        v = pulled[support]
        given = self.inverse[:, support] @ v
        total, left = 0.0, 0.0
        variance = float(v @ self.sandwich[np.ix_(support, support)] @ v)
        for one, lead in zip(used, leads, strict=True):
            rest, table = self.rest[one], self.tables[one]
            shift = lead / (lead @ lead) * (table.sets / sets)  # a lead of one at each table
            own = table.sets * given[list(table.players)] if one not in self.out else np.zeros(len(lead))
            total += float(lead @ rest.beyond)
            left += float((lead - own) @ shift)
            variance += float(lead @ rest.covariance @ (lead - 2 * own))
        return total, left, variance


class _Rest(NamedTuple):
    """The part of a table that strengths do not explain: shares beyond the expected, slope, covariance."""

    beyond: Floats
    slope: Floats
    covariance: Floats


class _Group(NamedTuple):
    """Tables of one size as arrays; positions: among all tables. covariance: of the mean shares of each."""

    positions: NDArray[np.int64]
    who: NDArray[np.int64]
    sets: Floats
    shares: Floats
    covariance: Floats

    def leave_out(self, out: Collection[int]) -> _Group:
        """Return the group without the tables at these positions."""
        kept = ~np.isin(self.positions, sorted(out))
        who, sets, shares = self.who[kept], self.sets[kept], self.shares[kept]
        return _Group(self.positions[kept], who, sets, shares, self.covariance[kept])

    def find_bends(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return the shares beyond those expected, and the derivative of the expected ones."""
        chances = win_chance(theta[self.who][:, :, None], theta[self.who][:, None, :])
        seats = np.eye(self.who.shape[1])
        bends = chances * (1 - chances) * (1 - seats)
        slope: Floats = seats * bends.sum(axis=2)[:, :, None] - bends
        beyond: Floats = self.shares - chances.sum(axis=2) + 0.5  # each has one half against itself
        return beyond, slope

    def add_gradient(self, theta: Floats, slope: Floats, bend: Floats) -> None:
        """Add the gradient and the information of these tables."""
        beyond, bends = self.find_bends(theta)
        np.add.at(slope, self.who, self.sets[:, None] * beyond)
        np.add.at(bend, (self.who[:, :, None], self.who[:, None, :]), self.sets[:, None, None] * bends)

    def add_scatter(self, middle: Floats) -> None:
        """Add the covariance of the gradient."""
        scatter = self.sets[:, None, None] ** 2 * self.covariance
        np.add.at(middle, (self.who[:, :, None], self.who[:, None, :]), scatter)

    def compare_rest(self, theta: Floats, rest: dict[int, _Rest]) -> None:
        """Enter what strengths leave of each table, by its position."""
        beyond, slope = self.find_bends(theta)
        rows = zip(self.positions.tolist(), beyond, slope, self.covariance, strict=True)
        rest.update((position, _Rest(*row)) for position, *row in rows)


def _group_tables(tables: Sequence[SharedTable]) -> list[_Group]:
    """Return the tables by their size."""
    found: dict[int, list[int]] = defaultdict(list)
    for position, table in enumerate(tables):
        found[len(table.players)].append(position)
    return [_stack_tables(at, [tables[one] for one in at]) for _, at in sorted(found.items())]


def _stack_tables(positions: Sequence[int], tables: Sequence[SharedTable]) -> _Group:
    sets = np.array([float(one.sets) for one in tables])
    shares = np.array([one.shares for one in tables])
    scatter = np.array([one.products for one in tables]) - shares[:, :, None] * shares[:, None, :]
    seats = shares.shape[1]
    random = (seats + 1) / 12 * (seats * np.eye(seats) - 1)  # a deal with random places
    covariance = (scatter + random / sets[:, None, None]) / (sets + 1)[:, None, None]
    who = np.array([one.players for one in tables])
    return _Group(np.array(positions), who, sets, shares, covariance)


def _search_strengths(size: int, groups: Sequence[_Group]) -> tuple[Floats, Floats]:
    """Return the strengths by Newton's method, and the inverse of their information."""
    theta: Floats = np.zeros(size)
    ridge = (ELO / SIGMA) ** 2
    inverse: Floats = np.eye(size) / ridge
    for _ in range(STEPS):
        slope: Floats = -ridge * theta
        bend: Floats = ridge * np.eye(size)
        for group in groups:
            group.add_gradient(theta, slope, bend)
        inverse = np.asarray(np.linalg.inv(bend), np.float64)
        step = inverse @ slope
        theta += step / max(1.0, float(np.abs(step).max()))
        if float(np.abs(step).max()) < RESTS:
            break
    return theta, inverse


def _weigh_shares(players: Sequence[int], test: _Test) -> Floats:
    """Return the weights of the players' shares in a lead, per seating and pair of players."""
    helper, helped, way = test
    found = np.zeros(len(players))
    found[players.index(helped)] = 1
    others = [helper] if way == "against" else [one for one in players if one not in {helper, helped}]
    for one in others:
        found[players.index(one)] -= 1 / len(others)
    return found / len(players)


def find_p(lead: float, error: float) -> float:
    """Return 1 / e, at most 1."""
    z, weight = (lead - STYLE) / error, (PRIOR / error) ** 2
    part = weight / (1 + weight)
    normal = 0.5 * math.erfc(-z * math.sqrt(part / 2))
    if not normal:
        return 1.0
    exponent = min(z * z * part / 2, LARGEST)
    e = 2 / math.sqrt(1 + weight) * math.exp(exponent) * normal
    return min(1.0, 1 / e)
