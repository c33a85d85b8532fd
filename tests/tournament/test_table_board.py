"""Boards of cups at tables: a table counts only if it was marked as decided before somebody left."""

from msgspec import json
from msgspec.structs import replace

from maumau.contest.judge import judge_match
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.score import SetScore, add_up
from services.tournament.domain.board import ContestBoard
from services.tournament.domain.match_row import MatchRow, PlayedMatch, write_others
from services.tournament.models import Entry, Tournament
from tests.contest.field import field, make_spec

SPEC = make_spec('format = "tables"\nseats = 3\nrounds = 1')
SETS = [SetScore(n, 12, (0, 0, 0), 0, (12, 6, 0)) for n in range(SPEC.match.cap)]


def seat(plan, *, is_marked):
    """Return a table whose last block is booked; is_marked: it is stored as decided, too."""
    size = SPEC.match.block
    blocks = [add_up(SETS[at : at + size]) for at in range(0, len(SETS), size)]
    row = MatchRow(
        id=plan.label,
        take=1,
        state="decided" if is_marked else "playing",
        verdict=json.encode(judge_match(SPEC, plan, SETS)).decode() if is_marked else "",
        seed_take=0,
        reason="",
        queued_at=0,
        started_at=0,
        decided_at=0,
        withdrawn_at=0,
        **{name: getattr(plan, name) for name in plan.__struct_fields__} | {"others": write_others(plan)},
    )
    return PlayedMatch(row, len(blocks), () if is_marked else blocks)


def make_board(matches, gone=()):
    entries = [
        Entry(number=one.number, bot_name=one.name, sha256=one.sha256, withdrawn=one.number in gone)
        for one in field(6)
    ]
    return ContestBoard(
        Tournament(spec=SPEC.to_toml(), name="cup", state="running", root="r"), entries, matches
    )


def test_a_table_that_is_left_before_its_decision_is_stored_is_played_anew():
    plans = advance_schedule(SPEC, field(6), []).matches
    left = plans[0].players[1]
    for is_marked in (True, False):
        matches = {plan.label: seat(plan, is_marked=is_marked) for plan in plans}
        whole = make_board(matches).plan_steps(1)
        assert whole.finished
        assert len(whole.decided) == (0 if is_marked else 2)
        steps = make_board(matches, {left}).plan_steps(1)
        assert steps.taken_back == ([] if is_marked else [plans[0].label])
        assert [plan for plan, _ in steps.begun] == ([] if is_marked else [without(plans[0], left)])
        assert steps.finished == is_marked


def without(plan, left):
    first, second = (one for one in plan.players if one != left)
    better = min(first, second)
    return replace(plan, first=first, second=second, others=(), better_seed=better)
