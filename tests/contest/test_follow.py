"""A plan that follows its results one by one is the one that all of them come to."""

import random

from msgspec.structs import replace

from maumau.contest.entrant import Entrant
from maumau.contest.judge import walkover
from maumau.contest.schedule.advance import advance_schedule, follow_changes
from maumau.contest.spec.spec import parse_spec

ROBIN = '[[stage]]\nformat = "round_robin"\n'
BRACKET = '[[stage]]\nformat = "single_elimination"\n'
GROUPS = '[[stage]]\nformat = "groups"\ngroups = 2\n'
CUT = f'{GROUPS}{BRACKET}seeds = "previous"\ntake = 4\n{ROBIN}take = 3\n'


def field(count, gone=()):
    return [Entrant(n, f"bot-{n}", f"{n:064x}", n in gone) for n in range(1, count + 1)]


def spec(stages):
    return parse_spec(f'name = "cup"\nrules = "mau_mau"\n{stages}')


def half(cup, plan, sets):
    """Return a match with this many sets played."""
    return replace(
        walkover(cup, plan, plan.first), decided=False, rule="", winner=None, counted=sets, total=2 * sets,
        squares=4 * sets,
    )  # fmt: skip


def won(cup, plan, winner):
    return replace(half(cup, plan, 200), decided=True, rule="sequential", winner=winner)


def same(one, other):
    return one == other and one.verdicts == other.verdicts and one.known == other.known


def play(cup, bots, chance, followed):
    """Plays to the end, a result at a time; counts how often the plan could follow."""
    results, plan = {}, advance_schedule(cup, bots, ())
    while not plan.done:
        match = chance.choice(plan.matches)
        verdict = half(cup, match, 100) if chance.random() < 0.5 else None
        verdict = verdict or won(cup, match, chance.choice((match.first, match.second)))
        results[match.label] = verdict
        ordered = [results[label] for label in plan.known if label in results]
        whole, after = advance_schedule(cup, bots, ordered), follow_changes(plan, {match.label: verdict})
        if after:
            assert same(after, whole)
            followed.append(match.label)
        plan = after or whole
    return plan


def test_a_plan_that_follows_is_the_one_made_of_all_results():
    for number, stages in enumerate((ROBIN, BRACKET, ROBIN + BRACKET, ROBIN + ROBIN, GROUPS, CUT)):
        followed = []
        plan = play(spec(stages), field(6), random.Random(number), followed)
        assert plan.done
        assert followed


def test_in_a_round_robin_a_result_is_followed_until_the_last_match():
    cup, bots = spec(ROBIN), field(3)
    results = [half(cup, plan, 100) for plan in advance_schedule(cup, bots, ()).matches]
    plan = advance_schedule(cup, bots, results)
    for left, match in enumerate(reversed(plan.matches)):
        after = follow_changes(plan, {match.label: won(cup, match, match.first)})
        assert (after is None) == (left == 2)
        plan = after or plan


def test_a_decided_match_that_comes_again_as_it_was_is_followed_too():
    """It is read again when it has been marked as decided."""
    cup, bots = spec(ROBIN), field(4)
    results = [half(cup, plan, 100) for plan in advance_schedule(cup, bots, ()).matches]
    plan = advance_schedule(cup, bots, results)
    match = plan.matches[1]
    news = {match.label: won(cup, match, match.first)}
    after = follow_changes(plan, news)
    assert match not in after.matches
    assert same(follow_changes(after, news), after)
    assert follow_changes(after, {match.label: won(cup, match, match.second)}) is None


def test_what_others_hang_on_is_not_followed():
    cup, bots = spec(BRACKET), field(4)
    first, second = advance_schedule(cup, bots, ()).matches
    results = [half(cup, first, 100), half(cup, second, 100)]
    plan = advance_schedule(cup, bots, results)
    assert follow_changes(plan, {first.label: won(cup, first, first.first)}) is None
    decided = advance_schedule(cup, bots, [won(cup, first, first.first), results[1]])
    assert follow_changes(decided, {first.label: results[0]}) is None  # taken back
    assert (
        follow_changes(advance_schedule(cup, bots, ()), {first.label: results[0]}) is None
    )  # not known before
    gone = advance_schedule(cup, field(4, gone={second.first}), results)
    assert follow_changes(gone, {first.label: half(cup, first, 200)}) is None
