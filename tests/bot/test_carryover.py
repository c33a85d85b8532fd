"""A program that carries something from one seating to the next is found by its results, others are not."""

from __future__ import annotations

import itertools
from functools import partial

import pytest

from maumau.bots import folder
from maumau.contest.entrant import Entrant
from maumau.contest.export.carryover import find_carryover
from maumau.contest.export.line import root_of
from maumau.contest.format.match import MatchPlan
from maumau.contest.judge import judge_match
from maumau.contest.score import DealScore, score_set
from maumau.contest.seed import deal_seed
from maumau.contest.spec.spec import parse_spec
from maumau.home.entrant import unpack_program
from maumau.referee.block import BlockOrder, play_block
from tests.support.again import play_until_a_result

SECRET = "0123456789abcdef"
SPEC = parse_spec(
    'name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "round_robin"\n[match]\nblock = 25\ncap = 75\n'
)


@pytest.fixture
def found(process, submit, room):
    """Return a function: the tests of the bots of a round robin, by name; `carries` is this test's bot."""

    def played(*names):
        word = room / "word"
        toml = f'run = ["python3", "bot.py", "{word}"]\n'
        greedy = {"greedy.py": (folder("greedy") / "bot.py").read_text()}
        programs = [
            submit(name, toml, **greedy) if name == "carries" else unpack_program(name, room)
            for name in names
        ]
        # not their own hashes, of which that of `carries` has a path in it: the same deals in every run
        entrants = [Entrant(n, name, f"{n:064x}") for n, name in enumerate(names, start=1)]
        root, verdicts = root_of(SPEC, entrants), []
        for number, (one, two) in enumerate(itertools.combinations(range(len(names)), 2), start=1):
            plan = MatchPlan(f"1.1.{number}", 1, 1, number, one + 1, two + 1, bracket=False, better_seed=1)
            verdicts.append(match(process, root, plan, [programs[one], programs[two]], word))
        return {each.name: each for each in find_carryover(SPEC, SECRET, root, entrants, verdicts)}

    return played


def play_without(word, *block):
    word.unlink(missing_ok=True)
    return play_block(*block)


def match(sandbox, root, plan, programs, word):
    """Play a match, block by block until it is decided; `word`: the file that exists between two seatings."""
    sets, verdict = [], judge_match(SPEC, plan, [])
    while not verdict.decided:
        numbers = range(len(sets), len(sets) + SPEC.match.block)
        seeds = [deal_seed(SECRET, root, plan.label, number) for number in numbers]
        order = BlockOrder(SPEC.rules, 2, seeds, first_set=numbers.start, deal_ms=1000)
        outcome = play_until_a_result(partial(play_without, word, order, programs, sandbox))
        for one in outcome.sets:
            deals = [DealScore(deal.places, deal.points) for deal in one.deals]
            sets.append(score_set(SPEC.score, one.number, deals))
        verdict = judge_match(SPEC, plan, sets)
    return verdict


@pytest.mark.long
def test_who_knows_in_which_seating_it_plays_is_found_within_one_tournament(found):
    bots = found("carries", "greedy", "random", "first")
    assert [name for name, one in bots.items() if one.suspicious] == ["carries"]
    assert bots["carries"].estimate > 0.1


@pytest.mark.long
def test_the_house_bots_are_not_accused(found):
    bots = found("rollout", "greedy", "random")
    assert not [name for name, one in bots.items() if one.suspicious]
