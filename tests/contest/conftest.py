"""A whole tournament, played in memory by four simple players: real deals, real records."""

import random
from functools import cache
from types import MappingProxyType, SimpleNamespace

import pytest

from maumau import game
from maumau.contest import export
from maumau.contest.chain import Booking
from maumau.contest.entrant import Entrant
from maumau.contest.format import advance
from maumau.contest.line import MeasuredLine, encode, records_digest, root_of
from maumau.contest.match import judge
from maumau.contest.score import DealScore, score_set
from maumau.contest.seed import deal_seed
from maumau.contest.spec import parse_spec

SPEC = """
name = "four-players"
rules = "prsi"
[options]
ace_stack = "none"
[[stage]]
format = "round_robin"
[[stage]]
format = "single_elimination"
seeds = "previous"
third_place = true
[match]
block = 4
cap = 8
"""

SMALL = """
name = "three-players"
rules = "mau_mau"
[[stage]]
format = "round_robin"
[[stage]]
format = "single_elimination"
seeds = "previous"
[match]
block = 1
cap = 2
"""
SECRET = "a secret of sixteen characters".replace(" ", "-")


def choose(number, deal, seat, rng):
    """Player 1 lays what it can, the others ever more often anything at all."""
    legal = deal.legal(seat)
    action = legal[0] if rng.random() * number < 1 else rng.choice(legal)
    return action + deal.due(seat, action)


def play(rules, seed, players):
    """One deal; the seed of the players' randomness comes from the deal alone."""
    deal = game.deal(rules, 2, seed)
    rngs = [random.Random(game.bot_seed(seed, seat)) for seat in (0, 1)]
    while not deal.over:
        seat = deal.to_act[0]
        deal.apply(seat, choose(players[seat], deal, seat, rngs[seat]))
    return deal


class Arena:
    """Plays the matches of a tournament and remembers the records. seed_takes: of those with fresh seeds."""

    def __init__(self, spec, secret, entrants, seed_takes=MappingProxyType({})):
        self.spec, self.secret, self.entrants, self.seed_takes = spec, secret, entrants, seed_takes
        self.rules = spec.load_rules()
        self.root = root_of(spec, entrants)
        self.plans = {}
        self.sets = cache(self._sets)

    def _sets(self, label):
        match = self.spec.match
        return [self._set(self.plans[label], number) for number in range(match.cap + 10 * match.block)]

    def _set(self, plan, number):
        seed = deal_seed(self.secret, self.root, plan.label, number, self.seed_takes.get(plan.label, 0))
        pair = (plan.first, plan.second)
        deals = [play(self.rules, seed, order) for order in (pair, pair[::-1])]
        score = score_set(self.spec.score, number, [DealScore(deal.places, deal.points) for deal in deals])
        return score, "".join(game.record(deal) for deal in deals)

    def bookings(self):
        """Every block that was played, the last matches first, as if by many workers."""
        size = self.spec.match.block
        return [
            Booking(label, self.seed_takes.get(label, 1), number, self.digest(label, number))
            for label in reversed(self.plans)
            for number in range(len(self.sets(label)) // size)
        ]

    def digest(self, label, number):
        plan, size = self.plans[label], self.spec.match.block
        sets = self.sets(label)[number * size : (number + 1) * size]
        pair = (plan.first, plan.second)
        given = (self.secret, self.root, label, pair, sets, self.seed_takes.get(label, 0))
        return records_digest(map(encode, export.block_records(*given)))

    def run(self, withdrawn=(), after=0, disqualified=()):
        """All verdicts, one by one; after the first `after` of them these are withdrawn, or disqualified."""
        results = []
        while not (now := advance(self.spec, self.entrants, results)).done:
            self.plans |= {plan.label: plan for plan in now.matches}
            plan = now.matches[0]
            sets = [score for score, _ in self.sets(plan.label)]
            results.append(judge(self.spec, plan, sets, self.seed_takes.get(plan.label, 0)))
            if len(results) == after:
                self.entrants = entrants(len(self.entrants), withdrawn, disqualified)
        return list(advance(self.spec, self.entrants, results).verdicts)


def entrants(count, withdrawn=(), disqualified=()):
    return [
        Entrant(n, f"bot-{n}", f"{n:064x}", n in withdrawn, disqualified="a test" * (n in disqualified))
        for n in range(1, count + 1)
    ]


MEASURED = [
    MeasuredLine("tournament", {"secret": "given"}),
    MeasuredLine("block 1.1.1 0", {"wall_ms": 12, "cpu_ms": [3, 4], "worker": "host-1"}),
]


def held(path, toml, count, **withdrawal):
    """A tournament played to its end and exported to `path`."""
    arena = Arena(parse_spec(toml), SECRET, entrants(count))
    results = arena.run(**withdrawal)
    export.write(path, arena.spec, SECRET, arena.entrants, results, arena.sets, MEASURED, arena.bookings())
    return SimpleNamespace(spec=arena.spec, entrants=arena.entrants, results=results, arena=arena, path=path)


@pytest.fixture(scope="session")
def hold(tmp_path_factory):
    """Holds a tournament: `hold(toml, count, withdrawn=[2], after=3)`."""
    folder = tmp_path_factory.mktemp("exports")

    def hold(toml, count, **withdrawal):
        return held(folder / f"{len(list(folder.iterdir()))}.export.jsonl", toml, count, **withdrawal)

    return hold


@pytest.fixture(scope="session")
def tournament(hold):
    """Four players, a round robin that seeds a bracket with a third place."""
    return hold(SPEC, 4)


@pytest.fixture(scope="session")
def small(hold):
    """Three players, two sets a match."""
    return hold(SMALL, 3)
