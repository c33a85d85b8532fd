"""Records of contests that ended long ago lie in files, and everything can be asked as before."""

from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy import text

from maumau.errors import RecordsLost
from services.shared.base.clock import DAY
from services.shared.store.storage import Storage
from services.tournament.domain.pack import pack_value
from services.tournament.history import mover as module
from services.tournament.history.mover import Mover
from services.tournament.history.record_file import RecordFiles
from services.tournament.metrics import TournamentMetrics
from services.tournament.models import Audit, Block, BlockFault, BlockResult, Contest, Tournament
from services.tournament.store.upkeep.record import Records
from tests.support.arenas.tournament import CUP, FINAL, SEMI, play_until
from tests.support.meanwhile import do_before
from tests.support.stores.old_records import (
    BUNDLE,
    SETS,
    count_outcomes,
    end_contest,
    files_in,
    mover_of,
    read_all,
)
from tests.support.waiting import until

FOREVER = 0


@pytest.mark.stores
def test_what_ended_more_than_a_week_ago_lies_in_a_file_and_reads_as_before(store, records_folder):
    end_contest(store, "cup", "12", "13", days=8)
    files = files_in(records_folder)
    assert mover_of(store, files).move_due() == 2
    assert [(one.records, files.read_sets(one)) for one in read_all(store, BlockResult)] == [(b"", SETS)] * 2
    assert [(one.bundle, files.read_bundle(one)) for one in read_all(store, BlockFault)] == [(b"", BUNDLE)]
    [file] = records_folder.iterdir()
    assert {one.file_name for one in read_all(store, BlockResult)} == {file.name}
    [cup] = [one for one in read_all(store, Contest) if one.id == "cup"]
    assert cup.moved_at == store.now
    assert mover_of(store, files).move_due() == 0
    assert files.metrics.moved_blocks._value.get() == 2


def run_again(store):
    with store.database.write() as session:
        session.get_one(Contest, "cup").state = "running"


def end_again(store):
    with store.database.write() as session:
        session.get_one(Contest, "cup").state = "over"


def protest(store):
    """Decide the tournament, which then waits for protests."""
    with store.database.write() as session:
        session.get_one(Tournament, "cup").state = "decided"


def audit(store):
    with store.database.write() as session:
        session.add(Audit(block_id="12", second="13"))


def play_lately(store):
    with store.database.write() as session:
        session.get_one(Block, "12").claimed_at = store.now - 6 * DAY


def finish_lately(store):
    with store.database.write() as session:
        session.get_one(Tournament, "cup").ended_at = store.now - 6 * DAY


@pytest.mark.parametrize("change", [run_again, protest, audit, play_lately, finish_lately])
def test_what_may_still_be_needed_stays(store, records_folder, change):
    end_contest(store, "cup", "12", "13", days=8)
    change(store)
    assert mover_of(store, files_in(records_folder)).move_due() == 0
    assert all(one.records for one in read_all(store, BlockResult))


def test_a_contest_that_ends_again_just_then_is_not_marked_as_moved(store, monkeypatch):
    end_contest(store, "cup", "12", "13", days=8)
    run_again(store)
    do_before(monkeypatch, store.database, "write", lambda: end_again(store))
    assert not Records(store.database).mark_moved("cup", store.now)
    assert [one.moved_at for one in read_all(store, Contest) if one.id == "cup"] == [0]


def test_without_the_setting_everything_stays_for_ever(store, records_folder):
    end_contest(store, "cup", "12", days=900)
    assert mover_of(store, files_in(records_folder), FOREVER).move_due() == 0
    assert all(one.records for one in read_all(store, BlockResult))


class Flipping(Storage):
    """A storage that changes one bit of the last byte of each file."""

    def put(self, name, chunks):
        whole = b"".join(chunks)
        return super().put(name, [whole[:-1], bytes([whole[-1] ^ 1])])


def test_of_a_file_with_one_byte_changed_nothing_leaves_the_database_and_it_is_said(
    store, records_folder, capfd
):
    end_contest(store, "cup", "12", "13", days=8)
    store.add_contest("epoch", 1, purpose="ladder")
    end_contest(store, "epoch", "epoch-0", days=8)
    bad = files_in(records_folder)
    bad.storage = Flipping(str(records_folder), "MAUMAU_RECORDS")
    before = [one.records for one in read_all(store, BlockResult)]
    assert mover_of(store, bad).move_due() == 0
    assert [one.records for one in read_all(store, BlockResult)] == before
    assert all(one.bundle for one in read_all(store, BlockFault))
    assert (count_outcomes(bad, "failed"), count_outcomes(bad, "written")) == (2, 0)
    assert "records of cup stay in the database" in capfd.readouterr().err
    assert mover_of(store, files_in(records_folder)).move_due() == 3


