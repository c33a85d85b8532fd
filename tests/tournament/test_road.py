"""From a spec to a winner and its proof."""

import json

import pytest

from maumau.contest.entrant import Entrant
from maumau.contest.export.line import root_of
from maumau.contest.export.verify import verify
from maumau.contest.seed import compute_commitment
from maumau.contest.spec.spec import parse_spec
from maumau.errors import NotOver, NotYours
from tests.support.arenas.calls import refused

STAGES = """
secret = "a-secret-that-was-given"
[[stage]]
format = "round_robin"
"""


@pytest.fixture(scope="module")
def cup(arena):
    """Return a round robin that seeds a bracket with a bye and third place, played to its end."""
    name = arena.begin(
        "first", "random", "crash", "first", top=STAGES, format="single_elimination", third="true",
        block=5, cap=10, seeds="previous",
    )  # fmt: skip
    arena.finish(name)
    return name


def test_the_export_of_a_tournament_can_be_verified(arena, cup, tmp_path):
    path = tmp_path / "cup.export.jsonl"
    path.write_bytes(arena.export(cup))
    report = verify(path)
    assert report.ok, report
    assert report.matches == 6 + 4


def test_everybody_stands_in_the_final_table(arena, cup):
    answer = arena.admin.standings(cup)
    assert answer.final
    assert [row.rank for row in answer.standings] == [1, 2, 3, 4]
    assert sum(row.won for row in answer.standings) == sum(row.lost for row in answer.standings)
    crasher = next(row for row in answer.standings if row.bot_name.startswith("crash"))
    assert crasher.rank == 4
    assert crasher.faults == 2 * crasher.sets


def test_organisers_are_shown_who_plays_better_in_the_seating_played_second(arena, cup):
    answer = arena.admin.standings(cup)
    assert [one.entrant for one in answer.carryover] == [1, 2, 3, 4]
    sets = {row.entrant: row.sets for row in answer.standings}
    assert {one.entrant: one.sets for one in answer.carryover} == sets
    assert all(0 < one.p <= 1 for one in answer.carryover)
    author, _ = arena.author()
    assert author.standings(cup).carryover == ()
    lines = [json.loads(line) for line in arena.export(cup).splitlines()]
    exported = [one for one in lines if one["kind"] == "carryover"]
    assert [(one["name"], one["sets"], one["p"]) for one in exported] == [
        (one.bot_name, one.sets, one.p) for one in answer.carryover
    ]


def test_the_bracket_is_seeded_by_the_stage_before(arena, cup):
    rounds = arena.admin.bracket(cup)
    assert [one.name for one in rounds] == ["semi-final", "final", "third place"]
    assert [len(one.matches) for one in rounds] == [2, 1, 1]
    final, table = rounds[1].matches[0], arena.admin.standings(cup).standings
    assert final.winner == table[0].entrant
    assert all(match.rule for one in rounds for match in one.matches)
    assert len(arena.admin.bracket(cup, 1)) == 3  # a round robin of four has three rounds


def test_the_secret_is_shown_at_the_end_and_keeps_its_commitment(arena, cup):
    tournament = arena.admin.tournament(cup)
    assert tournament.secret == "a-secret-that-was-given"
    assert tournament.secret_given
    assert tournament.commitment == compute_commitment(tournament.secret)
    entrants = [Entrant(one.number, one.bot_name, one.sha256) for one in tournament.entries]
    assert tournament.entries_root == root_of(parse_spec(tournament.spec_toml), entrants)
    assert (tournament.matches_decided, tournament.matches_known) == (10, 10)


def test_a_match_is_shown_with_its_blocks_and_faults(arena, cup):
    match = next(one for one in arena.admin.matches(cup) if one.faults[0] + one.faults[1])
    found = arena.admin.match(cup, match.label)
    assert found.match == match
    assert {block.state for block in found.blocks} <= {"done", "dropped"}
    assert match.low <= match.estimate <= match.high
    assert {fault.kind for fault in found.faults} == {"crash"}
    assert sum(match.faults) == 2 * match.sets


def test_a_fault_is_shown_whole_to_its_bots_owner_and_to_nobody_else(arena, cup):
    match = next(one for one in arena.admin.matches(cup) if one.faults[0] + one.faults[1])
    summary = arena.admin.match(cup, match.label).faults[0]
    found = arena.admin.fault(summary.id)
    assert found.fault.ask == '{"ask":"turn"}'
    assert found.fault.exit == "exit code 1"
    assert found.record.startswith("[maumau 1]\n")
    assert "forfeit" in found.record
    assert found.memory_mib == 512
    stranger, _ = arena.author()
    with refused(NotYours, "belongs to admin"):
        stranger.fault(summary.id)


def test_there_is_no_export_before_the_end(arena):
    name = arena.begin("first", "random")
    with refused(NotOver, "is running"):
        arena.export(name)
    arena.admin.cancel(name)
    with refused(NotOver, "is cancelled: it ended without a winner, and has no export"):
        arena.export(name)
