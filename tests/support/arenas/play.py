"""Blocks played in this process and reported as by a worker. Bots play by the first word of their names."""

import json
from functools import lru_cache

from maumau import game, wire
from maumau.protocol.fault import Fault
from maumau.referee.block import DealOutcome, SetOutcome
from maumau.v1 import game_pb2, tournament_pb2


def report_parts(order, given, **header):
    """Yield the messages of a report, ten sets each."""
    measured = tournament_pb2.Measured(worker="test", sandbox="none", decisions=7)
    known = {"block_id": order.block_id, "fence": order.fence, "sets": len(given), "measured": measured}
    yield tournament_pb2.SubmitBlockRequest(header=tournament_pb2.SubmitBlockHeader(**known | header))
    for start in range(0, len(given), 10):
        some = tournament_pb2.SubmitBlockSets(sets=given[start : start + 10])
        yield tournament_pb2.SubmitBlockRequest(sets=some)


def play_order(order):
    """Return the sets of an order as messages."""
    names = tuple(entrant.name.partition("-")[0] for entrant in order.entrants)
    return [
        wire.set_message(
            play_set(
                order.rules.name,
                names,
                order.first_set + i,
                seed,
                order.rules.options_json,
                order.rules.variant_toml,
                is_game=order.game,
            )
        )
        for i, seed in enumerate(order.seeds)
    ]


def keep_ordered(order, given):
    """Return the sets with only the deals of the ordered seatings, as real workers play them."""
    for one in given:
        if order.seatings and len(one.deals) > len(order.seatings):
            kept = [one.deals[seating] for seating in order.seatings]
            del one.deals[:]
            one.deals.extend(kept)
    return given


@lru_cache
def load_variant(rules, options_json="{}", variant_toml=""):
    return game.load_any(rules, variant_toml, **json.loads(options_json or "{}"))


@lru_cache(maxsize=4096)
def play_set(rules, names, number, seed, options_json="{}", variant_toml="", is_game=False):
    loaded = load_variant(rules, options_json, variant_toml)
    play = _play_game if is_game else _play_deal
    return SetOutcome(number, [play(loaded, names, number, seating, seed) for seating in range(len(names))])


def _play_game(rules, names, number, seating, seed):
    """Play a whole game; `crash` crashes in its first deal."""
    played, faults = game.Game(rules, len(names), seed), []
    seats = [(seat + seating) % len(names) for seat in range(len(names))]
    for seat, entrant in enumerate(seats):
        if names[entrant] == "crash":
            played.deal.forfeit(seat, "crash")
            faults.append(Fault(entrant, seating, number, "crash", "it died"))
    while True:
        deal = played.deal
        _play_on(deal, [names[entrant] for entrant in seats], deal.seed.text)
        if played.over:
            return DealOutcome(seats, played.places, played.total, game.record_game(played), faults, [])
        played.next()


def _play_on(deal, policies, seed):
    """Play a deal to its end, each seat by its policy."""
    chance = [game.stream(seed, f"bot:{seat}") for seat in range(len(policies))]
    while not deal.over:
        for seat in deal.to_act:
            deal.apply(seat, _choose_action(deal, seat, policies[seat], chance[seat]))


def _play_deal(rules, names, number, seating, seed):
    deal = game.deal(rules, len(names), seed)
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
        if names[entrant] == "late":
            deal.forfeit(seat, "time")
            words = "its bank of CPU time is spent"
            faults.append(Fault(entrant, seating, number, "time", words, overran=True))
        if names[entrant] == "killed":
            deal.forfeit(seat, "crash")
            killed = "signal 9 (SIGKILL)"
            words = f"it ended with {killed}"
            faults.append(Fault(entrant, seating, number, "crash", words, exit=killed, killed=True))
        if names[entrant] == "gone":  # crashes in the first seating, and forfeits the second
            kind, words = ("crash", "it died") if seating == 0 else ("forfeit", "5 faults in this block")
            deal.forfeit(seat, kind)
            faults.append(
                Fault(
                    entrant, seating, number, kind, words, exit="exit code 1",
                    stderr="ValueError: no idea\n" if seating == 0 else "",
                )
            )  # fmt: skip
    _play_on(deal, [names[entrant] for entrant in seats], seed)
    return DealOutcome(seats, deal.places, deal.points, game.record(deal), faults, [])


def _choose_action(deal, seat, policy, chance):
    if policy != "random":
        return game.first_action(deal, seat)
    legal = deal.legal(seat)
    action = legal[chance.below(len(legal))]
    return action + deal.due(seat, action)


WORDS = {0: "of the first", 1: "of the second"}


def play_with_notes(order):
    """Return the sets of an order; in each deal both entrants name themselves at the third event."""
    sets = play_order(order)
    for one in sets:
        for deal in one.deals:
            deal.notes.extend(
                game_pb2.Note(event=3, seat=seat, text=WORDS[entrant])
                for seat, entrant in enumerate(deal.entrants)
            )
    return sets