def test_a_file_that_was_lost_or_damaged_later_is_named_and_never_believed(store, records_folder):
    end_contest(store, "cup", "12", days=8)
    mover_of(store, files_in(records_folder)).move_due()
    [row], [path] = read_all(store, BlockResult), records_folder.iterdir()
    path.write_bytes((whole := path.read_bytes())[:-1] + bytes([whole[-1] ^ 1]))
    files = files_in(records_folder)
    with pytest.raises(RecordsLost, match=rf"The record file {path.name} is damaged\. Whoever runs"):
        files.read_sets(row)
    path.unlink()
    with pytest.raises(RecordsLost, match=r"is missing\. .* copy it back from files/records/ of a backup"):
        files.read_sets(row)
    assert count_outcomes(files, "lost") == 2
    path.write_bytes(whole)
    assert files.read_sets(row) == SETS


def test_a_large_contest_is_moved_file_by_file(store, records_folder, monkeypatch):
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 2 * len(pack_value(SETS)))
    store.add_contest("other", 5, purpose="practice")
    end_contest(store, "other", *(f"other-{number}" for number in range(5)), days=8)
    files = files_in(records_folder)
    assert mover_of(store, files).move_due() == 5
    assert count_outcomes(files, "written") == 3
    assert [files.read_sets(one) for one in read_all(store, BlockResult)] == [SETS] * 5


def move(arena, name):
    """Move all due records of this tournament, as if their time had come; return the number of blocks."""
    stores = Storage(arena.settings.stores()["records"], "MAUMAU_RECORDS")
    files = RecordFiles(stores, TournamentMetrics(CollectorRegistry()))
    mover = Mover(Records(arena.database), files, lambda: 1 << 42, files.metrics, 1)
    return mover._move_contest(arena.admin.tournament(name).id, lambda: False)


@pytest.mark.long
def test_whatever_is_asked_of_a_tournament_is_answered_as_before_and_its_export_is_the_same(arena):
    name = arena.begin("first", "random", "crash", "gone", **CUP)
    play_until(arena, name, FINAL)
    arena.admin.retake(name, SEMI, "a test")
    arena.finish(name)
    before, export = ask_everything(arena, name), arena.export(name)
    blocks = arena.blocks(name, "done")
    assert move(arena, name) >= len(blocks)
    folder = Path(arena.settings.stores()["exports"])
    for path in folder.glob(f"{arena.admin.tournament(name).id}.*"):
        path.unlink()  # it has to be rebuilt from files
    assert ask_everything(arena, name) == before
    assert arena.export(name) == export


def ask_everything(arena, name):
    """Return all sets of all takes, with their notes, and all faults."""
    calls, found = arena.tournament(arena.settings.admin_token), []
    for match in arena.admin.matches(name):
        for take in calls.ListTakes(tournament=name, label=match.label).takes:
            one = {"tournament": name, "label": match.label, "take": take.take}
            sets = calls.ListSets(**one).sets
            found += [calls.GetSet(**one, set=each.set) for each in sets]
            faults = calls.ListFaults(**one).faults
            found += [*faults, *(calls.GetFault(fault_id=each.id) for each in faults)]
    assert len(found) > 50
    return [str(each) for each in found]


BACKDATE = (
    "UPDATE tournament SET ended_at = 1 WHERE id = :id",
    "UPDATE block SET claimed_at = 1 WHERE contest_id = :id",
)


@pytest.mark.long
def test_a_running_service_moves_what_is_due_by_itself(start):
    with start(sweep=0.05, move_records_days=1) as arena:
        name = arena.begin("first", "random", **CUP)
        arena.finish(name)
        ident = arena.admin.tournament(name).id
        with arena.database.write() as session:
            for statement in BACKDATE:
                session.execute(text(statement), {"id": ident})

        def has_moved():
            with arena.database.read() as session:
                return session.get_one(Contest, ident).moved_at

        until(has_moved, 60)
        folder = Path(arena.settings.stores()["records"])
        assert [path.name.split(".")[0] for path in folder.iterdir()] == [ident]
        calls = arena.tournament(arena.settings.admin_token)
        [match] = arena.admin.matches(name)
        assert calls.GetSet(tournament=name, label=match.label, set=0).set.deals
