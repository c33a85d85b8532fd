"""Faults while records move lose nothing, and do not hold up other contests."""

from contextlib import contextmanager

import pytest
from alembic import command
from sqlalchemy import event, text

from maumau.errors import DatabaseUnavailable, StorageUnavailable
from services.shared.base.clock import DAY
from services.shared.store import migrate
from services.shared.store.storage import Storage
from services.tournament.app import MIGRATIONS
from services.tournament.domain.pack import pack_value
from services.tournament.history import mover as module
from services.tournament.history.archive import Archive
from services.tournament.models import Block, BlockFault, BlockResult, Contest, TournamentTable, Worker
from services.tournament.store.blocks.audit import Audits
from services.tournament.store.contests.schedule import Schedule
from services.tournament.store.outcomes.result import Results
from services.tournament.store.upkeep.record import Records
from tests.support.stores.old_records import (
    BUNDLE,
    SETS,
    WEEK,
    count_outcomes,
    end_contest,
    files_in,
    mover_of,
    read_all,
)


def end_practices(store, *names):
    """Contests of one block each, which ended long ago."""
    for name in names:
        store.add_contest(name, 1, purpose="practice")
        end_contest(store, name, f"{name}-0", days=8)


def check_all(store, files):
    """Read everything as it was played, wherever it is; return the blocks whose records have moved."""
    results, faults = read_all(store, BlockResult), read_all(store, BlockFault)
    assert [files.read_sets(one) for one in results] == [SETS] * len(results)
    assert [files.read_bundle(one) for one in faults] == [BUNDLE] * len(faults)
    return sorted(one.block_id for one in results if not one.records)


class Stopped(BaseException):
    """The process ends."""


def stop(*_):
    raise Stopped


@pytest.mark.sample(2)
@pytest.mark.stores
@pytest.mark.parametrize("step", ["write_file", "move_bundles", "move_records", "mark_moved"])
def test_a_stop_before_any_step_loses_nothing(store, records_folder, step):
    end_contest(store, "cup", "12", "13", days=8)
    stopped = mover_of(store, files_in(records_folder))
    setattr(stopped.files if step == "write_file" else stopped.records, step, stop)
    with pytest.raises(Stopped):
        stopped.move_due()
    moved = ["12", "13"] if step == "mark_moved" else []
    assert check_all(store, files_in(records_folder)) == moved
    assert mover_of(store, files_in(records_folder)).move_due() == 2 - len(moved)
    assert check_all(store, files_in(records_folder)) == ["12", "13"]
    assert all(one.moved_at for one in read_all(store, Contest))


@pytest.mark.sample(2)
@pytest.mark.stores
@pytest.mark.parametrize("step", ["write_file", "move_bundles"])
@pytest.mark.parametrize("most", [1, module.MAX_FILE_BYTES], ids=["other files", "the same file"])
def test_two_that_move_the_same_at_once_lose_nothing(store, records_folder, monkeypatch, most, step):
    end_contest(store, "cup", "12", "13", days=8)
    files = files_in(records_folder)
    first, second = mover_of(store, files_in(records_folder)), mover_of(store, files)
    place = first.files if step == "write_file" else first.records
    own = getattr(place, step)

    def be_overtaken(*given):
        own(*given)
        monkeypatch.setattr(module, "MAX_FILE_BYTES", most)
        assert second.move_due() == 2

    monkeypatch.setattr(place, step, be_overtaken)
    assert first.move_due() == 2
    assert check_all(store, files) == ["12", "13"]


def play_audit(store, block_id):
    """Replay it by another worker, with the same result."""
    audits = Audits(store.database)
    with store.database.write() as session:
        session.get_one(Block, block_id).worker = "host-1"
        for name in ("host-1", "host-2"):
            session.merge(Worker(name=name, seen_at=store.now))
    assert audits.order_audit(block_id, store.now)
    [found] = audits.list_open()
    with store.database.write() as session:
        again = session.get_one(Block, found.audit.second)
        again.state, again.claimed_at = "done", store.now
        contest = session.get_one(Contest, again.contest_id)
        contest.booked, contest.changes = contest.booked + 1, contest.changes + 1
        bytes_of = {"scores": b"", "measured": b"", "records": pack_value(SETS)}
        session.add(BlockResult(block_id=again.id, stored_at=store.now, **bytes_of))
    return found


