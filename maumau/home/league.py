"""A league at home: each pair plays mirrored deals, the pair with the fewest always next."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import combinations

import msgspec

from maumau.contest.statistics.rating import Duel, Rating, fit_ratings
from maumau.contest.statistics.sequential import Sums
from maumau.home.crew import WorkerCrew
from maumau.home.duel import block_span
from maumau.home.job import BlockJob, Deals, JobDone, SecondRun, entrant_of
from maumau.home.ledger import UNIT, Ledger, LedgerBlock
from maumau.local import deal_seed
from maumau.referee.block import BlockOrder
from maumau.referee.place import Program
from maumau.referee.share import BankShare, tally_block

HEAR = 0.2  # seconds between two looks at the clock

Pair = tuple[str, str]


class LeagueRow(msgspec.Struct, frozen=True):
    """A line of the table: rating in Elo with its interval, mean score, deal sets, faults, bank used."""

    place: int
    name: str
    rating: Rating
    score: float
    sets: int
    faults: int
    bank: BankShare | None


class League:
    """The programs of a league by content hash, and the results of each pair."""

    def __init__(
        self, ledger: Ledger, programs: Sequence[Program], names: Sequence[str], most: int = 0
    ) -> None:
        self.ledger, self.most = ledger, most
        self.programs = {program.sha256: program for program in programs}
        self.names = {program.sha256: name for program, name in zip(programs, names, strict=True)}
        self.pairs: list[Pair] = [_order_pair(a, b) for a, b in combinations(self.programs, 2)]
        self.deals = 0
        self.second_runs: list[SecondRun] = []
        self._under_way: dict[int, tuple[Pair, int]] = {}
        self._jobs = 0

    def play(self, crew: WorkerCrew, until: float, watch: Callable[[League], None]) -> None:
        """Play until this monotonic time, until every pair has its sets, or until Ctrl-C."""
        try:
            while time.monotonic() < until:
                while crew.idle and (job := self.next_job()):
                    crew.give(job)
                if not self._under_way:
                    return
                self._hear_crew(crew)
                watch(self)
        except KeyboardInterrupt:
            return

    def next_job(self) -> BlockJob | None:
        """Return the first missing block of the pair with the fewest sets, counting those in progress."""
        open_pairs = [(self._count_given(pair), number, pair) for number, pair in enumerate(self.pairs)]
        open_pairs = [each for each in open_pairs if not self.most or each[0] < self.most]
        if not open_pairs:
            return None
        _, _, pair = min(open_pairs)
        taken = {*self.ledger.blocks.get(pair, {}), *self._blocks_under_way(pair)}
        block = next(number for number in range(len(taken) + 1) if number not in taken)
        self._jobs += 1
        self._under_way[self._jobs] = (pair, block)
        return self._block_job(pair, block)

    def table(self) -> list[LeagueRow]:
        """Return the rows of the table, best first."""
        found = list(self.programs)
        place = {sha256: number for number, sha256 in enumerate(found)}
        sums = {pair: self.ledger.sums(pair) for pair in self.pairs}
        duels = [Duel(place[a], place[b], sums[a, b]) for a, b in self.pairs]
        ratings = fit_ratings(len(found), duels)
        order = sorted(found, key=lambda sha256: (-ratings[place[sha256]].elo, self.names[sha256]))
        return [
            self._table_row(number, sha256, ratings[place[sha256]], sums)
            for number, sha256 in enumerate(order, start=1)
        ]

    def _table_row(self, number: int, sha256: str, rating: Rating, sums: dict[Pair, Sums]) -> LeagueRow:
        mine = Sums(UNIT)
        for (first, second), each in sums.items():
            if sha256 in (first, second):
                mine = mine.join_sums(each if first == sha256 else each.mirrored)
        bank = self.ledger.bank_tallies[sha256].share(self.ledger.head.rules, 2)
        faults = self.ledger.faults(sha256)
        return LeagueRow(number, self.names[sha256], rating, mine.estimate, mine.sets, faults, bank)

    def _hear_crew(self, crew: WorkerCrew) -> None:
        word = crew.hear(HEAR)
        if isinstance(word, Deals):
            self.deals += word.deals
        elif isinstance(word, SecondRun):
            self.second_runs.append(word)
        elif isinstance(word, JobDone):
            (first, second), block = self._under_way.pop(word.number)
            sums = Sums(UNIT).add_scores(each.half_points for each in word.sets)
            faults = [sum(fault.entrant == who for fault in word.faults) for who in (0, 1)]
            names = (self.names[first], self.names[second])
            banks = [tally_block(word.measured, who) for who in (0, 1)]
            self.ledger.add(
                LedgerBlock(first, second, block, *sums[1:], (faults[0], faults[1]), names=names, banks=banks)
            )

    def _count_given(self, pair: Pair) -> int:
        """Return the number of a pair's sets, played and in progress."""
        under_way = sum(len(block_span(block)) for block in self._blocks_under_way(pair))
        return self.ledger.sums(pair).sets + under_way

    def _blocks_under_way(self, pair: Pair) -> list[int]:
        return [block for other, block in self._under_way.values() if other == pair]

    def _block_job(self, pair: Pair, block: int) -> BlockJob:
        head, deals = self.ledger.head, block_span(block)
        order = BlockOrder(
            head.rules,
            2,
            [deal_seed(head.seed, deal) for deal in deals],
            options=head.options,
            first_set=deals.start,
            rules_hash=head.hash,
            variant_toml=head.variant_toml,
        )
        return BlockJob(self._jobs, order, [entrant_of(self.programs[sha256]) for sha256 in pair])


def _order_pair(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)
