"""A duel: mirrored deals between two programs until the sequential test decides, on all cores.

Blocks grow, so that the first numbers come soon and a long duel spends its time playing; the deals of a block
depend only on the number of sets requested. As in a match of the arena, blocks are judged in the order of
their numbers, so a duel ends alike on any number of cores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import count, takewhile
from typing import Any, Literal

import msgspec

from maumau.contest.claim import Claim, claim_of
from maumau.contest.score import UNITS
from maumau.contest.statistics.interval import stopped_interval
from maumau.contest.statistics.sequential import Sums, compute_bound
from maumau.home.crew import WorkerCrew
from maumau.home.job import BlockJob, Deals, JobDone, SecondRun, entrant_of
from maumau.local import deal_seed
from maumau.protocol.fault import Fault
from maumau.referee.block import BlockMeasurements, BlockOrder
from maumau.referee.place import Program
from maumau.referee.share import BankTally, tally_block

FIRST_BLOCK, LARGEST_BLOCK = 10, 100  # sets in the first blocks, and in the later ones
DELTA, ALPHA = Fraction(1, 40), Fraction(1, 20)
BOUND = compute_bound(ALPHA)
HEAR = 0.1  # seconds between updates of the screen

State = Literal["playing", "decided", "not separated", "stopped"]


class Duel(msgspec.Struct, frozen=True):
    """A duel of at most `sets` deal sets; `all_of_them`: play on after the decision.

    `variant_toml` is the text of a custom variant, "" for one of the arena's.
    """

    rules: str
    options: dict[str, Any]
    sets: int
    seed: str
    all_of_them: bool = False
    score: str = "win"
    deal_ms: int = 100
    memory_mib: int = 512
    variant_toml: str = ""


class DuelStanding(msgspec.Struct):
    """The state of a duel after its consecutive finished blocks, from the first program's side.

    `measured` is by block; `second_runs` are the blocks that were, or are, played once more.
    """

    state: State
    sums: Sums
    points: tuple[int, int] = (0, 0)
    faults: list[Fault] = []
    measured: list[BlockMeasurements] = []
    second_runs: list[SecondRun] = []
    unstopped: bool = False

    @property
    def cpu_ms(self) -> tuple[float, float]:
        """CPU time of the programs, in milliseconds of this host."""
        first, second = ([block.uses[entrant].cpu_ms for block in self.measured] for entrant in (0, 1))
        return sum(first), sum(second)

    @property
    def bank_tallies(self) -> tuple[BankTally, BankTally]:
        """The programs' use of their banks; for a block that was played twice, of the second run."""
        tallies = BankTally(), BankTally()
        for block in self.measured:
            for number, tally in enumerate(tallies):
                tally.add(tally_block(block, number))
        return tallies

    @property
    def llr(self) -> float:
        """The log likelihood ratio that decides beyond ±ln 19."""
        return float(self.sums.compute_llr(DELTA))

    @property
    def winner(self) -> int | None:
        """The winner, 0 or 1, once the test has decided."""
        if abs(self.sums.compute_llr(DELTA)) < BOUND:
            return None
        return 0 if self.sums.lead > 0 else 1

    @property
    def claim(self) -> Claim:
        """The claim about the winner."""
        won, (low, high) = None if self.winner is None else self.winner == 0, self.interval
        return claim_of(won_by_first=won, rule="sequential", low=low, high=high)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score, which allows for stopping at the decision (unless `unstopped`)."""
        if self.unstopped:
            return self.sums.interval
        ends = takewhile(lambda end: end <= self.sums.sets, (block_span(block).stop for block in count()))
        return stopped_interval(self.sums, tuple(ends), float(DELTA), float(ALPHA))

    def fault_counts(self) -> list[Counter[str]]:
        """Return the number of faults of each kind, by entrant."""
        counts: list[Counter[str]] = [Counter(), Counter()]
        for fault in self.faults:
            counts[fault.entrant][fault.kind] += 1
        return counts


Watch = Callable[[DuelStanding, int], None]


def block_span(block: int) -> range:
    """Return the numbers of the sets in a block: twice 10, twice 20, twice 40, twice 80, then 100 each."""
    begin = 0
    for turn in range(block + 1):
        size = min(LARGEST_BLOCK, FIRST_BLOCK * 2 ** (turn // 2))
        begin += size
    return range(begin - size, begin)


def split_sets(sets: int) -> Iterator[range]:
    """Yield the blocks of a duel of `sets` deal sets; the last block may be shorter."""
    for number in count():
        found = block_span(number)
        if found.start >= sets:
            return
        yield range(found.start, min(found.stop, sets))


def play_duel(duel: Duel, programs: Sequence[Program], crew: WorkerCrew, watch: Watch) -> DuelStanding:
    """Play a duel and report to `watch(standing, deals)`. Ctrl-C ends it with the results so far."""
    standing = DuelStanding("playing", Sums(UNITS[duel.score]), unstopped=duel.all_of_them)
    try:
        _play_blocks(duel, programs, crew, watch, standing)
    except KeyboardInterrupt:
        standing.state = "stopped"
    return standing


def _play_blocks(
    duel: Duel, programs: Sequence[Program], crew: WorkerCrew, watch: Watch, standing: DuelStanding
) -> None:
    jobs = (_block_job(number, span, duel, programs) for number, span in enumerate(split_sets(duel.sets)))
    ahead: dict[int, JobDone] = {}
    judged = deals = 0
    while standing.state == "playing":
        while crew.idle and (job := next(jobs, None)):
            crew.give(job)
        word = crew.hear(HEAR)
        if isinstance(word, Deals):
            deals += word.deals
        elif isinstance(word, SecondRun):
            deals -= sum(len(use.deals_ms) for use in word.measured.uses) // 2
            standing.second_runs.append(word)
        elif isinstance(word, JobDone):
            ahead[word.number] = word
        while standing.state == "playing" and judged in ahead:
            book_block(duel, standing, ahead.pop(judged))
            judged += 1
        watch(standing, deals)


def book_block(duel: Duel, standing: DuelStanding, done: JobDone) -> None:
    """Book the next block in order, and judge the duel."""
    standing.sums = standing.sums.add_scores(each.half_points for each in done.sets)
    standing.points = (
        standing.points[0] + sum(each.points[0] for each in done.sets),
        standing.points[1] + sum(each.points[1] for each in done.sets),
    )
    standing.faults = standing.faults + done.faults
    standing.measured.append(done.measured)
    if standing.winner is not None and not duel.all_of_them:
        standing.state = "decided"
    elif standing.sums.sets >= duel.sets:
        standing.state = "not separated" if standing.winner is None else "decided"


def _block_job(number: int, span: range, duel: Duel, programs: Sequence[Program]) -> BlockJob:
    order = BlockOrder(
        duel.rules,
        len(programs),
        [deal_seed(duel.seed, deal) for deal in span],
        options=duel.options,
        first_set=span.start,
        deal_ms=duel.deal_ms,
        memory_mib=duel.memory_mib,
        variant_toml=duel.variant_toml,
    )
    return BlockJob(number, order, [entrant_of(program) for program in programs], duel.score)
