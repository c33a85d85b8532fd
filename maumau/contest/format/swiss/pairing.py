"""Pairings of a Swiss round: the cheapest complete matching, by costs that make it the only cheapest one.

In this order, each only where those before are equal:

1. The bye, if the number is odd, goes to one of those with the fewest byes.
2. As few rematches as possible.
3. The bye goes to the fewest walkovers won, then to the fewest points, then to the last seed.
4. The squares of the differences in points add up to as little as possible.
5. As few as possible float in the same direction as in the round before: meet fewer points again, or more.
6. Upper half against lower half of those with equal points, by seed; the last of them floats down, to the
   first of those below.
7. A fixed pseudo-random number for each two seeds: of all complete matchings a single one has the least sum
   (isolation lemma; of 256 entrants two could tie once in 10^9 rounds).

All costs are one whole number, compared exactly, so that the pairing does not depend on machine, library or
the order in which entrants are given. The matching is by rustworkx, which is imported with the first of them.

Fields of at most `FORESIGHT` look ahead: a pairing must leave enough for the rounds to come, or five bots
would meet again in the fourth of five rounds. A larger field cannot run out of opponents within half as many
rounds as it has entrants (Dirac's theorem), which the default does not exceed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import shake_128
from itertools import combinations, count
from typing import Final, NamedTuple

FORESIGHT: Final = 10
"""The largest field, a bye included, that looks ahead."""
MOST_TRIED: Final = 20_000
"""Pairings that a search ahead may try; with one round for each opponent left it would take minutes."""
DRAW_BITS, DRAW_BYTES = 48, 6
COST_BITS: Final = 120
"""Bits of a sum of costs: rustworkx computes with 128, a few of them its own."""
NOBODY: Final = -1
"""The opponent of the bye, among seeds from 0."""

Pair = tuple[int, int]
Cost = tuple[int, int, int]
"""Two positions, the lower one first, and what it costs to pair them."""


class SwissPlayer(NamedTuple):
    """An entrant before a round. seed: from 0. points: in halves. opponents: their seeds.

    walkovers: those that it won. floated: 1 if it met more points in the last round, -1 if fewer or a bye.
    """

    seed: int
    points: int = 0
    opponents: tuple[int, ...] = ()
    byes: int = 0
    walkovers: int = 0
    floated: int = 0


class SwissPairing(NamedTuple):
    """The pairs of a round by seed, the first board first, and the seed with the bye, or None."""

    pairs: tuple[Pair, ...]
    bye: int | None = None


@lru_cache(maxsize=256)
def pair_round(players: tuple[SwissPlayer, ...], ahead: int) -> SwissPairing | None:
    """Return the pairing of a round, or None if every two have met.

    players: those still in, by seed. ahead: rounds to come after this one. The pairing follows from these
    alone; it is kept, since a tournament asks for its earlier rounds with each result.
    """
    if all(b.seed in a.opponents for a, b in combinations(players, 2)):
        return None
    byes = list_byes(players)
    size = len(players) + len(players) % 2
    found = _pair_far(players, byes, ahead) if ahead and size <= FORESIGHT else None
    return found or _pair_near(players, byes)


def list_byes(players: Sequence[SwissPlayer]) -> list[SwissPlayer | None]:
    """Return the players that may have the bye, preferred ones first; [None] if the number is even."""
    if len(players) % 2 == 0:
        return [None]
    fewest = min(one.byes for one in players)
    allowed = [one for one in players if one.byes == fewest]
    return [*sorted(allowed, key=lambda one: (one.walkovers, one.points, -one.seed))]


def _pair_near(players: Sequence[SwissPlayer], byes: Sequence[SwissPlayer | None]) -> SwissPairing:
    """Return the cheapest pairing of this round alone."""
    pairs = _pair_rest(players, byes[0])
    if len(byes) == 1 or not any(b.seed in a.opponents for a, b in pairs):
        return _order_pairs(pairs, byes[0])
    bye = _find_bye(players, byes)
    return _order_pairs(_pair_rest(players, bye), bye)


def _find_bye(players: Sequence[SwissPlayer], byes: Sequence[SwissPlayer | None]) -> SwissPlayer:
    """Return the player whose bye leaves the fewest rematches; of several the first one of `byes`."""
    span = len(byes) + 1
    costs = [
        (i, j, span * players[i].opponents.count(players[j].seed))
        for i, j in combinations(range(len(players)), 2)
    ]
    costs += [(i, len(players), byes.index(one)) for i, one in enumerate(players) if one in byes]
    [(chosen, _)] = [pair for pair in match_players(costs) if pair[1] == len(players)]
    return players[chosen]


def _pair_rest(
    players: Sequence[SwissPlayer], bye: SwissPlayer | None
) -> list[tuple[SwissPlayer, SwissPlayer]]:
    rest = [one for one in players if one != bye]
    return [(rest[i], rest[j]) for i, j in match_players(weigh_pairs(rest))]


def _order_pairs(pairs: Sequence[tuple[SwissPlayer, SwissPlayer]], bye: SwissPlayer | None) -> SwissPairing:
    """Return the pairs by board: the most points first, then the best seed."""
    boards = sorted(pairs, key=lambda pair: (-pair[0].points - pair[1].points, pair[0].seed))
    return SwissPairing(tuple((a.seed, b.seed) for a, b in boards), bye.seed if bye else None)


def weigh_pairs(players: Sequence[SwissPlayer]) -> list[Cost]:
    """Return the cost of every pair: the criteria from 2 on as digits of one number."""
    places, sizes = _place_in_groups(players)
    drawn = shake_128(b"swiss").digest(DRAW_BYTES * (players[-1].seed + 1) ** 2 // 2)
    rows: list[tuple[int, int, int, int]] = []
    draws: list[int] = []
    for (i, a), (j, b) in combinations(enumerate(players), 2):
        high, low = (a, b) if a.points >= b.points else (b, a)
        gap = high.points - low.points
        floats = (high.floated < 0) + (low.floated > 0) if gap else 0
        if gap:
            above, below = (i, j) if high is a else (j, i)
            off = sizes[high.points] - 1 - places[above] + places[below]
        else:
            off = places[j] - places[i] - sizes[a.points] // 2
        rows.append((a.opponents.count(b.seed) if b.seed in a.opponents else 0, gap * gap, floats, off * off))
        at = DRAW_BYTES * (b.seed * (b.seed - 1) // 2 + a.seed)
        draws.append(int.from_bytes(drawn[at : at + DRAW_BYTES], "big"))
    costs = _join_digits(rows, draws, len(players) // 2)
    return [(i, j, cost) for (i, j), cost in zip(combinations(range(len(players)), 2), costs, strict=True)]


def _place_in_groups(players: Sequence[SwissPlayer]) -> tuple[list[int], dict[int, int]]:
    """Return each player's place among those of equal points, from 0, and how many they are by points."""
    sizes: dict[int, int] = {}
    places: list[int] = []
    for one in players:
        places.append(sizes.get(one.points, 0))
        sizes[one.points] = places[-1] + 1
    return places, sizes


