"""A duel: mirrored deals between two programs until the sequential test decides, on all cores.

Blocks grow, so that the first numbers come soon and a long duel spends its time playing: which deals are in
which block depends on nothing but the number asked for. The duel is judged after each block in the order of
their numbers, as a match of the arena is, so it ends alike on any number of cores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import count, takewhile
from typing import Any, Literal

import msgspec

from maumau.bot.fault import Fault
from maumau.bot.player import Program
from maumau.bot.referee import BlockOrder, Measured
from maumau.bot.share import BankTally, tally_block
from maumau.contest.claim import Claim, claim_of
from maumau.contest.interval import stopped_interval
from maumau.contest.score import UNITS
from maumau.contest.sequential import Sums, bound
from maumau.home.crew import Crew
from maumau.home.job import Deals, Done, Job, SecondRun, deal_seed, entrant

FIRST_BLOCK, LARGEST_BLOCK = 10, 100  # sets in the first blocks, and in the later ones
DELTA, ALPHA = Fraction(1, 40), Fraction(1, 20)
BOUND = bound(ALPHA)
HEAR = 0.1  # seconds between two looks at the screen

State = Literal["playing", "decided", "not separated", "stopped"]


class Duel(msgspec.Struct, frozen=True):
    """What to play: `sets` deal sets at most; `all_of_them`: also beyond the decision.

    `variant_toml` is the text of a variant of one's own, "" for a known one.
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


class Standing(msgspec.Struct):
    """How it stands after the blocks that are finished in order; everything is the first's.

    `measured` is by block; `second_runs` are the blocks that were, or are, played once more.
    """

    state: State
    sums: Sums
    points: tuple[int, int] = (0, 0)
    faults: list[Fault] = []
    measured: list[Measured] = []
    second_runs: list[SecondRun] = []
    unstopped: bool = False

    @property
    def cpu_ms(self) -> tuple[float, float]:
        """CPU time of the programs, in milliseconds of this host."""
        first, second = ([block.uses[entrant].cpu_ms for block in self.measured] for entrant in (0, 1))
        return sum(first), sum(second)

    @property
    def bank_tallies(self) -> tuple[BankTally, BankTally]:
        """What the programs used of their banks; of a block that was played twice the second run counts."""
        tallies = BankTally(), BankTally()
        for block in self.measured:
            for number, tally in enumerate(tallies):
                tally.add(tally_block(block, number))
        return tallies

    @property
    def llr(self) -> float:
        """The log likelihood ratio that decides beyond ±ln 19."""
        return float(self.sums.llr(DELTA))

    @property
    def winner(self) -> int | None:
        """0 or 1 where the test has decided."""
        if abs(self.sums.llr(DELTA)) < BOUND:
            return None
        return 0 if self.sums.lead > 0 else 1

    @property
    def claim(self) -> Claim:
        """What may be said of the winner."""
        won, (low, high) = None if self.winner is None else self.winner == 0, self.interval
        return claim_of(won_by_first=won, rule="sequential", low=low, high=high)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score, though it is stopped when it is decided (unless `unstopped`)."""
        if self.unstopped:
            return self.sums.interval
        ends = takewhile(lambda end: end <= self.sums.sets, (span(block).stop for block in count()))
        return stopped_interval(self.sums, tuple(ends), float(DELTA), float(ALPHA))

    def fault_counts(self) -> list[Counter[str]]:
        """By entrant, how many faults of each kind."""
        counts: list[Counter[str]] = [Counter(), Counter()]
        for fault in self.faults:
            counts[fault.entrant][fault.kind] += 1
        return counts


Watch = Callable[[Standing, int], None]


def span(block: int) -> range:
    """The numbers of the sets in a block: twice 10, twice 20, twice 40, twice 80, then 100 each."""
    begin = 0
    for turn in range(block + 1):
        size = min(LARGEST_BLOCK, FIRST_BLOCK * 2 ** (turn // 2))
        begin += size
    return range(begin - size, begin)


def blocks(sets: int) -> Iterator[range]:
    """The blocks of a duel of `sets` deal sets; the last block may be shorter."""
    for number in count():
        found = span(number)
        if found.start >= sets:
            return
        yield range(found.start, min(found.stop, sets))


def play(duel: Duel, programs: Sequence[Program], crew: Crew, watch: Watch) -> Standing:
    """Play a duel; `watch(standing, deals)` hears how it goes. Ctrl-C ends it with what is there so far."""
    standing = Standing("playing", Sums(UNITS[duel.score]), unstopped=duel.all_of_them)
    try:
        _play(duel, programs, crew, watch, standing)
    except KeyboardInterrupt:
        standing.state = "stopped"
    return standing


def _play(duel: Duel, programs: Sequence[Program], crew: Crew, watch: Watch, standing: Standing) -> None:
    jobs = (_job(number, span, duel, programs) for number, span in enumerate(blocks(duel.sets)))
    ahead: dict[int, Done] = {}
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
        elif isinstance(word, Done):
            ahead[word.number] = word
        while standing.state == "playing" and judged in ahead:
            book(duel, standing, ahead.pop(judged))
            judged += 1
        watch(standing, deals)


def book(duel: Duel, standing: Standing, done: Done) -> None:
    """Add a block, the next in order, and judge."""
    standing.sums = standing.sums.plus(each.half_points for each in done.sets)
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


def _job(number: int, span: range, duel: Duel, programs: Sequence[Program]) -> Job:
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
    return Job(number, order, [entrant(program) for program in programs], duel.score)
