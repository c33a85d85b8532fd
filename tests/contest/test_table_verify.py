"""Exports of tables: those of all histories are verified, and forged ones are not."""

import random
from functools import partial

import pytest
from msgspec import json
from msgspec.structs import replace

from maumau.contest.export.chain import Decision, Withdrawal
from maumau.contest.export.difference import shorten_value
from maumau.contest.export.line import TAIL, ResultLine, encode_line, result_digest
from maumau.contest.export.verify import verify
from maumau.contest.judge import walkover
from maumau.contest.schedule.advance import advance_schedule, find_walkover
from tests.contest.table_hall import Hall, make_hall

ORDERS = [
    (3, 3, 3, ["1.2.1"], [1, 2]),
    (4, 2, 4, ["1.2.1"], [1, 2, 3]),
    (3, 2, 6, ["1.2.1", "1.2.2"], [1, 3, 5, 6]),
    (3, 3, 3, ["1.1.1", "1.3.1"], [1, 2]),
    (3, 3, 3, ["1.2.1"], [1]),
]


@pytest.mark.parametrize(("seats", "rounds", "count", "decided", "left"), ORDERS)
def test_a_round_that_is_decided_before_an_earlier_one_counts(seats, rounds, count, decided, left, tmp_path):
    hall = Hall(make_hall(seats, rounds), count)
    hall.decide(*decided)
    hall.leave(*left)
    report = hall.finish().check(tmp_path / "export.jsonl")
    assert report.ok, report.differences
    assert report.matches == len(hall.now.verdicts)


CUT = '[[stage]]\nformat = "tables"\nseats = 3\nrounds = 2\nseeds = "previous"\n'


def wander(hall, rng):
    """Decide tables in random order, begin others, and let entrants go, until all is decided."""
    while (now := hall.now).matches:
        label = rng.choice(now.matches).label
        hall.begin(label) if rng.random() < 0.3 else hall.decide(label)
        if rng.random() < 0.3:
            left = rng.randrange(len(hall.entrants)) + 1
            kind = rng.choice(("withdrawn", "withdrawn", "disqualified"))
            if left not in hall.gone[kind]:
                hall.leave(left, kind=kind)


@pytest.mark.sample
@pytest.mark.parametrize("seed", range(16))
def test_exports_of_random_histories_are_verified(seed, tmp_path):
    rng = random.Random(seed)
    spec = make_hall(rng.choice((3, 4)), rng.choice((1, 2, 3)), CUT if seed % 4 == 0 else "")
    hall = Hall(spec, rng.choice((3, 4, 5, 6, 7)))
    wander(hall, rng)
    report = hall.check(tmp_path / "export.jsonl")
    assert report.ok, report.differences
    assert report.matches == len(hall.now.verdicts)


def move_departure(happened, place):
    """Return the events with the first departure at this place."""
    left = next(one for one in happened if isinstance(one, Withdrawal))
    kept = [one for one in happened if one != left]
    kept.insert(place if place >= 0 else len(kept), left)
    return kept


def play_without(hall, *decided):
    """Play these tables with all, and the others without entrant 1."""
    hall.decide(*decided)
    hall.leave(1)
    return hall.finish()


@pytest.mark.sample
@pytest.mark.parametrize("decided", [(), ("1.1.1", "1.3.1")])
def test_nobody_is_left_out_of_a_table_before_leaving(decided, tmp_path):
    hall = play_without(Hall(make_hall(4, 3), 4), *decided)
    assert hall.check(tmp_path / "honest.jsonl").ok
    for place in (-1, len(hall.happened) - 2):  # after the last decision, and between it and its blocks
        report = hall.check(tmp_path / "forged.jsonl", move_departure(hall.happened, place))
        assert {one.field for one in report.differences} == {"players"}
        assert "who had not left when it began" in report.differences[0].found


def test_nobody_sits_at_a_table_after_leaving(tmp_path):
    hall = Hall(make_hall(4, 2), 4).finish()
    hall.leave(1)
    assert hall.check(tmp_path / "honest.jsonl").ok
    report = hall.check(tmp_path / "forged.jsonl", move_departure(hall.happened, 0))
    assert [(one.field, one.said) for one in report.differences] == [
        ("players", shorten_value(one.players)) for one in hall.now.verdicts
    ]
    one_late = move_departure(hall.happened, len(hall.happened) - 2)
    assert len(hall.check(tmp_path / "late.jsonl", one_late).differences) == 1


@pytest.mark.long
@pytest.mark.parametrize(("count", "gone"), [(6, 2), (6, 3), (4, 1), (4, 2)])
def test_nobody_wins_at_a_table_because_the_others_left(count, gone, tmp_path, monkeypatch):
    """Of three, of whom two or all left; and of two at a table that is no larger."""
    hall = Hall(make_hall(3, 1), count)
    whole = hall.now.matches[-1]
    left = whole.players[-gone:]
    pair = replace(whole, first=whole.players[0], second=whole.players[-1], others=())
    hall.leave(*left)
    hall.finish()
    assert hall.check(tmp_path / "honest.jsonl").ok
    assert find_walkover(hall.spec, hall.entrants, pair, pair.first) is None
    forged = walkover(hall.spec, pair, pair.first)
    hall.given[whole.label], hall.plans[whole.label] = forged, pair
    hall.happened.append(Decision(whole.label, 1, result_digest(forged)))
    monkeypatch.setattr(
        "maumau.contest.export.write.advance_schedule", partial(advance_schedule, stated=[pair])
    )
    results = [hall.given[label] for label in sorted(hall.given)]
    hall.write(tmp_path / "forged.jsonl", results)
    report = verify(tmp_path / "forged.jsonl")
    assert {one.field for one in report.differences} & {"match", "rule"}
    assert not report.walkovers


@pytest.mark.parametrize("others", [4, 5_000])
def test_more_players_than_seats_are_refused_before_anything_is_judged(others, tmp_path, monkeypatch):
    """Of one line whose sum is right; to weigh all pairs of 5,000 would take minutes."""
    hall = Hall(make_hall(4, 1), 9)
    hall.leave(1)
    honest, forged = tmp_path / "honest.jsonl", tmp_path / "forged.jsonl"
    assert hall.finish().check(honest).ok
    lines = honest.read_bytes().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if line.startswith(b'{"kind":"result"'))
    result = json.decode(lines[at].rstrip()[:-TAIL] + b"}", type=ResultLine)
    lines[at] = encode_line(replace(result, others=tuple(range(3, 3 + others))))
    forged.write_bytes(b"".join(lines))
    monkeypatch.setattr("maumau.contest.export.recheck.judge_match", None)
    [found] = [one for one in verify(forged).differences if one.line == at + 1]
    assert (found.field, found.said, found.found) == ("others", f"{others + 2} players", "4 at most")
