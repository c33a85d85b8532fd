"""Pairings on a ladder: a pure function of the results, the waiting players, and a seed.

Six of ten pairs ask which bot is the best. The chance that two players with results come first, each in a
sample of the posterior (top-two sampling), is the share of the sets that they should have; the pair furthest
below its share comes next. Two of ten go to the pair that has played least, so that the whole order is found
and no player is left alone, and two of ten to a new version, against the players nearest to it. While no
version is new, these two also ask for the best; once the best is clear, its pairs go to the least played.
First of all come players that have waited too long, and pairs between groups that never met, without which
their ratings cannot be compared: so a newcomer is paired first. If only the whole order is wanted, the most
informative pairs for it are chosen.

At tables of more than two a pair is found in the same way; the players that have met the two least take the
other seats. No author has two bots at any table: one could lose to the other on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import median_high
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from maumau.contest.ladder.meeting import Counts, Meetings
from maumau.contest.statistics.rating import ELO, Posterior

Kind = Literal["groups", "waiting", "top two", "least played", "new", "order"]
Mode = Literal["ladder", "final", "full"]

LEAST_PLAYED, NEW_VERSIONS = 0.2, 0.2  # shares of the pairs on a ladder; the rest asks which bot is the best
NEW_SETS = 200  # a version with fewer is new,
NEW_PART = 0.25  # and if it has less than this part of the sets of the median player
LONGEST_WAIT = 600.0  # seconds without a pair after which a player comes first
SAMPLES = 512
CLEAR_CHANCE = 0.99  # of being the best, from which on the question counts as settled
GAP_SAMPLES = 64
SET_WORTH = 3.5  # games of independent deals that tell as much as a mirrored set of two seats
TINY = 1e-12
TWO = 2  # seats where a pair is a whole table
MIN_PAIRINGS, SHARE_UNDER_WAY = 6, 0.05  # pairings under way: that share of all sets so far, but not fewer
LONG = 2.0  # times the decisions of the median table, that a pairing may take
BLOCK_DEALS, FIRST_DEALS = 40, 10  # of a pairing at least, and of a ladder's first ones; in whole sets


def size_block(seats: int) -> int:
    """Deal sets of a whole block. A set has as many deals as the table has seats."""
    return -(-BLOCK_DEALS // seats)


def size_pairing(seats: int, played: int) -> int:
    """Return the number of deal sets of a new pairing on a ladder on which `played` have been played.

    Few at first, so that each result soon affects the pairings; as the ladder grows, up to a whole block,
    because every block starts its programs anew.
    """
    least = -(-FIRST_DEALS // seats)
    return min(size_block(seats), max(least, round(played * SHARE_UNDER_WAY / MIN_PAIRINGS)))


class LadderPlayer(NamedTuple):
    """A player to be paired. number: its own among all players, retired ones too, from 0.

    waited: seconds since its last pair. author: players of one author never share a table; "" is no author.
    known: it has results; without them nobody asks whether it is the best.
    """

    number: int
    waited: float = 0.0
    author: str = ""
    known: bool = True


class Pair(msgspec.Struct, frozen=True):
    """A pairing with its reason as data, which `explain_pair` puts into words. others: at larger tables."""

    first: int
    second: int
    kind: Kind
    numbers: dict[str, float] = {}
    others: tuple[int, ...] = ()

    @property
    def players(self) -> tuple[int, ...]:
        """All players at the table."""
        return self.first, self.second, *self.others


def shorten_pairings(pairs: Sequence[Pair], sets: int, lengths: Mapping[tuple[int, ...], float]) -> list[int]:
    """Return the number of sets of each pairing: fewer where its players have taken long for a set.

    lengths: decisions of a set in the mean, by the players of a table. A pairing is expected to take at most
    LONG times as long as the median table, or one set: stalling bots get fewer sets, and hold up no others.
    """
    usual = median_high(lengths.values()) if lengths else 0.0
    found = []
    for one in pairs:
        length = lengths.get(tuple(sorted(one.players)), usual)
        found.append(max(1, int(sets * LONG * usual / length)) if length > LONG * usual else sets)
    return found


def pair_players(
    players: Sequence[LadderPlayer],
    counts: Mapping[tuple[int, int], int],
    posterior: Posterior,
    most: int,
    seed: int,
    *,
    mode: Mode = "ladder",
    sets: int = 1,
    seats: int = 2,
) -> list[Pair]:
    """Return at most `most` pairs. Pairs of top-two sampling may occur more than once.

    counts: sets that were played or are under way, by the numbers of a pair, the lower one first. sets: those
    of a new pair. mode: `final` asks for the best alone, `full` for the whole order alone. seats: of a table;
    there are no pairs if there are fewer authors.
    """
    if count_authors(players) < seats:
        return []
    draft = _Draft(players, counts, posterior, seed, sets, seats)
    choose = {"ladder": draft.choose_any, "final": draft.top_two, "full": draft.choose_order}[mode]
    for _ in range(min(most, len(players) * (len(players) - 1) // 2)):
        found = (draft.choose_group() or draft.choose_waiting() or choose()) if mode == "ladder" else choose()
        if not (found := found or draft.least_played()):
            break
        draft.add_pair(draft.seat_others(found))
    return draft.pairs


def count_authors(players: Sequence[LadderPlayer]) -> int:
    """Return the number of players that may sit at one table: one of each author."""
    known = {player.author for player in players if player.author}
    return len(known) + sum(not player.author for player in players)


def explain_pair(one: Pair, names: Mapping[int, str]) -> str:
    """Return the reason for a pairing, in a sentence or two."""
    first, second, *others = (names[number] for number in one.players)
    why = _explain_names(one, first, second)
    if not others:
        return why
    *before, last = others
    listed = f"{', '.join(before)} and {last}" if before else last
    return f"{why} {listed} sat with them least and {'take' if before else 'takes'} the rest of the table."


def _explain_names(one: Pair, first: str, second: str) -> str:
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
    if numbers.get("parent"):  # of pairings made before decision 104
        return f"{known}, and is compared with the version before it, {second}."
    return f"{known}, and {second} is next to it: {numbers['gap']:.0f} Elo apart."


class _Draft:
    """The pairs so far. Places are positions in `players`; chosen pairs count as played."""

    def __init__(
        self,
        players: Sequence[LadderPlayer],
        counts: Mapping[tuple[int, int], int],
        posterior: Posterior,
        seed: int,
        sets: int,
        seats: int = 2,
    ) -> None:
        self.seats = seats
        self.players, self.sets, self.pairs = players, sets, list[Pair]()
        self.posterior, self.rng = posterior, np.random.default_rng(seed)
        self.numbers = [player.number for player in players]
        self.place = {number: place for place, number in enumerate(self.numbers)}
        self.apart = _mark_apart(players)
        self.meetings = Meetings(self.numbers, counts, self.apart, self.rng)
        self.total = self.meetings.total
        self.paired: set[int] = set()
        self.connected = False

    def add_pair(self, one: Pair) -> None:
        self.pairs.append(one)
        self.paired |= set(one.players)
        places = [self.place[number] for number in one.players if number in self.place]
        self.meetings.add_sets(places, self.sets)
        if len(places) == len(one.players):
            self.meetings.close(*places[:2])

    def seat_others(self, one: Pair) -> Pair:
        """Fill the table with the players that have met those at the table least."""
        places = [] if self.seats == TWO else [self.place[one.first], self.place[one.second]]
        while len(places) < self.seats and places:
            met = np.where(self.apart[places].any(axis=0), np.inf, self.meetings.met[places].sum(axis=0))
            places.append(int(met.argmin()))
        return msgspec.structs.replace(one, others=tuple(self.numbers[place] for place in places[2:]))

    def choose_any(self) -> Pair | None:
        share = self.rng.random()
        if share < LEAST_PLAYED:
            return None
        return (self.choose_new() if share < LEAST_PLAYED + NEW_VERSIONS else None) or self.top_two()

    def choose_group(self) -> Pair | None:
        """Return the least played of the smallest group, against the least played of all others."""
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
        return self._build_pair(a, b, "groups", groups=len(found)) if a != b else None

    def choose_waiting(self) -> Pair | None:
        """Return the player that has waited longest, if too long, against the one it has met least."""
        late = [
            place
            for place in self.overdue
            if self.players[place].number not in self.paired and self.meetings.has_open(place)
        ]
        if not late:
            return None
        a = max(late, key=lambda place: (self.players[place].waited, -place))
        b = int(self.meetings.open[a].argmin())
        return self._build_pair(a, b, "waiting", seconds=self.players[a].waited)

    @cached_property
    def overdue(self) -> list[int]:
        """The places that have waited too long."""
        return [place for place, player in enumerate(self.players) if player.waited > LONGEST_WAIT]

    def top_two(self) -> Pair | None:
        """Return the two contenders whose sets fall furthest short of their share (decision 44).

        None if the best is clear, or if no two of them may share a table.
        """
        contenders, chances, shares = self.contenders
        if not len(contenders) or chances.max() >= CLEAR_CHANCE or not shares.any():
            return None
        met = self.meetings.counts[np.ix_(contenders, contenders)]
        deficit = np.where(shares > 0, shares * (met.sum() / 2 + self.sets) - met, -np.inf)
        i, j = divmod(int(deficit.argmax()), len(contenders))
        a, b = int(contenders[i]), int(contenders[j])
        return self._build_pair(a, b, "top two", first=chances[i], second=chances[j])

    @cached_property
    def contenders(self) -> tuple[NDArray[np.int64], Counts, Counts]:
        """Places that are first in any sample, their frequency, and the chance of each pair to be drawn.

        The second one is drawn from players that may share a table with the first.
        """
        known = np.array([place for place, one in enumerate(self.players) if one.known], np.int64)
        samples = self.posterior.draw_samples(SAMPLES, self.rng)[:, self.numbers][:, known]
        first = known[samples.argmax(axis=1)] if len(known) else known
        contenders, times = np.unique(first, return_counts=True)
        chances = times / SAMPLES
        second = np.where(self.apart[np.ix_(contenders, contenders)], 0, chances)
        total = second.sum(axis=1, keepdims=True)
        ordered = chances[:, None] * np.divide(second, total, out=np.zeros_like(second), where=total > 0)
        return contenders, chances, ordered + ordered.T

    def least_played(self) -> Pair | None:
        """Return the open pair with the fewest sets."""
        if (found := self.meetings.find_least()) is None:
            return None
        return self._build_pair(*found, "least played", sets=self.meetings.counts[found])

    def choose_order(self) -> Pair | None:
        """Return the open pair whose sets would tell most about the order of all players.

        In samples of what may be true, the chance that two are ranked the wrong way round falls with the
        variance of their distance; `slope` is how fast. Sets of two players lower the variances of all
        distances that depend on theirs. Each pair chosen changes the covariance as if it had been played.
        """
        spread = _compute_distances(self.spread) + TINY
        far = np.abs(self.sampled_gaps) / np.sqrt(spread)
        slope = (far * np.exp(-(far**2) / 2)).mean(axis=0) / spread
        weighed = self.spread @ (np.diag(slope.sum(axis=0)) - slope) @ self.spread
        p = 1 / (1 + np.exp(self.gaps))
        known = self.sets * SET_WORTH * p * (1 - p)
        gain = np.where(
            self.meetings.open < np.inf, _compute_distances(weighed) * known / (1 + known * spread), -1.0
        )
        if not gain.size or gain.max() < 0:
            return None
        a, b = sorted(divmod(int(gain.argmax()), len(self.players)))
        told = self.spread[:, a] - self.spread[:, b]
        self.spread = self.spread - np.outer(told, told) * known[a, b] / (1 + known[a, b] * spread[a, b])
        return self._build_pair(a, b, "order", gap=abs(self.gaps[a, b]) * ELO)

    @cached_property
    def spread(self) -> Counts:
        """The covariance of the players to be paired."""
        return self.posterior.covariance[np.ix_(self.numbers, self.numbers)]

    @cached_property
    def gaps(self) -> Counts:
        """The differences in strength of each two players, in logits."""
        theta = self.posterior.theta[self.numbers]
        return theta[:, None] - theta[None, :]

    @cached_property
    def sampled_gaps(self) -> Counts:
        """The differences in samples of the posterior: by sample and both players."""
        drawn = self.posterior.draw_samples(GAP_SAMPLES, self.rng)[:, self.numbers]
        return drawn[:, :, None] - drawn[:, None, :]

    def choose_new(self) -> Pair | None:
        """Return the version that has played least, if it is new, against the player next to it."""
        most = min(NEW_SETS, median_high(self.total) * NEW_PART)
        fresh = [place for place in range(len(self.players)) if self.total[place] < most]
        if not fresh:
            return None
        a = min(fresh, key=lambda place: (self.total[place], -self.numbers[place]))
        gaps = np.abs(self.posterior.theta - self.posterior.theta[self.numbers[a]]) * ELO
        near = np.flatnonzero(self.meetings.open[a] < np.inf)
        if not len(near):
            return None
        b = int(near[gaps[self.numbers][near].argmin()])
        return self._build_pair(a, b, "new", sets=self.total[a], gap=gaps[self.numbers[b]])

    def _build_pair(self, a: int, b: int, kind: Kind, **numbers: float) -> Pair:
        found = {name: float(value) for name, value in numbers.items()}
        return Pair(self.numbers[a], self.numbers[b], kind, found)


def _mark_apart(players: Sequence[LadderPlayer]) -> NDArray[np.bool_]:
    """Return the pairs that cannot sit at one table: a player with itself, and two of one author."""
    authors = np.array([player.author or f"\0{player.number}" for player in players])
    return np.asarray(authors[:, None] == authors[None, :])


def _compute_distances(covariance: Counts) -> Counts:
    """Return the variance of the distance of each two."""
    own = np.diag(covariance)
    return own[:, None] + own[None, :] - 2 * covariance