def _join_digits(
    rows: Sequence[tuple[int, int, int, int]], draws: Sequence[int], boards: int
) -> Iterator[int]:
    """Yield one number for each row, so large that sums over a matching compare digit by digit."""
    _, *spans = (boards * max(column) + 1 for column in zip(*rows, strict=True))
    gaps, floats, offs = spans
    most = boards * (max(row[0] for row in rows) + 1) * gaps * floats * offs
    bits = min(DRAW_BITS, COST_BITS - most.bit_length() - boards.bit_length())
    span = boards << bits
    for (met, gap, floated, off), draw in zip(rows, draws, strict=True):
        digits = ((met * gaps + gap) * floats + floated) * offs + off
        yield digits * span + (draw >> (DRAW_BITS - bits))


def match_players(costs: Sequence[Cost]) -> list[Pair]:
    """Return the complete matching of the least cost, sorted; [] if there is none."""
    import rustworkx  # loads NumPy: only a Swiss stage needs it

    size = max((max(i, j) for i, j, _ in costs), default=-1) + 1
    most = max((cost for *_, cost in costs), default=0)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph()
    graph.add_nodes_from([None] * size)
    graph.add_edges_from([(i, j, most - cost) for i, j, cost in costs])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    pairs = sorted((min(pair), max(pair)) for pair in found)
    return pairs if 2 * len(pairs) == size else []


def _pair_far(
    players: Sequence[SwissPlayer], byes: Sequence[SwissPlayer | None], ahead: int
) -> SwissPairing | None:
    """Return the cheapest pairing without a rematch that leaves the rounds to come without one.

    None if there is none, or if none was found among as many as may be tried.
    """
    foresight = Foresight()
    try:
        return _search_far(players, byes, ahead, foresight)
    except SearchEnded:
        return None


