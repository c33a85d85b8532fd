"""Who plays whom next on a ladder: a pure function of what was played, who waits, and a seed.

Six of ten pairs ask which bot is the best. The chance that two players come first, each in a sample of the
posterior (top-two sampling), is the share of the sets that they should have; the pair furthest below its
share comes next. Two of ten go to the pair that has played least, so that the whole order is found and nobody
is left alone, and two of ten to a new version, against its parent and the players nearest to it. While no
version is new, these two also ask for the best; once the best is clear, pairs that would ask for it go to the
least played. Before all that come who has waited too long, and pairs between groups that never met, without
which their ratings cannot be compared. Where only the whole order is asked for, the pairs come that tell most
about it.

At tables of more than two a pair is found in the same way; those who have met the two least take the other
seats. There, no author has two bots at a table: they could play into each other's hands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import median_high
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from maumau.contest.meeting import Counts, Meetings
from maumau.contest.rating import ELO, Posterior

Kind = Literal["groups", "waiting", "top two", "least played", "new", "order"]
Mode = Literal["ladder", "final", "full"]

LEAST_PLAYED, NEW_VERSIONS = 0.2, 0.2  # shares of the pairs on a ladder; the rest asks which bot is the best
NEW_SETS = 200  # a version with fewer is new,
NEW_PART = 0.25  # if it also has less than this part of what the median of all players has
WITH_PARENT = 60  # of them against its parent, which may have left the pairing
LONGEST_WAIT = 600.0  # seconds without a pair after which a player comes first
SAMPLES = 512
CLEAR_CHANCE = 0.99  # of being the best, from which on it is clear who that is
GAP_SAMPLES = 64
SET_WORTH = 3.5  # games of independent deals that tell as much as a mirrored set of two seats
TINY = 1e-12
TWO = 2  # seats where a pair is a whole table
MIN_PAIRINGS, SHARE_UNDER_WAY = 6, 0.05  # pairings under way: that share of all sets so far, but not fewer
BLOCK_DEALS, FIRST_DEALS = 40, 10  # of a pairing at least, and of a ladder's first ones; in whole sets


def size_block(seats: int) -> int:
    """Deal sets of a whole block. A set has as many deals as the table has seats."""
    return -(-BLOCK_DEALS // seats)


def size_pairing(seats: int, played: int) -> int:
    """How many deal sets a new pairing has on a ladder on which `played` have been played.

    Few at first, so that each result soon decides who meets whom; as the ladder grows, up to a whole block,
    because every block starts its programs anew.
    """
    least = -(-FIRST_DEALS // seats)
    return min(size_block(seats), max(least, round(played * SHARE_UNDER_WAY / MIN_PAIRINGS)))


class Player(NamedTuple):
    """Somebody who may be paired. number: its own among all players, retired ones too, from 0.

    waited: seconds since its last pair. parent: the number of the version before it, None for the first one.
    author: whoever is the same does not sit at a table of more than two twice; "" is nobody.
    """

    number: int
    waited: float = 0.0
    parent: int | None = None
    author: str = ""


class Pair(msgspec.Struct, frozen=True):
    """Who plays whom, and why, as data: `explain` says it in words. others: at a table of more than two."""

    first: int
    second: int
    kind: Kind
    numbers: dict[str, float] = {}
    others: tuple[int, ...] = ()

    @property
    def players(self) -> tuple[int, ...]:
        """All at the table."""
        return self.first, self.second, *self.others


def pair(
    players: Sequence[Player], counts: Mapping[tuple[int, int], int], posterior: Posterior, most: int,
    seed: int, *, mode: Mode = "ladder", sets: int = 1, seats: int = 2,
) -> list[Pair]:  # fmt: skip
    """At most `most` pairs. Top two, and a new version and its parent, may come more than once.

    counts: sets that were played or are under way, by the numbers of a pair, the lower one first. sets: those
    of a new pair. mode: `final` asks for the best alone, `full` for the whole order alone. seats: of a table;
    nobody is paired where there are fewer authors.
    """
    if seats > TWO and count_authors(players) < seats:
        return []
    draft = _Draft(players, counts, posterior, seed, sets, seats)
    choose = {"ladder": draft.any, "final": draft.top_two, "full": draft.order}[mode]
    for _ in range(min(most, len(players) * (len(players) - 1) // 2)):
        found = (draft.groups() or draft.waiting() or choose()) if mode == "ladder" else choose()
        if not (found := found or draft.least_played()):
            break
        draft.add(draft.seat_others(found))
    return draft.pairs


def count_authors(players: Sequence[Player]) -> int:
    """How many may sit at one table."""
    known = {player.author for player in players if player.author}
    return len(known) + sum(not player.author for player in players)


def explain(one: Pair, names: Mapping[int, str]) -> str:
    """Why these play, in a sentence or two."""
    first, second, *others = (names[number] for number in one.players)
    why = _explain(one, first, second)
    if not others:
        return why
    *before, last = others
    listed = f"{', '.join(before)} and {last}" if before else last
    return f"{why} {listed} sat with them least and {'take' if before else 'takes'} the rest of the table."


def _explain(one: Pair, first: str, second: str) -> str:
    numbers = one.numbers
    match one.kind:
        case "groups":
            return f"{first} and {second} join groups of players that have never met."
        case "waiting":
            return f"{first} has waited for {numbers['seconds']:.0f} s; of all others it met {second} least."
        case "top two":
            chances = f"{numbers['first']:.0%} and {numbers['second']:.0%}"
            return f"{first} and {second} may both be the best: their chances are {chances}."
        case "least played":
            return f"{first} and {second} have played least against each other: {numbers['sets']:.0f} sets."
        case "order":
            return f"{first} and {second} tell most about the order: they are {numbers['gap']:.0f} Elo apart."
        case "new":
            return _explain_new(numbers, first, second)


def _explain_new(numbers: Mapping[str, float], first: str, second: str) -> str:
    known = f"{first} is new, with {numbers['sets']:.0f} sets"
    if numbers["parent"]:
        return f"{known}, and is compared with the version before it, {second}."
    return f"{known}, and {second} is next to it: {numbers['gap']:.0f} Elo apart."


class _Draft:
    """The pairs so far. Places are those of `players`; pairs that are taken count as played."""

    def __init__(
        self, players: Sequence[Player], counts: Mapping[tuple[int, int], int], posterior: Posterior,
        seed: int, sets: int, seats: int = 2,
    ) -> None:  # fmt: skip
        self.seats = seats
        self.players, self.given, self.sets, self.pairs = players, counts, sets, list[Pair]()
        self.posterior, self.rng = posterior, np.random.default_rng(seed)
        self.numbers = [player.number for player in players]
        self.place = {number: place for place, number in enumerate(self.numbers)}
        self.apart = _apart(players) if seats > TWO else np.eye(len(players), dtype=bool)
        self.meetings = Meetings(self.numbers, counts, self.apart, self.rng)
        self.total = self.meetings.total
        self.paired: set[int] = set()
        self.connected = False

    def add(self, one: Pair) -> None:
        self.pairs.append(one)
        self.paired |= set(one.players)
        places = [self.place[number] for number in one.players if number in self.place]
        self.meetings.add(places, self.sets)
        if len(places) == len(one.players):
            self.meetings.close(*places[:2])

    def seat_others(self, one: Pair) -> Pair:
        """With those who sat least with the ones who are at the table."""
        places = [] if self.seats == TWO else [self.place[one.first], self.place[one.second]]
        while len(places) < self.seats and places:
            met = np.where(self.apart[places].any(axis=0), np.inf, self.meetings.met[places].sum(axis=0))
            places.append(int(met.argmin()))
        return msgspec.structs.replace(one, others=tuple(self.numbers[place] for place in places[2:]))

    def any(self) -> Pair | None:
        share = self.rng.random()
        if share < LEAST_PLAYED:
            return None
        return (self.new() if share < LEAST_PLAYED + NEW_VERSIONS else None) or self.top_two()

    def groups(self) -> Pair | None:
        """The least played of the smallest group, against the least played of all others."""
        found = [] if self.connected else self.meetings.list_groups()
        if len(found) < 2:
            self.connected = True
            return None
        small = min(found, key=lambda group: (len(group), min(group)))
        others = [place for group in found if group is not small for place in group]
        a, b = (min(group, key=lambda place: (self.total[place], place)) for group in (small, others))
        if self.apart[a, b]:
            pairs = ((x, y) for x in small for y in others if not self.apart[x, y])
            a, b = min(
                pairs, key=lambda pair: (sum(self.total[place] for place in pair), pair), default=(a, a)
            )
        return self._pair(a, b, "groups", groups=len(found)) if a != b else None

    def waiting(self) -> Pair | None:
        """Who has waited longest, if too long, against whom it met least."""
        late = [
            place for place in self.overdue
            if self.players[place].number not in self.paired and self.meetings.has_open(place)
        ]  # fmt: skip
        if not late:
            return None
        a = max(late, key=lambda place: (self.players[place].waited, -place))
        b = int(self.meetings.open[a].argmin())
        return self._pair(a, b, "waiting", seconds=self.players[a].waited)

    @cached_property
    def overdue(self) -> list[int]:
        """Who has waited too long."""
        return [place for place, player in enumerate(self.players) if player.waited > LONGEST_WAIT]

    def top_two(self) -> Pair | None:
        """Of the contenders, the two whose sets fall furthest short of their share (decision 94).

        None if it is clear who is the best, or if no two of them may sit together.
        """
        contenders, chances, shares = self.contenders
        if chances.max() >= CLEAR_CHANCE or not shares.any():
            return None
        met = self.meetings.counts[np.ix_(contenders, contenders)]
        deficit = np.where(shares > 0, shares * (met.sum() / 2 + self.sets) - met, -np.inf)
        i, j = divmod(int(deficit.argmax()), len(contenders))
        a, b = int(contenders[i]), int(contenders[j])
        return self._pair(a, b, "top two", first=chances[i], second=chances[j])

    @cached_property
    def contenders(self) -> tuple[NDArray[np.int64], Counts, Counts]:
        """Who is first in any sample, how often, and how likely each two are to be drawn together.

        The second draw is made among those who may sit with the first one.
        """
        samples = self.posterior.draw(SAMPLES, self.rng)[:, self.numbers]
        contenders, times = np.unique(samples.argmax(axis=1), return_counts=True)
        chances = times / SAMPLES
        second = np.where(self.apart[np.ix_(contenders, contenders)], 0, chances)
        total = second.sum(axis=1, keepdims=True)
        ordered = chances[:, None] * np.divide(second, total, out=np.zeros_like(second), where=total > 0)
        return contenders, chances, ordered + ordered.T

    def least_played(self) -> Pair | None:
        """Of all pairs not taken the one with the fewest sets."""
        if (found := self.meetings.find_least()) is None:
            return None
        return self._pair(*found, "least played", sets=self.meetings.counts[found])

    def order(self) -> Pair:
        """The pair, of those not taken, whose sets tell most about who is above whom among all players.

        In samples of what may be true, the chance that two are ranked the wrong way round falls with the
        variance of their distance; `slope` is how fast. Sets of two players lower the variances of all
        distances that hang on theirs. Each pair chosen changes the covariance as if it had been played.
        """
        spread = _distances(self.spread) + TINY
        far = np.abs(self.sampled_gaps) / np.sqrt(spread)
        slope = (far * np.exp(-(far**2) / 2)).mean(axis=0) / spread
        weighed = self.spread @ (np.diag(slope.sum(axis=0)) - slope) @ self.spread
        p = 1 / (1 + np.exp(self.gaps))
        known = self.sets * SET_WORTH * p * (1 - p)
        gain = np.where(self.meetings.open < np.inf, _distances(weighed) * known / (1 + known * spread), -1.0)
        a, b = sorted(divmod(int(gain.argmax()), len(self.players)))
        told = self.spread[:, a] - self.spread[:, b]
        self.spread = self.spread - np.outer(told, told) * known[a, b] / (1 + known[a, b] * spread[a, b])
        return self._pair(a, b, "order", gap=abs(self.gaps[a, b]) * ELO)

    @cached_property
    def spread(self) -> Counts:
        """The covariance of those who may be paired."""
        return self.posterior.covariance[np.ix_(self.numbers, self.numbers)]

    @cached_property
    def gaps(self) -> Counts:
        """How far each is above each, in logits."""
        theta = self.posterior.theta[self.numbers]
        return theta[:, None] - theta[None, :]

    @cached_property
    def sampled_gaps(self) -> Counts:
        """The same in samples of the posterior: by sample and both players."""
        drawn = self.posterior.draw(GAP_SAMPLES, self.rng)[:, self.numbers]
        return drawn[:, :, None] - drawn[:, None, :]

    def new(self) -> Pair | None:
        """The newest version against its parent until they have met enough, then against those next to it."""
        most = min(NEW_SETS, median_high(self.total) * NEW_PART)
        fresh = [place for place in range(len(self.players)) if self.total[place] < most]
        if not fresh:
            return None
        a = min(fresh, key=lambda place: (self.total[place], -self.numbers[place]))
        mine, parent, sets = self.numbers[a], self.players[a].parent, self.total[a]
        gaps = np.abs(self.posterior.theta - self.posterior.theta[mine]) * ELO
        if parent is not None and self.seats == TWO and self._met(mine, parent) < WITH_PARENT:
            numbers = {"sets": sets, "gap": float(gaps[parent]), "parent": 1.0}
            return Pair(mine, parent, "new", numbers)
        near = np.flatnonzero(self.meetings.open[a] < np.inf)
        if not len(near):
            return None
        b = int(near[gaps[self.numbers][near].argmin()])
        return self._pair(a, b, "new", sets=sets, gap=gaps[self.numbers[b]], parent=0)

    def _met(self, one: int, other: int) -> int:
        """Sets of these two, with those of the pairs so far."""
        mine = {one, other}
        drafted = sum(set(each.players) == mine for each in self.pairs)
        return self.given.get((min(mine), max(mine)), 0) + drafted * self.sets

    def _pair(self, a: int, b: int, kind: Kind, **numbers: float) -> Pair:
        found = {name: float(value) for name, value in numbers.items()}
        return Pair(self.numbers[a], self.numbers[b], kind, found)


def _apart(players: Sequence[Player]) -> NDArray[np.bool_]:
    """Who cannot sit at one table: nobody with himself, and none with another of the same author."""
    authors = np.array([player.author or f"\0{player.number}" for player in players])
    return np.asarray(authors[:, None] == authors[None, :])


def _distances(covariance: Counts) -> Counts:
    """The variance of the distance of each two."""
    own = np.diag(covariance)
    return own[:, None] + own[None, :] - 2 * covariance
