"""The order of validations: lanes, addresses and accounts take turns by the workers' time they used. Pure.

A tree of nodes: below the root a lane for established accounts and one for newcomers, below a lane the
addresses that opened accounts, below an address its accounts, each with the versions that wait, in order of
arrival. Each node has `used`, the time that it has cost, and is `due` when it would have
used what its next version is expected to take; the node due first comes first. So each address has
an equal share of its lane, however many accounts it opened, and each account an equal share of its address.
"""

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

PLAIN = 30_000  # expected milliseconds of a validation
BUILD = 300_000  # the same for a build step: its limit
ESTABLISHED, NEWCOMERS = "established", "newcomers"
WEIGHTS = {NEWCOMERS: 10}
"""Factors by which a lane's time counts: while others wait, newcomers get an eleventh of all time."""
NEVER = 1 << 62  # due time of a node with nothing waiting
ROOT = ""


class Waits(NamedTuple):
    """A waiting version. turn: the key of its account's node. cost: expected ms."""

    since: int
    id: str
    turn: str
    cost: int


def find_cost(*, builds: bool) -> int:
    """Return the expected milliseconds of a validation."""
    return PLAIN + BUILD * builds


def make_key(*, newcomer: bool, address: str, account_id: str) -> str:
    """Return the key of an account's node. address: "" if an admin opened it; it then has one of its own."""
    return "/".join((NEWCOMERS if newcomer else ESTABLISHED, address or account_id, account_id))


def parent_of(key: str) -> str:
    """Return the key of the node above."""
    return key.rpartition("/")[0]


def path_of(key: str) -> list[str]:
    """Return the keys of the nodes from the lane down to this one."""
    parts = key.split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


def weigh_time(key: str, time: int) -> int:
    """Return the time as it counts at this node."""
    return time * WEIGHTS.get(key, 1)


def find_due(key: str, used: int, cost: int) -> int:
    """Return the due time of a node. cost: of its next version; 0: none waits."""
    return used + weigh_time(key, cost) if cost else NEVER


def order_versions(waiting: Iterable[Waits], used: Mapping[str, int]) -> Iterator[Waits]:
    """Yield the versions in the order of their turns, provided that no other arrives.

    used: of each node, by its key.
    """
    tree = _Tree(used)
    for one in sorted(waiting):
        tree.queues[one.turn].append(one)
    return tree.take_all()


class _Tree:
    """The tree that the registry keeps in its database, with heaps instead of indexes."""

    def __init__(self, used: Mapping[str, int]) -> None:
        self.used = defaultdict(int, used)
        self.queues: dict[str, deque[Waits]] = defaultdict(deque)
        self.entries: dict[str, tuple[int, int, str]] = {}  # of each node: due, since, key
        self.costs: dict[str, int] = {}
        self.heaps: dict[str, list[tuple[int, int, str]]] = defaultdict(list)  # of children's entries

    def take_all(self) -> Iterator[Waits]:
        for key in self.queues:
            self._refresh_node(key)
        while top := self._find_first(ROOT):
            yield self._take_first(top)

    def _take_first(self, key: str) -> Waits:
        while key not in self.queues:
            key = self._find_first(key)
        taken = self.queues[key].popleft()
        for node in path_of(key):
            self.used[node] += weigh_time(node, taken.cost)
        self._refresh_node(key)
        return taken

    def _refresh_node(self, key: str) -> None:
        """Recompute what comes next at an account's node and at the nodes above it."""
        queue = self.queues[key]
        self._settle_cost(key, queue[0].cost if queue else 0, queue[0].since if queue else 0)
        while key := parent_of(key):
            first = self._find_first(key)
            self._settle_cost(key, self.costs.get(first, 0), self.entries[first][1] if first else 0)

    def _settle_cost(self, key: str, cost: int, since: int) -> None:
        entry = find_due(key, self.used[key], cost), since, key
        self.costs[key] = cost
        if self.entries.get(key) != entry:
            self.entries[key] = entry
            if cost:
                heapq.heappush(self.heaps[parent_of(key)], entry)

    def _find_first(self, key: str) -> str:
        """Return the child that is due first, "" if nothing waits; drop stale entries."""
        heap = self.heaps[key]
        while heap and self.entries[heap[0][2]] != heap[0]:
            heapq.heappop(heap)
        return heap[0][2] if heap else ""