@pytest.mark.sample
@pytest.mark.stores
def test_a_contest_of_audits_moves_again_after_each_of_them(store, records_folder):
    store.add_contest("contest_1", 2, purpose="practice")
    end_contest(store, "contest_1", "contest_1-0", "contest_1-1", days=8)
    files = files_in(records_folder)
    for number in range(2):
        assert Audits(store.database).close(play_audit(store, f"contest_1-{number}"), "same")
        store.now += 8 * DAY
        assert mover_of(store, files).move_due() == (3 if number == 0 else 1)
    assert len(check_all(store, files)) == 4


def test_records_that_an_audit_will_compare_do_not_move_with_those_before_it(store):
    store.add_contest("contest_1", 2, purpose="practice")
    end_contest(store, "contest_1", "contest_1-0", "contest_1-1", days=8)
    assert Audits(store.database).close(play_audit(store, "contest_1-0"), "same")
    store.now += 8 * DAY
    records = Records(store.database)
    assert "audit_1" in records.list_due(store.now - WEEK * DAY)
    play_audit(store, "contest_1-1")  # between two statements of the mover
    assert records.read_unmoved("audit_1", None, 1 << 20) == []
    assert not records.mark_moved("audit_1", store.now)


class Vanishing(Storage):
    """Keeps nothing of one contest."""

    def put(self, name, chunks):
        return 0 if name.startswith("bad.") else super().put(name, chunks)


def test_a_file_that_vanishes_is_said_and_the_next_contest_moves(store, records_folder, capfd):
    end_practices(store, "bad", "good")
    files = files_in(records_folder)
    files.storage = Vanishing(str(records_folder), "MAUMAU_RECORDS")
    assert mover_of(store, files).move_due() == 1
    assert check_all(store, files) == ["good-0"]
    said = capfd.readouterr().err
    assert "records of bad stay in the database: bad." in said
    assert "does not read back as it was written" in said


@pytest.mark.sample
@pytest.mark.parametrize("error", [DatabaseUnavailable(), RuntimeError("a bug"), FileNotFoundError("gone")])
def test_more_contests_that_cannot_be_moved_than_are_listed_do_not_hold_up_the_others(
    store, records_folder, error
):
    end_practices(store, *(f"bad{number:02}" for number in range(21)), "good")
    files = files_in(records_folder)
    mover = mover_of(store, files)
    read_unmoved = mover.records.read_unmoved

    def fail(contest_id, *given):
        if contest_id.startswith("bad"):
            raise error
        return read_unmoved(contest_id, *given)

    mover.records.read_unmoved = fail
    assert mover.move_due() == 1
    assert check_all(store, files) == ["good-0"]
    assert count_outcomes(files, "failed") == 21


def test_a_look_goes_on_with_the_contest_after_the_last_one_tried(store, records_folder):
    end_practices(store, "bad", "good")
    files = files_in(records_folder)
    files.storage = Vanishing(str(records_folder), "MAUMAU_RECORDS")
    mover = mover_of(store, files)

    def look():
        turns = iter([False])  # it has time for one contest
        return mover.move_due(lambda: next(turns, True))

    assert (look(), look()) == (0, 1)
    assert count_outcomes(files, "failed") == 1
    assert look() == 0
    assert count_outcomes(files, "failed") == 2  # it has begun with the first one again


def test_a_list_of_faults_reads_no_file(store, records_folder):
    end_contest(store, "cup", "12", days=8)
    files = files_in(records_folder)
    archive = Archive(Schedule(store.database), Results(store.database), files)
    before = [line.error for line in archive.list_faults("m12", 10)]
    assert before == ["ValueError: no idea"]
    mover_of(store, files).move_due()
    for path in records_folder.iterdir():
        path.unlink()
    assert [line.error for line in archive.list_faults("m12", 10)] == before
    assert count_outcomes(files, "lost") == 0