def _search_far(
    players: Sequence[SwissPlayer], byes: Sequence[SwissPlayer | None], ahead: int, foresight: Foresight
) -> SwissPairing | None:
    unmet = {(a.seed, b.seed) for a, b in combinations(players, 2) if b.seed not in a.opponents}
    unmet |= {(NOBODY, one.seed) for one in byes if one}
    field = frozenset({one.seed for one in players} | ({NOBODY} if len(players) % 2 else set()))
    for bye in byes:
        rest = [one for one in players if one != bye]
        costs = [cost for cost in weigh_pairs(rest) if (rest[cost[0]].seed, rest[cost[1]].seed) in unmet]
        for found in list_matchings(costs, len(rest)):
            foresight.try_one()
            pairs = [(rest[i], rest[j]) for i, j in found]
            used = {(a.seed, b.seed) for a, b in pairs} | ({(NOBODY, bye.seed)} if bye else set())
            if foresight.can_go_on(frozenset(unmet - used), field, ahead):
                return _order_pairs(pairs, bye)
    return None


def list_matchings(costs: Sequence[Cost], size: int) -> Iterator[list[Pair]]:
    """Yield all complete matchings of `size` positions, the cheapest first (Lawler's partition)."""
    price = {(i, j): cost for i, j, cost in costs}
    order = count()
    queue: list[tuple[int, int, list[Pair], list[Pair], set[Pair]]] = []

    def push(kept: list[Pair], banned: set[Pair]) -> None:
        found = _complete_matching(price, kept, banned, size)
        if found:
            heapq.heappush(queue, (sum(price[pair] for pair in found), next(order), found, kept, banned))

    push([], set())
    while queue:
        *_, found, kept, banned = heapq.heappop(queue)
        yield sorted(found)
        for at in range(len(kept), len(found)):
            push(found[:at], banned | {found[at]})


def _complete_matching(price: dict[Pair, int], kept: list[Pair], banned: set[Pair], size: int) -> list[Pair]:
    """Return the cheapest complete matching: first the pairs kept, none that is banned."""
    taken = {one for pair in kept for one in pair}
    free = [one for one in range(size) if one not in taken]
    if not free:
        return kept
    at = {one: position for position, one in enumerate(free)}
    costs = [
        (at[i], at[j], cost) for (i, j), cost in price.items() if i in at and j in at and (i, j) not in banned
    ]
    found = match_players(costs)
    return [*kept, *((free[i], free[j]) for i, j in found)] if 2 * len(found) == len(free) else []


class SearchEnded(Exception):
    """The search has tried as many pairings as it may."""


class Foresight:
    """A search whether rounds can go on, which ends after `MOST_TRIED` pairings: counted, not timed."""

    def __init__(self) -> None:
        self._left = MOST_TRIED
        self._known: dict[tuple[frozenset[Pair], int], bool] = {}

    def try_one(self) -> None:
        """Count a pairing; raise `SearchEnded` if it is one too many."""
        self._left -= 1
        if self._left < 0:
            raise SearchEnded

    def can_go_on(self, unmet: frozenset[Pair], field: frozenset[int], ahead: int) -> bool:
        """Return True if `ahead` rounds without a rematch remain, or as many as the fewest opponents allow.

        unmet: pairs of the field that may still meet.
        """
        fewest = min(sum(one in pair for pair in unmet) for one in field)
        ahead = min(ahead, fewest)
        if ahead == 0 or 2 * (fewest - ahead + 1) >= len(field):
            return True
        key = unmet, ahead
        if key not in self._known:
            self._known[key] = self._has_next(unmet, field, ahead)
        return self._known[key]

    def _has_next(self, unmet: frozenset[Pair], field: frozenset[int], ahead: int) -> bool:
        for found in _list_complete(unmet, field):
            self.try_one()
            if self.can_go_on(unmet - found, field, ahead - 1):
                return True
        return False


def _list_complete(unmet: frozenset[Pair], free: frozenset[int]) -> Iterator[frozenset[Pair]]:
    """Yield all complete matchings of the free players."""
    if not free:
        yield frozenset()
        return
    first = min(free)
    for pair in sorted(pair for pair in unmet if first in pair and free.issuperset(pair)):
        for others in _list_complete(unmet, free - set(pair)):
            yield others | {pair}
