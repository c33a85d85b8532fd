"""A board that was kept up to date is the one that would be read now, and says what all sets come to."""

import pytest
from sqlalchemy import text, update
from sqlmodel import col

from maumau.contest import judge as contest_match
from services.shared.store.connect import Database
from services.tournament.domain.board import ContestBoard
from services.tournament.domain.match_row import match_plan
from services.tournament.models import Block
from services.tournament.store.contests.schedule import Schedule
from services.tournament.store.outcomes import result
from services.tournament.store.outcomes.result import Results
from tests.support.kinds import one_of
from tests.support.waiting import until


@pytest.fixture
def database(arena):
    database = Database(arena.settings.database("tournament"), "tournament")
    yield database
    database.close()


def same(one: ContestBoard, other: ContestBoard) -> bool:
    """Compare matches, in their order, verdicts, their consequences and next steps."""
    assert list(one.matches.items()) == list(other.matches.items())
    assert list(one.verdicts.items()) == list(other.verdicts.items())
    assert (one.decided, one.plan, one.plan.verdicts) == (other.decided, other.plan, other.plan.verdicts)
    assert one.plan_steps(1) == other.plan_steps(1)
    assert one.plan_steps(4) == other.plan_steps(4)
    return one.plan.known == other.plan.known


def moment(board: ContestBoard) -> tuple[int, int]:
    return board.tournament.version, board.changes


BRACKET = {"format": "single_elimination", "third": "true", "block": 5, "cap": 10}
STAGES = {"block": 5, "cap": 10, "top": '[[stage]]\nformat = "round_robin"'}


@pytest.mark.long
@pytest.mark.parametrize("spec", one_of(2, [BRACKET, STAGES]))
def test_a_board_follows_every_change_of_a_tournament(arena, database, monkeypatch, spec):
    """Bookings, decisions, retakes with new takes, withdrawals, later stages."""
    name = arena.begin("first", "random", "crash", "first", **spec)
    schedule, tournament_id = Schedule(database), arena.admin.tournament(name).id
    board, steps = schedule.read_board(tournament_id), 0

    def follow():
        nonlocal board, steps
        board, steps = schedule.read_board(tournament_id, board), steps + 1
        whole = schedule.read_board(tournament_id)
        while moment(whole) != moment(board):  # the sweep was at it
            board, whole = schedule.read_board(tournament_id, board), schedule.read_board(tournament_id)
        assert same(board, whole)

    def play_one():
        follow()
        for block in arena.blocks(name, "queued")[:1]:
            arena.worker.play(block.id)
            follow()

    until(lambda: play_one() or arena.admin.tournament(name).matches_decided > 1)
    arena.admin.retake(name, "1.1.1", "a test", fresh_seeds=True)
    follow()
    until(lambda: play_one() or arena.admin.tournament(name).matches_decided > 1)
    arena.admin.withdraw(name, arena.field("random")[0])
    follow()
    until(lambda: play_one() or arena.admin.tournament(name).over, 60)
    follow()
    assert steps > 10
    monkeypatch.setattr(result, "MOST_CHANGED", 0)
    assert same(schedule.read_board(tournament_id, board), board)


@pytest.mark.long
def test_a_board_forgets_what_a_database_that_has_gone_back_does_not_know(arena, database):
    """As after a failover to a copy that lagged behind, or a restore under a running service."""
    name = arena.begin("first", "random", "first", block=5, cap=40)
    schedule, tournament_id = Schedule(database), arena.admin.tournament(name).id

    def play_one():
        arena.worker.play(until(lambda: arena.blocks(name, "queued"))[0].id)

    play_one()
    rows = read_rows(database)
    early = schedule.read_board(tournament_id)
    for _ in range(3):
        play_one()
    late = schedule.read_board(tournament_id, early)
    assert late.changes > early.changes
    assert late.verdicts
    arena.admin.pause(name)
    write_rows(database, rows)
    assert same(schedule.read_board(tournament_id, late), schedule.read_board(tournament_id))
    arena.admin.cancel(name)


GONE_BACK = ("block", "contest", "job", "match", "tournament")


def read_rows(database):
    """Return the present rows of these tables."""
    with database.read() as session:
        return {
            t: [dict(row) for row in session.execute(text(f"SELECT * FROM {t}")).mappings()]
            for t in GONE_BACK
        }


def write_rows(database, rows):
    """Restore these rows."""
    with database.write() as session:
        for table, each in rows.items():
            for row in each:
                values = ", ".join(f'"{column}" = :{column}' for column in row if column != "id")
                session.execute(text(f"UPDATE {table} SET {values} WHERE id = :id"), row)


@pytest.mark.long
def test_sums_of_blocks_come_to_the_verdict_of_their_sets(arena, database):
    name = arena.begin("first", "random", "first", block=5, cap=20)
    schedule, results, tournament_id = Schedule(database), Results(database), arena.admin.tournament(name).id
    for block in until(lambda: len(found := arena.blocks(name, "queued")) > 5 and found)[:6]:
        arena.worker.play(block.id)
    until(lambda: any(played.prefix for played in schedule.read_board(tournament_id).matches.values()))
    board = schedule.read_board(tournament_id)
    for label, played in board.matches.items():
        sets = [score for scores, _ in results.scores_of(played.row.id) for score in scores]
        assert board.show_match(label) == contest_match.judge_match(board.spec, match_plan(played.row), sets)
    with database.write() as session:  # as an earlier version of the arena booked them
        session.execute(update(Block).where(col(Block.contest_id) == tournament_id).values(sums=""))
    assert same(schedule.read_board(tournament_id), board)
    arena.admin.cancel(name)