class Dead(Storage):
    """A bucket that does not answer."""

    def read(self, name):
        raise StorageUnavailable(
            f"it does not answer as it should ([Errno 111] http://storage.example:9000/{name})."
        )


def test_who_asks_for_a_file_that_cannot_be_read_is_not_told_where_it_lies(store, records_folder):
    end_contest(store, "cup", "12", days=8)
    mover_of(store, files_in(records_folder)).move_due()
    files, [row] = files_in(records_folder), read_all(store, BlockResult)
    files.storage = Dead(str(records_folder), "MAUMAU_RECORDS")
    with pytest.raises(StorageUnavailable) as raised:
        files.read_sets(row)
    assert str(raised.value) == StorageUnavailable.__doc__
    assert count_outcomes(files, "lost") == 0


@contextmanager
def recorded(store):
    """Yield the statements sent meanwhile: in a writing transaction or not, the statement, its parameters."""
    sent = []

    def note(connection, _cursor, statement, parameters, *_):
        sent.append((connection.get_execution_options().get("writes", False), statement, parameters))

    event.listen(store.database.engine, "before_cursor_execute", note)
    yield sent
    event.remove(store.database.engine, "before_cursor_execute", note)


@pytest.mark.stores
def test_contests_whose_records_have_moved_are_not_looked_at(store):
    records = Records(store.database)
    with recorded(store) as sent:
        records.list_due(store.now)
    [(_, statement, parameters)] = [one for one in sent if "moved_at" in one[1]]
    assert "contest.state = 'over' AND contest.moved_at = 0 AND contest.booked > 0" in statement
    if store.database.sqlite:
        plan = store.database.engine.connect().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        assert "SEARCH contest USING INDEX ix_contest_unmoved" in str(plan.all())
        return
    with store.database.engine.connect() as connection:
        connection.execute(text("SET enable_seqscan = off"))  # of so few rows it would read all
        assert "ix_contest_unmoved" in str(
            connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).all()
        )


@pytest.mark.stores
def test_no_writer_waits_while_a_contest_is_searched_for_what_is_left(store):
    end_contest(store, "cup", "12", days=8)
    records = Records(store.database)
    with recorded(store) as sent:
        assert not records.mark_moved("cup", store.now)
    assert not any(writes and "block_result" in statement for writes, statement, _ in sent)
    with store.database.write() as session:
        session.get_one(BlockResult, "12").file_size = 1
    with recorded(store) as sent:
        assert records.mark_moved("cup", store.now)
    assert not any(writes and "block_result" in statement for writes, statement, _ in sent)


def test_what_is_booked_after_that_search_is_noticed(store, monkeypatch):
    end_contest(store, "cup", "12", days=8)
    with store.database.write() as session:
        session.get_one(BlockResult, "12").file_size = 1
    own = store.database.write

    def book_first():
        with own() as session:
            session.execute(text("UPDATE contest SET booked = 2, changes = 2 WHERE id = 'cup'"))
        return own()

    monkeypatch.setattr(store.database, "write", book_first)
    assert not Records(store.database).mark_moved("cup", store.now)


def downgrade(store):
    with store.database.engine.execution_options(writes=True).begin() as connection:
        command.downgrade(migrate.configuration(MIGRATIONS, connection, TournamentTable.metadata), "0027")


@pytest.mark.sample
@pytest.mark.stores
def test_tables_are_not_taken_back_to_those_that_know_no_files_once_records_lie_in_them(
    store, records_folder
):
    end_contest(store, "cup", "12", days=8)
    downgrade(store)
    migrate.upgrade(store.database, MIGRATIONS, TournamentTable.metadata)
    assert mover_of(store, files_in(records_folder)).move_due() == 1
    with pytest.raises(RuntimeError, match="Restore a backup from before the first of them was moved"):
        downgrade(store)
    assert check_all(store, files_in(records_folder)) == ["12"]
