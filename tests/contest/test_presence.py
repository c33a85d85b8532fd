"""Rounds and batches are drawn with those who were there: forged exports are found, all honest ones agree."""

import random

import pytest

from maumau.contest.export.chain import Withdrawal
from tests.contest.round_hall import RoundHall, make_rounds

SWISS = 'format = "swiss"\nrounds = 4'
RACE = 'format = "race"\nbudget = 150\nsets = 5\nsure = 0.9999'
CUP = '\n[[stage]]\nformat = "single_elimination"\nseeds = "previous"\ntake = 4'
TWICE = 'format = "round_robin"\n[[stage]]\nformat = "swiss"\nrounds = 2\nseeds = "previous"'
STAGES = {"swiss": SWISS, "race": RACE, "cup": SWISS + CUP, "twice": TWICE}


def move_departure(happened, place):
    """Return the events with the departure at this place; -1: after all others."""
    left = next(one for one in happened if isinstance(one, Withdrawal))
    kept = [one for one in happened if one != left]
    kept.insert(place if place >= 0 else len(kept), left)
    return kept


def find_event(hall, key):
    return next(place for place, event in enumerate(hall.happened) if event.key.startswith(key))


def play_without(hall):
    """Play the first round with all, and the others without entrant 1."""
    hall.decide(*(label for label in hall.open if 1 in hall.plans[label].players))
    hall.leave(1)
    return hall.finish()


@pytest.mark.long
@pytest.mark.parametrize("stage", [SWISS, RACE])
@pytest.mark.parametrize("count", [5, 6])
def test_nobody_is_left_out_of_a_round_before_leaving(stage, count, tmp_path):
    """A bot said to have left at the end was there, and would have been drawn."""
    hall = play_without(RoundHall(make_rounds(stage), count))
    assert hall.check(tmp_path / "honest.jsonl").ok
    report = hall.check(tmp_path / "forged.jsonl", move_departure(hall.happened, -1))
    assert {one.field for one in report.differences} == {"players"}
    assert report.differences[0].found == "with 1, who had not left when it was drawn"


@pytest.mark.long
@pytest.mark.parametrize("stage", [SWISS, RACE])
def test_nobody_is_left_out_of_a_round_that_had_begun(stage, tmp_path):
    """A bot that leaves during a round has lost a match of it, or had none."""
    hall = play_without(RoundHall(make_rounds(stage), 6))
    begun = find_event(hall, "1.2.1 1 0")
    report = hall.check(tmp_path / "forged.jsonl", move_departure(hall.happened, begun))
    assert [one.found for one in report.differences] == ["with 1, who had not left when it was drawn"]
    assert hall.check(tmp_path / "before.jsonl", move_departure(hall.happened, begun - 1)).ok


@pytest.mark.long
@pytest.mark.parametrize("stage", [SWISS, RACE])
def test_nobody_is_drawn_after_leaving(stage, tmp_path):
    hall = RoundHall(make_rounds(stage), 6).play_rounds(2)
    hall.leave(hall.plans["1.2.1"].first)
    hall.finish()
    assert hall.check(tmp_path / "honest.jsonl").ok
    report = hall.check(tmp_path / "forged.jsonl", move_departure(hall.happened, 0))
    assert "who had left when it was drawn" in report.differences[0].found
    assert report.differences[0].found.startswith("without ")


def test_a_round_may_be_drawn_anew_without_another_match(tmp_path):
    """When a disqualification draws it again, a bot that had a bye and has left since is not in it."""
    hall = RoundHall(make_rounds(SWISS), 5)
    for _ in range(5):
        hall.decide(hall.open[0])
    hall.leave(2)
    hall.leave(3, kind="disqualified")
    hall.finish()
    assert hall.check(tmp_path / "honest.jsonl").ok


TEN_LEAVE = (
    "1.1.4 -4 1.1.1 !6 1.1.2 !5 1.2.3 -6 1.2.2 -2 1.3.3 1.3.2 1.4.1 -1 1.4.2 1.5.1 !1 1.5.4 1.5.2 -9 !3"
)
"""Matches that are played, bots that withdraw (-) and bots that are disqualified (!)."""


def test_a_batch_may_be_drawn_before_all_matches_of_the_one_before(tmp_path):
    """When bot 3 is disqualified, two matches join batch 4, after batch 5 was drawn with bot 3 in it."""
    hall = RoundHall(make_rounds(RACE), 9)
    for step in TEN_LEAVE.split():
        if step[0] in "-!":
            hall.leave(int(step[1:]), kind="disqualified" if step[0] == "!" else "withdrawn")
        else:
            hall.decide(step)
    hall.finish()
    decided = [one.key for one in hall.happened]
    assert (
        decided.index("1.5.1 1 0")
        < decided.index("entrant 3 disqualified")
        < decided.index("1.4.3 1 decided")
    )
    assert hall.check(tmp_path / "honest.jsonl").ok


def leave_with_many(hall, count):
    """Let bot 1 and some others without a match leave during the first round; return the others."""
    *most, last = hall.open
    hall.decide(*most)
    others = [one for one in range(len(hall.entrants), 1, -1) if one not in hall.plans[last].players][:count]
    hall.leave(*others, 1)
    hall.finish()
    return others


@pytest.mark.long
@pytest.mark.parametrize("stage", [SWISS, RACE])
def test_many_leavers_hide_nobody_who_is_left_out(stage, tmp_path):
    """Bot 1 is said to have left at the end, and seven others shortly before the second round began."""
    hall = RoundHall(make_rounds(stage), 18)
    others = leave_with_many(hall, 7)
    assert hall.check(tmp_path / "honest.jsonl").ok
    gone = [Withdrawal(one) for one in others]
    happened = [one for one in hall.happened if one not in (*gone, Withdrawal(1))]
    begun = next(place for place, event in enumerate(happened) if event.key.startswith("1.2.1 1"))
    report = hall.check(
        tmp_path / "forged.jsonl", [*happened[:begun], *gone, *happened[begun:], Withdrawal(1)]
    )
    assert [one.found for one in report.differences] == ["with 1, who had not left when it was drawn"]


def wander(hall, rng):
    """Play matches in random order; let entrants go, and take matches back, at random moments."""
    steps = 0
    while hall.now.matches:
        steps += 1
        if hall.open:
            hall.play(rng.choice(hall.open))
        if rng.random() < 0.9 or not hall.open:
            hall.settle()
        if steps < 60 and rng.random() < 0.15:
            kind = rng.choice(("withdrawn", "withdrawn", "disqualified"))
            if (left := rng.randrange(len(hall.entrants)) + 1) not in hall.gone[kind]:
                hall.leave(left, kind=kind)
        if steps < 60 and rng.random() < 0.05 and hall.linked:
            label = rng.choice(sorted(hall.linked))
            if hall.given[label].counted:
                hall.retake(label)
    hall.settle()


def check_history(stage, seed, path):
    rng = random.Random(seed)
    hall = RoundHall(make_rounds(STAGES[stage]), rng.randint(3, 9))
    wander(hall, rng)
    report = hall.check(path)
    assert report.differences == ()
    assert report.matches == len(hall.now.verdicts)


@pytest.mark.sample
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("stage", STAGES)
def test_exports_of_random_histories_are_verified(stage, seed, tmp_path):
    check_history(stage, seed, tmp_path / "export.jsonl")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3, 40))
@pytest.mark.parametrize("stage", STAGES)
def test_exports_of_many_random_histories_are_verified(stage, seed, tmp_path):
    check_history(stage, seed, tmp_path / "export.jsonl")
