"""Contests of synthetic results: played to the end, and through random histories."""

import msgspec

from maumau.contest.entrant import Entrant
from maumau.contest.judge import judge_match
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.score import SetScore
from maumau.contest.spec.spec import parse_spec

HEAD = 'name = "cup"\nrules = "prsi"\n'
MATCH = "[match]\nblock = 2\ncap = 4\ndelta = 0.1\n"


def make_spec(*stages, most=16):
    """Return a spec of these stages, each the lines of its table."""
    tables = "".join(f"[[stage]]\n{lines}\n" for lines in stages)
    return parse_spec(f"{HEAD}{tables}[entries]\nmost = {most}\n{MATCH}")


def field(count, withdrawn=(), disqualified=()):
    return [
        Entrant(n, f"bot-{n}", f"{n:064x}", n in withdrawn, disqualified="a test" * (n in disqualified))
        for n in range(1, count + 1)
    ]


def decide(spec, plan, winner):
    """Return the verdict of a match of which this entrant wins every set by the same; others by number."""
    if plan.others:
        return decide_table(spec, plan, sorted(plan.players, key=lambda one: (one != winner, one)))
    score = 4 if winner == plan.first else 0
    scores = [score if number else 2 for number in range(spec.choose_match(plan.stage).cap)]
    return judge_match(spec, plan, [SetScore(n, one, (0, 0), 0) for n, one in enumerate(scores)])


def decide_table(spec, plan, order):
    """Return the verdict of a table that ends in this order in every deal."""
    seats = len(order)
    scores = tuple(2 * seats * (seats - 1 - order.index(one)) for one in plan.players)
    sets = [SetScore(n, scores[0], (0,) * seats, 0, scores) for n in range(spec.match.cap)]
    return judge_match(spec, plan, sets)


def play(spec, players, winners=None, better=lambda one: one.number):
    """Return the results of a contest that the better one wins; winners: of other matches, by label."""
    rank = {one.number: better(one) for one in players}
    results = []
    while (now := advance_schedule(spec, players, results)).matches:
        for plan in now.matches:
            usual = min(plan.players, key=rank.__getitem__)
            results.append(decide(spec, plan, (winners or {}).get(plan.label, usual)))
    return results


def chaos(spec, count, rng, steps=400):
    """Play with random results, departures and retakes; check at every step, and the table at the end."""
    players, results = field(count), {}
    for _ in range(steps):
        now = check(advance_schedule(spec, players, results.values()))
        if now.done and rng.random() < 0.7:
            break
        players = depart(players, rng)
        if results and rng.random() < 0.05:
            del results[rng.choice(sorted(results))]
        for plan in rng.sample(now.matches, rng.randint(0, len(now.matches))):
            results[plan.label] = decide(spec, plan, rng.choice(plan.players))
    while (now := check(advance_schedule(spec, players, results.values()))).matches:
        results |= {one.label: decide(spec, one, one.better_seed) for one in now.matches}
    shuffled = rng.sample(sorted(results), len(results))
    again = advance_schedule(spec, players, [results[label] for label in shuffled])
    assert now.done
    assert again == now
    return now


def check(now):
    """Check that the plan pairs nobody who is out, and places everybody once."""
    gone = {one.number for one in now.entrants if one.withdrawn or one.disqualified}
    assert not [one for one in now.matches if gone.intersection(one.players)]
    assert bool(now.matches) != now.done
    assert sorted(row.entrant for row in now.table) == [one.number for one in now.entrants]
    labels = [plan.label for draw in now.draws for plan in draw.matches]
    assert len(set(labels)) == len(labels)
    return now


def depart(players, rng):
    """Return the players, one of whom may have been withdrawn or disqualified."""
    if rng.random() > 0.05:
        return players
    gone = rng.randrange(len(players))
    change = rng.choice([{"withdrawn": True}, {"disqualified": "a test"}])
    return [msgspec.structs.replace(one, **change) if n == gone else one for n, one in enumerate(players)]
