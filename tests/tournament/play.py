"""Blocks played in this process and reported as by a worker. Bots play by the first word of their names."""

from functools import lru_cache

from maumau import game, wire
from maumau.bot.fault import Fault
from maumau.bot.referee import DealOutcome, SetOutcome
from maumau.v1 import tournament_pb2


def parts(order, given, **header):
    """The messages of a report, ten sets each."""
    measured = tournament_pb2.Measured(worker="test", sandbox="none", decisions=7)
    known = {"block_id": order.block_id, "fence": order.fence, "sets": len(given), "measured": measured}
    yield tournament_pb2.SubmitBlockRequest(header=tournament_pb2.SubmitBlockHeader(**known | header))
    for start in range(0, len(given), 10):
        some = tournament_pb2.SubmitBlockSets(sets=given[start : start + 10])
        yield tournament_pb2.SubmitBlockRequest(sets=some)


def played(order):
    """The sets of an order as messages."""
    names = tuple(entrant.name.partition("-")[0] for entrant in order.entrants)
    return [
        wire.set_message(play_set(order.rules.name, names, order.first_set + i, seed))
        for i, seed in enumerate(order.seeds)
    ]


load = lru_cache(game.load)


@lru_cache(maxsize=4096)
def play_set(rules, names, number, seed):
    return SetOutcome(number, [_play(rules, names, number, seating, seed) for seating in range(len(names))])


def _play(rules, names, number, seating, seed):
    deal = game.deal(load(rules), len(names), seed)
    seats = [(seat + seating) % len(names) for seat in range(len(names))]
    faults = []
    for seat, entrant in enumerate(seats):
        if names[entrant] == "crash":
            deal.forfeit(seat, "crash")
            faults.append(
                Fault(
                    entrant, seating, number, "crash", "it died", ask='{"ask":"turn"}', exit="exit code 1",
                    stderr='Traceback …\n  File "bot.py"\nValueError: no idea\n',
                )
            )  # fmt: skip
        if names[entrant] == "gone":  # crashes in the first seating, and forfeits the second
            kind, words = ("crash", "it died") if seating == 0 else ("forfeit", "5 faults in this block")
            deal.forfeit(seat, kind)
            faults.append(
                Fault(
                    entrant, seating, number, kind, words, exit="exit code 1",
                    stderr="ValueError: no idea\n" if seating == 0 else "",
                )
            )  # fmt: skip
    chance = [game.stream(seed, f"bot:{seat}") for seat in range(len(names))]
    while not deal.over:
        for seat in deal.to_act:
            deal.apply(seat, _choose(deal, seat, names[seats[seat]], chance[seat]))
    return DealOutcome(seats, deal.places, deal.points, game.record(deal), faults, [])


def _choose(deal, seat, policy, chance):
    if policy != "random":
        return game.first_action(deal, seat)
    legal = deal.legal(seat)
    action = legal[chance.below(len(legal))]
    return action + deal.due(seat, action)
