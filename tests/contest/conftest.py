"""A whole tournament, played in memory by four simple players: real deals, real records."""

import random
from functools import cache
from types import MappingProxyType, SimpleNamespace

import pytest
from msgspec.structs import replace

from maumau import game
from maumau.contest.entrant import Entrant
from maumau.contest.export import write as export
from maumau.contest.export.chain import Booking, Chain, Decision, End, Retaking, list_departures
from maumau.contest.export.line import (
    MeasuredLine,
    encode_line,
    list_seatings,
    records_digest,
    result_digest,
    root_of,
)
from maumau.contest.judge import judge_match
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.score import DealScore, choose_mode, score_set
from maumau.contest.seed import VERSION, deal_seed
from maumau.contest.spec.spec import parse_spec

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
    """Return an action: player 1 lays what it can, higher numbers increasingly play at random."""
    legal = deal.legal(seat)
    action = legal[0] if rng.random() * number < 1 else rng.choice(legal)
    return action + deal.due(seat, action)


def play(rules, seed, players):
    """Play one deal; the players' seeds come from the deal alone."""
    deal = game.deal(rules, len(players), seed)
    rngs = [random.Random(game.bot_seed(seed, seat)) for seat in range(len(players))]
    while not deal.over:
        seat = deal.to_act[0]
        deal.apply(seat, choose(players[seat], deal, seat, rngs[seat]))
    return deal


def play_game(rules, seed, players):
    """Play a whole game, each of its deals like `play`."""
    played = game.Game(rules, len(players), seed)
    while True:
        deal = played.deal
        rngs = [random.Random(game.bot_seed(deal.seed.text, seat)) for seat in range(len(players))]
        while not deal.over:
            seat = deal.to_act[0]
            deal.apply(seat, choose(players[seat], deal, seat, rngs[seat]))
        if played.over:
            return played
        played.next()


class Arena:
    """Plays the matches of a tournament and keeps the records. seed_takes: of those with fresh seeds."""

    def __init__(self, spec, secret, entrants, seed_takes=MappingProxyType({}), version=VERSION):
        self.spec, self.secret, self.entrants, self.seed_takes = spec, secret, entrants, seed_takes
        self.rules, self.version = spec.load_rules(), version
        self.root = root_of(spec, entrants, version)
        self.plans = {}
        self._played = cache(self._play_match)

    def sets(self, label):
        """Return the sets of a match as it is planned now: a table that somebody left is another one."""
        return self._played(self.plans[label])

    def _play_match(self, plan):
        match = self.spec.choose_match(plan.stage)
        return [self._set(plan, number) for number in range(match.cap + 10 * match.block)]

    def _set(self, plan, number):
        seed = deal_seed(self.secret, self.root, plan.label, number, self.seed_takes.get(plan.label, 0))
        stage = self.spec.list_stage_rules()[plan.stage - 1]
        if stage.is_game:
            return self._game_set(plan, number, seed, stage.options)
        deals = [play(self.rules, seed, order) for order in list_seatings(*plan.players)]
        seats = len(deals)
        played = [DealScore(deal.places, deal.points) for deal in deals]
        score = score_set(choose_mode(self.spec.score, seats), number, played, seats)
        return score, "".join(game.record(deal) for deal in deals)

    def _game_set(self, plan, number, seed, options):
        """Play a set of whole games."""
        rules = game.load_any(self.spec.rules, self.spec.variant_toml or "", **options)
        games = [play_game(rules, seed, order) for order in list_seatings(*plan.players)]
        played = [DealScore(one.places, one.total) for one in games]
        score = score_set(choose_mode(self.spec.score, len(games)), number, played, len(games))
        return score, "".join(map(game.record_game, games))

    def bookings(self):
        """Return every block that was played, the last matches first, as if by many workers."""
        return [
            Booking(label, self.seed_takes.get(label, 1), number, self.digest(label, number))
            for label in reversed(self.plans)
            for number in range(len(self.sets(label)) // self.size_block(label))
        ]

    def size_block(self, label):
        return self.spec.choose_match(self.plans[label].stage).block

    def chain(self, results, bookings=None):
        """All events: bookings, whoever departed, decisions, the end."""
        bookings = self.bookings() if bookings is None else bookings
        if self.version == 3:
            return Chain(bookings, 3)
        takes, events = {}, []
        for booking in bookings:
            last = takes.setdefault(booking.match, 1)
            events += [Retaking(booking.match, take) for take in range(last, booking.take)]
            takes[booking.match] = max(last, booking.take)
            events.append(booking)
        vanished = takes.keys() - {one.label for one in results}  # of tables of which too few are left
        events += [Retaking(label, takes[label]) for label in sorted(vanished)]
        decisions = [Decision(one.label, takes.get(one.label, 1), result_digest(one)) for one in results]
        events += [*list_departures(self.entrants), *decisions, End(self.compared(results))]
        return Chain(events, self.version)

    def compared(self, results):
        """As the arena tells it when the tournament ends."""
        return export.digest_compared(
            self.spec, self.secret, self.entrants, results, self.blocks, self.version
        )

    def blocks(self, label):
        """For each block the scores of its sets, and its digest."""
        size = self.size_block(label)
        sets = [score for score, _ in self.sets(label)]
        return [(sets[at : at + size], self.digest(label, at // size)) for at in range(0, len(sets), size)]

    def write(self, path, results, bookings=None):
        """Write the export as the arena does."""
        given = (self.spec, self.secret, self.entrants, results, self.sets, measure(results))
        return export.write_export(path, *given, self.chain(results, bookings))

    def digest(self, label, number):
        plan, size = self.plans[label], self.size_block(label)
        sets = self.sets(label)[number * size : (number + 1) * size]
        given = (self.secret, self.root, label, plan.players, sets, self.seed_takes.get(label, 0))
        return records_digest(map(encode_line, export.block_records(*given)))

    def run(self, withdrawn=(), after=0, disqualified=()):
        """Return all verdicts in order; after the first `after` entrants are withdrawn or disqualified."""
        results = []
        while not (now := advance_schedule(self.spec, self.entrants, results)).done:
            self.plans |= {plan.label: plan for plan in now.matches}
            plan = now.matches[0]
            sets = [score for score, _ in self.sets(plan.label)]
            results.append(judge_match(self.spec, plan, sets, self.seed_takes.get(plan.label, 0)))
            if len(results) == after:
                self.entrants = entrants(len(self.entrants), withdrawn, disqualified)
        return list(advance_schedule(self.spec, self.entrants, results).verdicts)


def entrants(count, withdrawn=(), disqualified=()):
    return [
        Entrant(n, f"bot-{n}", f"{n:064x}", n in withdrawn, disqualified="a test" * (n in disqualified))
        for n in range(1, count + 1)
    ]


def measure(results):
    """Return the measured lines of the tournament and of a block of its first match."""
    tournament, block = MEASURED
    first = min((one.label for one in results), default="1.1.1")
    return [tournament, replace(block, of=f"block {first} 0")]


MEASURED = [
    MeasuredLine("tournament", {"secret": "given"}),
    MeasuredLine("block 1.1.1 0", {"wall_ms": 12, "cpu_ms": [3, 4], "worker": "host-1"}),
]


def held(path, toml, count, version=VERSION, **withdrawal):
    """A tournament played to its end and exported to `path`."""
    arena = Arena(parse_spec(toml), SECRET, entrants(count), version=version)
    results = arena.run(**withdrawal)
    arena.write(path, results)
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
